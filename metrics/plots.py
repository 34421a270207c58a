"""The figure of a run, as PNG and SVG: matplotlib's objects, no pyplot, the same bytes each time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from folkmoot.metrics.fidelity.live_panels import agents_panel, fidelity_panel
from folkmoot.metrics.panels import STYLE, acts_panel, sentiment_panel, time_panel, words_panel
from folkmoot.metrics.records import Point, Record
from folkmoot.metrics.recovery.panels import recovery_panel, scores_panel
from folkmoot.metrics.report import title
from folkmoot.metrics.shown import shown
from folkmoot.metrics.uncertainty import FEW_UNITS
from folkmoot.sim.errors import MetricError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 150
"""Of the PNG."""
POINTS_PER_INCH = 72
"""An SVG's own unit."""


def figure(summary: Mapping[str, Any], records: Sequence[Record] = ()) -> "Figure":
    """Acts, sentiment, divergence over simulated time, words per comment; fidelity, recovery where they were measured.

    Args:
        summary: of `report.summarize`.
        records: of metrics.jsonl; without them the time panel says that there are none.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        scored, recovered = summary.get("fidelity"), summary.get("recovery")
        lines = 2 + bool(scored) + bool(recovered)
        made = Figure(figsize=(11.5, 4.4 * lines), layout="constrained")
        axes = made.subplots(lines, 2, gridspec_kw={"wspace": 0.08, "hspace": 0.08})
        acts_panel(axes[0, 0], summary)
        sentiment_panel(axes[0, 1], summary)
        time_panel(axes[1, 0], [record for record in records if isinstance(record, Point)])
        words_panel(axes[1, 1], summary)
        if scored:
            fidelity_panel(axes[2, 0], records)
            agents_panel(axes[2, 1], scored)
        if recovered:
            recovery_panel(axes[-1, 0], records)
            scores_panel(axes[-1, 1], recovered)
        made.suptitle(shown(title(summary), 100), fontsize=13, fontweight="bold", x=0.012, ha="left")
        made.supxlabel(shown(_caption(summary), 190), fontsize=9, color="#555555", x=0.012, ha="left")
    return made


def _caption(summary: Mapping[str, Any]) -> str:
    threads = f"{summary['threads']} simulated and {summary['real']['threads']} real threads"
    doubt = " - few: intervals too narrow" if min(summary["threads"], summary["real"]["threads"]) < FEW_UNITS else ""
    asked = " and ".join(name for name in ("fidelity", "recovery") if name in summary)
    people = f"; of {asked} over people" if asked else ""
    return (
        f"Whiskers and bands: 95 % bootstrap intervals over {threads}{doubt}{people}. "
        "Grey: how far two real halves are apart."
    )


def save(made: "Figure", path: Path) -> None:
    """Write a figure as PNG or SVG, by the path's suffix; equal figures give equal bytes.

    Raises:
        MetricError: another suffix.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    if path.suffix not in {".png", ".svg"}:
        raise MetricError(f"figures are written as .png or .svg, not as {path.suffix!r}")
    # The canvases' own writers: `savefig` draws everything once more, only to lay it out.
    with mpl.rc_context({**STYLE, "svg.hashsalt": "folkmoot"}):
        if path.suffix == ".png":
            made.dpi = DOTS_PER_INCH
            FigureCanvasAgg(made).print_png(path, metadata={"Software": None})
        else:
            made.dpi = POINTS_PER_INCH
            FigureCanvasSVG(made).print_svg(str(path), metadata={"Date": None, "Creator": None})


def draw(
    folder: Path, summary: Mapping[str, Any], records: Sequence[Record] = (), name: str = "community"
) -> list[Path]:
    """Write folder/name.png and folder/name.svg; nothing where nothing was measured."""
    if not any(summary.get(part) for part in ("families", "fidelity", "recovery")):
        return []
    made = figure(summary, records)
    paths = [folder / f"{name}.png", folder / f"{name}.svg"]
    for path in paths:
        save(made, path)
    return paths
