"""Bars with whiskers: F1 of profile runs, points of dialogue runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from folkmoot.metrics.panels import INK, STYLE
from folkmoot.metrics.shown import shown
from folkmoot.metrics.table import Number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#56B4E9")

MOST = 16
"""Groups of bars."""


def bars(groups: Sequence[tuple[str, Sequence[Number]]], names: Sequence[str], label: str, top: float) -> "Figure":
    """A group of bars for each run.

    Args:
        groups: label of the run, and its numbers in the order of `names`; at most `MOST` are drawn.
        names: of the bars, for the legend.
        label: of the axis.
        top: end of the axis.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    some = groups[:MOST]
    style: dict[str, Any] = {**STYLE, "font.size": 9}
    with mpl.rc_context(style):
        figure = Figure(figsize=(8, 1.2 + 0.16 * len(some) * (len(names) + 1.2)), layout="constrained")
        axes = figure.subplots()
        for place, name in enumerate(names):
            values = [numbers[place] for _, numbers in some]
            spots = [k + 0.8 * (place + 0.5) / len(names) for k in range(len(some))]
            axes.barh(spots, [_known(v.value) for v in values], 0.7 / len(names), color=COLOURS[place], label=name)
            for spot, one in zip(spots, values, strict=True):
                axes.hlines(spot, _known(one.low), _known(one.high), color=INK, linewidth=1)
        axes.set_yticks([k + 0.4 for k in range(len(some))], [shown(text, 60) for text, _ in some])
        axes.invert_yaxis()
        axes.set_xlim(0, top)
        axes.set_xlabel(label)
        axes.legend(loc="upper center", bbox_to_anchor=(0.4, 1.0), ncols=len(names), frameon=False)
        axes.margins(y=0.05)
    return figure


def _known(value: float) -> float:
    return 0.0 if value != value else value  # noqa: PLR0124 -- NaN
