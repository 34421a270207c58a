"""Score distributions of positives and negatives, a violin each, for every method and benchmark."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from folkmoot.metrics.fidelity.report import Scoring
from folkmoot.metrics.panels import INK, REAL, SIMULATED, STYLE
from folkmoot.metrics.shown import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 12
"""Panels of one figure."""


def violins(scorings: Sequence[Scoring]) -> "Figure | None":
    """One panel a run that has scores, at most `MOST`; None where none has."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    usable = [one for one in scorings if any(line.score is not None for line in one.lines)][:MOST]
    if not usable:
        return None
    columns = min(3, len(usable))
    rows = -(-len(usable) // columns)
    style: dict[str, Any] = {**STYLE, "font.size": 9, "axes.titlesize": 10}
    with mpl.rc_context(style):
        figure = Figure(figsize=(3.1 * columns, 2.9 * rows), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, one in zip(panels, usable, strict=False):
            _panel(axes, one)
        for axes in panels[len(usable) :]:
            axes.set_axis_off()
    return figure


def _panel(axes: "Axes", one: Scoring) -> None:
    for place, (positive, colour) in enumerate(((True, REAL), (False, SIMULATED))):
        scores = [line.score for line in one.lines if line.score is not None and line.positive == positive]
        if len(set(scores)) > 1:
            body = axes.violinplot(scores, [place], showextrema=False, widths=0.8)["bodies"][0]  # type: ignore[index]
            body.set(facecolor=colour, alpha=0.45)
        axes.scatter([place] * len(scores), scores, s=6, color=colour, alpha=0.5, linewidths=0)
        if scores:
            axes.hlines(sum(scores) / len(scores), place - 0.25, place + 0.25, color=INK, linewidth=1.4)
    axes.set_xticks([0, 1], ["in character", "out of character"])
    axes.set_ylabel("score")
    axes.set_title(f"{one.benchmark}: {shown(one.label, 28)}")
