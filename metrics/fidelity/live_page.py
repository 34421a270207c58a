"""Who was most out of character in a run, with the evidence, as one HTML page. Everything shown is escaped."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from folkmoot.metrics.context import Contexts
from folkmoot.metrics.fidelity.evaluator import Item
from folkmoot.metrics.fidelity.evidence import Evidence
from folkmoot.metrics.fidelity.live_report import sentences, warnings
from folkmoot.metrics.fidelity.page import audit_page
from folkmoot.metrics.fidelity.spaces import LabelSpace
from folkmoot.sim.events import Event, TextEvent

_HEAD = "<tr><th>agent</th><th>mean S</th><th>texts</th><th>lowest dimension</th><th>others' texts, mean S</th></tr>"
_NOTE = (
    "<p>The last column holds other people's texts against the agent's persona (n): where it is as low, the persona's "
    "label texts are unlikely by themselves, and a low mean tells little about the agent. * few texts.</p>"
)


def live_page(
    title: str, found: Mapping[str, Any], spaces: Mapping[str, LabelSpace], events: Iterable[Event], context: int
) -> str:
    """The section's sentences, the agents with the lowest means, and the whole evidence of the lowest text of each.

    Args:
        title: of the page.
        found: what `live_report.section` gives.
        spaces: agent -> label space.
        events: of the run; the texts are read from here.
        context: earlier texts that the evaluator saw.
    """
    wanted = {one["text"]["seq"]: one for one in found["worst"]}
    scored: dict[int, tuple[Item, Evidence | None]] = {}
    contexts = Contexts(context)
    for event in events:
        if isinstance(event, TextEvent):
            utterance = contexts.take(event)
            if event.seq in wanted:
                said = "\n\n".join(utterance.context)
                item = Item(f"{event.actor}, event {event.seq}", spaces[event.actor], said, event.text)
                scored[event.seq] = item, Evidence(item.id, wanted[event.seq]["text"]["q"], (1 / 3, 1 / 3, 1 / 3))
    return audit_page(title, [scored[seq] for seq in wanted if seq in scored], _intro(found))


def _intro(found: Mapping[str, Any]) -> str:
    lines = [*sentences(found), *(f"warning: {text}" for text in warnings(found))]
    said = "".join(f"<li>{escape(line)}</li>" for line in lines)
    rows = "".join(_row(one, found) for one in found["worst"])
    table = f"<h2>Most out of character</h2><table>{_HEAD}{rows}</table>{_NOTE}" if rows else ""
    return f"<ul>{said}</ul>{table}\n"


def _row(one: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    score, others = one["score"], found["others"].get(one["agent"], {}).get("score")
    bounds = "" if score["low"] is None else f" [{score['low']:.3f}, {score['high']:.3f}]"
    cells = (
        one["agent"] + (" *" if one["few"] else ""),
        f"{score['value']:.3f}{bounds}",
        str(score["n_items"]),
        one["lowest"].replace("_", " "),
        "" if others is None else f"{others['value']:.3f} ({others['n_items']})",
    )
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
