"""What a person reads when a run is over."""

import os
import sys
from typing import Any

from folkmoot.metrics.report import plain_table, rich_table, title
from folkmoot.sim.experiments.community import Result

EMBEDDED_NOTE = (
    "the embedded model has 135 million parameters and writes English at best: these numbers show that the "
    "measurement works, they say nothing about people"
)


def show_result(result: Result) -> None:
    """The table, one plain sentence a family, the figure's place, and what went wrong."""
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True)
    summary = result.summary
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
    if outcome.state == "dry run":
        return [f"{name}: {value}" for name, value in summary.items()]
    if outcome.state == "identical":
        words = "events made again without a model, the log is identical"
        return [f"replay: {summary['events']} {words} (SHA-256 {summary['digest'][:16]}...)"]
    calls = summary["calls"]
    did = f"{outcome.state}: {outcome.comments} comments from {outcome.activations} activations"
    took = f"{calls['calls']} calls, at most {calls['most_in_flight']} in flight ({outcome.most_in_flight} activations)"
    tokens = f"{calls['prompt_tokens']:,} + {calls['completion_tokens']:,} tokens"
    lines = [f"{did}; {took}, {tokens}"]
    lines += [f"failed: {f['agent']}, activation {f['activation']}: {f['reason']}" for f in summary["failures"][:20]]
    lines += summary["notices"]
    if outcome.state != "finished":
        lines.append(f"go on with: folkmoot resume {result.run.path}")
    lines.append(f"run folder: {result.run.path}")
    lines += [f"figure: {result.run.figures / name}" for name in summary.get("figures", ()) if name.endswith(".png")]
    return lines


def _open_figure(result: Result) -> None:
    """Show the figure where somebody sits before a screen."""
    names = [name for name in result.summary.get("figures", ()) if name.endswith(".png")]
    screen = sys.platform in {"darwin", "win32"} or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if names and screen and sys.stdout.isatty():
        import typer

        typer.launch(str(result.run.figures / names[0]))
