"""From a run's events, columns and target to a summary, a table, and one plain sentence a family."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from folkmoot.metrics.fidelity.live_report import rows as fidelity_rows
from folkmoot.metrics.measure import Reference, side_of
from folkmoot.metrics.names import DIVERGENCES, MEASURES, TITLES, headline
from folkmoot.metrics.recovery.report import rows as recovery_rows
from folkmoot.metrics.reply_graph import ReplyGraph
from folkmoot.metrics.significance import Floor, holm, permutation_test
from folkmoot.metrics.tallies import Columns, Counting, LabelTally, Tally, make_tally
from folkmoot.metrics.target import Target
from folkmoot.metrics.text import SPLITTER, WORD_EDGES
from folkmoot.metrics.threads import LONGEST, Places
from folkmoot.metrics.uncertainty import FEW_UNITS, Estimate, Resampler, Rows
from folkmoot.sim.events import Event, TextEvent

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA = "folkmoot.summary/1"
_GRAPH_DRAWS = 200


def summarize(
    events: Sequence[Event],
    columns: Columns,
    target: Target,
    *,
    counting: Counting | None = None,
    facts: Mapping[str, str] | None = None,
    seed: int = 0,
    draws: int = 1000,
    device: str = "cpu",
) -> dict[str, Any]:
    """All numbers of a run, JSON-able; a number that isn't defined is None.

    Args:
        events: the run's log.
        columns: seq -> role -> labels, for every comment that counts.
        target: the real side.
        counting: what counts as simulated.
        facts: shown in titles: condition, model, ...
        seed: of all draws.
        draws: of the bootstrap, the permutation test and the noise floor.
        device: torch device of the bootstrap.

    Returns:
        `families` -> family -> `numbers` (simulated), `real`, `floors`, `p`, `n`; `sentences`, `warnings`,
        `histograms`, `splitter`, sizes.
    """
    counting = counting or Counting()
    tallies = tally_all(events, columns, target, counting)
    resampler = Resampler(seed, draws, device=device)
    found = {
        name: _family(name, target.tallies[name], tally, draws_of(name, resampler)) for name, tally in tallies.items()
    }
    _correct(found)
    counted = [event for event in events if isinstance(event, TextEvent) and counting(event)]
    summary: dict[str, Any] = {
        "schema": SCHEMA,
        "community": target.community,
        "facts": dict(facts or {}),
        "splitter": SPLITTER,
        "comments": len(counted),
        "threads": len({event.thread for event in counted}),
        "users": len({event.actor for event in counted}),
        "real": {"comments": target.n_comments, "threads": target.n_threads},
        "families": found,
        "histograms": _histograms(tallies, target),
    }
    summary["sentences"] = [sentence(name, family) for name, family in found.items() if family["numbers"]]
    summary["warnings"] = _warnings(summary)
    plain: dict[str, Any] = _plain(summary)
    return plain


def tally_all(events: Sequence[Event], columns: Columns, target: Target, counting: Counting) -> dict[str, Tally]:
    """The simulated side of every family that the target holds."""
    places = Places()
    tallies = {name: make_tally(name, counting, 0, target.roles, places) for name in target.tallies}
    for start in range(0, len(events), 256):  # all tallies read a batch: they share its places
        for tally in tallies.values():
            tally.update(events[start : start + 256], columns)
    return tallies


def sentence(name: str, family: Mapping[str, Any]) -> str:
    """The family's headline in words, with its interval, the noise floor and n."""
    key = headline(name)
    number, floor = family["numbers"][key], family["floors"].get(key)
    text = f"{TITLES[name]}: {MEASURES[key]} to the real community {_interval(number)}"
    if floor:
        text += f"; two halves of the real one differ by {_interval(floor, 'mean')}"
    return f"{text} (n = {number['n_items']} comments in {number['n_units']} threads)"


def table_rows(summary: Mapping[str, Any]) -> list[tuple[str, str, str, str, str]]:
    """Rows of the table: number, simulated [interval], real [interval], two real halves, p (Holm)."""
    rows = []
    for name, family in summary["families"].items():
        for key, number in family["numbers"].items():
            if key.startswith("share.") or key.endswith("_delta"):
                continue
            real = None if _two_sided(name, key) else family["real"].get(key)
            floor = family["floors"].get(key)
            p = family["p"].get(key)
            rows.append(
                (
                    f"{name} {key}",
                    _interval(number),
                    _interval(real) if real else "",
                    _interval(floor, "mean") if floor else "",
                    "" if p is None else f"{p:.3f}",
                )
            )
    for name, told in (("fidelity", fidelity_rows), ("recovery", recovery_rows)):
        rows += told(summary[name]) if name in summary else []
    return rows


HEADER = ("number", "simulated", "real", "two real halves", "p (Holm)")


def plain_table(summary: Mapping[str, Any]) -> str:
    """The table as text, then sentences and warnings."""
    lines = align_columns([HEADER, *table_rows(summary)])
    return "\n".join([*lines, "", *summary["sentences"], *(f"warning: {text}" for text in summary["warnings"])])


