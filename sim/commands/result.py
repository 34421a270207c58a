"""What a person reads when a run is over."""

import os
import re
import sys
from typing import Any

from folkmoot.metrics.report import plain_table, rich_table, title
from folkmoot.sim.experiments.community import Result

EMBEDDED_NOTE = (
    "the embedded model has 135 million parameters and writes English at best: these numbers show that the "
    "measurement works, they say nothing about people"
)


DRY_RUN = "dry run"
"""State of a run that was only estimated."""


def show_result(result: Result) -> None:
    """The table, one plain sentence a family, the figure's place, and what went wrong."""
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True)
    summary = result.summary
    if result.outcome.state != DRY_RUN:
        for community in summary.get("communities", {}).values():
            _community(console, community)
    for line in _closing(result):
        console.print(Text(line))
    _open_figure(result)


def _community(console: Any, summary: dict[str, Any]) -> None:
    from rich.text import Text

    if console.is_terminal:
        console.print(rich_table(summary))
        lines = [*summary["sentences"], *(f"warning: {text}" for text in summary["warnings"])]
        console.print(Text("\n".join(lines)))
    else:
        console.print(Text(f"{title(summary)}\n{plain_table(summary)}"))
    if summary["facts"].get("model") == "embedded":
        console.print(Text(f"note: {EMBEDDED_NOTE}"))


def _closing(result: Result) -> list[str]:
    summary, outcome = result.summary, result.outcome
    if outcome.state == DRY_RUN:
        return _estimate(summary)
    if outcome.state == "identical":
        words = "events made again without a model, the log is identical"
        return [f"replay: {summary['events']} {words} (SHA-256 {summary['digest'][:16]}...)"]
    place = f"run folder: {result.run.path}" + (f" ({result.taken} was there already)" if result.taken else "")
    if "lines" in summary:
        return [*summary["lines"], place]
    calls = summary["calls"]
    did = f"{outcome.state}: {outcome.comments} comments from {outcome.activations} activations"
    took = f"{calls['calls']} calls, at most {calls['most_in_flight']} in flight ({outcome.most_in_flight} activations)"
    tokens = f"{calls['prompt_tokens']:,} + {calls['completion_tokens']:,} tokens"
    lines = [f"{did}; {took}, {tokens}"]
    lines += [f"failed: {f['agent']}, activation {f['activation']}: {f['reason']}" for f in summary["failures"][:20]]
    lines += summary["notices"]
    if outcome.state != "finished":
        lines.append(f"go on with: folkmoot resume {result.run.path}{_lifted(outcome.state)}")
    lines.append(place)
    lines += [f"figure: {result.run.figures / name}" for name in summary.get("figures", ()) if name.endswith(".png")]
    return lines


def _estimate(summary: dict[str, Any]) -> list[str]:
    """What a dry run says, a fact a line.

    >>> _estimate({"communities": ["en", "de"], "calls_expected": 12345, "seconds_about": None})
    ['communities: en, de', 'calls expected: 12,345', 'seconds about: not known for this backend']
    """
    return [f"{name.replace('_', ' ')}: {_fact(value)}" for name, value in summary.items()]


def _fact(value: Any) -> str:
    if value is None:
        return "not known for this backend"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _lifted(state: str) -> str:
    """The override without which a run that used up a budget would end at the same place again.

    >>> _lifted("stopped: budget: max_comments 200 reached")
    ' budget.max_comments=null (or a larger one)'
    >>> _lifted("stopped: interrupted")
    ''
    """
    used = re.match(r"stopped: budget: (\w+)", state)
    return f" budget.{used[1]}=null (or a larger one)" if used else ""


def _open_figure(result: Result) -> None:
    """Show the figure where somebody sits before a screen."""
    names = [name for name in result.summary.get("figures", ()) if name.endswith(".png")]
    screen = sys.platform in {"darwin", "win32"} or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if names and screen and sys.stdout.isatty():
        import typer

        typer.launch(str(result.run.figures / names[0]))