def rich_table(summary: Mapping[str, Any]) -> "Table":
    """The table for a terminal; names are shown as they are, never as markup."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title(summary)), header_style="bold")
    for i, name in enumerate(HEADER):
        table.add_column(name, justify="left" if i == 0 else "right")
    for row in table_rows(summary):
        table.add_row(*(Text(cell) for cell in row))
    return table


def title(summary: Mapping[str, Any]) -> str:
    """Community, facts and n in a line."""
    parts = [summary["community"] or "community", *summary["facts"].values()]
    return " · ".join([*parts, f"{summary['comments']} simulated, {summary['real']['comments']} real comments"])


def align_columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows of cells as aligned lines: the first column left, the others right."""
    rows = list(rows)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    return [
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _family(name: str, real: Tally, simulated: Tally, resampler: Resampler) -> dict[str, Any]:
    reference = Reference(name, real, resampler)
    numbers = reference.measure(simulated)
    floors = reference.floor(simulated.size(), resampler.draws) if numbers else {}
    found: dict[str, Any] = {
        "n": simulated.size(),
        "numbers": {key: _estimate(value) for key, value in numbers.items()},
        "real": {key: _estimate(value) for key, value in reference.measure(real).items()} if real.size() else {},
        "floors": {key: _floor(value) for key, value in floors.items()},
        "p": _permute(reference, simulated, resampler) if numbers else {},
        "method": resampler.label,
    }
    if isinstance(simulated, LabelTally):
        found["labels"] = list(simulated.labels)
        found["unlabelled"] = simulated.unlabelled()
    return found


def _permute(reference: Reference, simulated: Tally, resampler: Resampler) -> dict[str, float]:
    """P of the headline and, for acts, of each label's delta; a graph can't be dealt thread by thread."""
    sides = side_of(reference.tally), side_of(simulated)
    if not (isinstance(sides[0], Rows) and isinstance(sides[1], Rows)):
        return {}
    p = permutation_test(
        sides[0].data, sides[1].data, reference.family.statistic, seed=resampler.seed, draws=resampler.draws - 1
    )
    return {key: value for key, value in p.items() if key == headline(reference.name) or key.startswith("delta.")}


def draws_of(name: str, resampler: Resampler) -> Resampler:
    """Fewer draws for the reply graph: each of them weighs every edge."""
    return replace(resampler, draws=min(resampler.draws, _GRAPH_DRAWS)) if name == "network" else resampler


def _two_sided(name: str, key: str) -> bool:
    """True for numbers that compare: the real side has none of its own."""
    return key in DIVERGENCES[name] or "delta" in key or key == "density_ratio"


def _correct(found: Mapping[str, dict[str, Any]]) -> None:
    """Holm's correction over the headlines, and over the label deltas."""
    for keys in (
        [(name, headline(name)) for name, family in found.items() if headline(name) in family["p"]],
        [(name, key) for name, family in found.items() for key in family["p"] if key.startswith("delta.")],
    ):
        adjusted = holm([found[name]["p"][key] for name, key in keys]).tolist()
        for (name, key), value in zip(keys, adjusted, strict=True):
            found[name]["p"][key] = value


def _histograms(tallies: Mapping[str, Tally], target: Target) -> dict[str, Any]:
    """Words per comment and turns per thread, as counts."""
    shown: dict[str, Any] = {}
    for name, family, first, edges in (
        ("words", "text", 3, list(WORD_EDGES)),
        ("turns", "threads", 7, list(range(2, LONGEST + 1))),
    ):
        if family in tallies:
            sides = {"real": target.tallies[family], "simulated": tallies[family]}
            shown[name] = {"edges": edges, **{side: _columns(tally, first) for side, tally in sides.items()}}
    return shown


def _columns(tally: Tally, first: int) -> list[float]:
    """Sums of the columns from `first` on."""
    data = tally.data()
    assert not isinstance(data, ReplyGraph)  # asked of rows only
    sums: list[float] = data[:, first:].sum(0).tolist()
    return sums


def _warnings(summary: Mapping[str, Any]) -> list[str]:
    warnings = []
    for side, threads in (("simulated", summary["threads"]), ("real", summary["real"]["threads"])):
        if threads < FEW_UNITS:
            warnings.append(f"{threads} {side} threads: under {FEW_UNITS} the intervals are too narrow")
    for name, family in summary["families"].items():
        if family.get("unlabelled"):
            warnings.append(f"{family['unlabelled']} of {summary['comments']} comments have no {name} label")
        if not family["numbers"]:
            warnings.append(f"{name}: no simulated comment to measure")
    return warnings


def _estimate(value: Estimate) -> dict[str, Any]:
    return {**asdict(value), "few": value.few}


def _floor(value: Floor) -> dict[str, Any]:
    return asdict(value)


def _interval(number: Mapping[str, Any], key: str = "value") -> str:
    """0.21 [0.18, 0.24]; a number that isn't defined is a dash."""
    values = [number[name] for name in (key, "low", "high")]
    if any(value is None or math.isnan(value) for value in values):
        return "-"
    value, low, high = (f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}" for value in values)  # noqa: PLR2004
    return f"{value} [{low}, {high}]"


def _plain(value: Any) -> Any:
    """The same with None for every number that isn't finite."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
