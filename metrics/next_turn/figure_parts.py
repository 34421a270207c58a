"""What the figures share: colours, names, bars with whiskers, a legend below, a caption."""

import math
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from folkmoot.metrics.next_turn.drawn import Key
from folkmoot.metrics.next_turn.study import Study
from folkmoot.metrics.panels import INK, REAL, SIMULATED
from folkmoot.metrics.shown import shown
from folkmoot.metrics.table import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HUMAN, AGENT = REAL, SIMULATED
COLOURS = {
    "base": "#9a9a9a",
    "profile": "#56B4E9",
    "behavior": "#E69F00",
    "behavior_reasoning": "#D55E00",
    "history": "#009E73",
    "retrieval": "#0072B2",
    "act_planned": "#CC79A7",
}
"""Condition -> colour, after Okabe and Ito; a condition that isn't here is drawn in ink."""
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Colours of models, in order."""

_WHISKER = {"ecolor": INK, "elinewidth": 0.8, "capsize": 1.5}


def colour(condition: str) -> str:
    """The colour of a condition."""
    return COLOURS.get(condition, INK)


def model_name(model: str) -> str:
    """A model's name without its backend, short enough for a title."""
    return shown(model.rsplit("/", 1)[-1], 28)


def figure(width: float, height: float) -> "Figure":
    """An empty figure, inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def bars(
    axes: "Axes",
    where: Sequence[float],
    numbers: Sequence[Number | None],
    width: float,
    *,
    flat: bool = False,
    **how: Any,
) -> None:
    """Bars with their intervals as whiskers; a number that isn't there leaves a gap.

    Args:
        axes: to draw into.
        where: middle of each bar.
        numbers: their values.
        width: of a bar.
        flat: lie down.
        how: colour, label.
    """
    values = [math.nan if number is None else number.value for number in numbers]
    spread = [[_reach(number, -1) for number in numbers], [_reach(number, 1) for number in numbers]]
    if flat:
        axes.barh(where, values, width, xerr=spread, error_kw=_WHISKER, **how)
    else:
        axes.bar(where, values, width, yerr=spread, error_kw=_WHISKER, **how)


def _reach(number: Number | None, side: int) -> float:
    """How far a whisker reaches."""
    if number is None or math.isnan(number.value):
        return math.nan
    edge = number.low if side < 0 else number.high
    return 0.0 if math.isnan(edge) else max(0.0, (edge - number.value) * side)


def grid(axes: "Axes", which: str) -> None:
    """Light lines behind the data, and a line at zero."""
    axes.grid(axis="x" if which == "x" else "y", color="#e6e6e6", linewidth=0.7)
    line = axes.axvline if which == "x" else axes.axhline
    line(0, color="#888888", linewidth=0.8)


def legend(made: "Figure", axes: "Axes") -> None:
    """One legend for all panels, below them, in as many columns as fit."""
    handles, names = axes.get_legend_handles_labels()
    columns = max(1, int(made.get_figwidth() / 1.6))
    made.legend(handles, names, loc="outside lower center", ncols=min(columns, len(names)), fontsize=8.5)


def caption(made: "Figure", text: str) -> None:
    """Small text above the panels, at the left, in lines as wide as the figure."""
    lines = wrap(shown(text, 320), int(made.get_figwidth() * 16))
    made.suptitle("\n".join(lines), fontsize=8.5, color="#555555", x=0.01, ha="left")


def whiskers(study: Study) -> str:
    """What the whiskers are."""
    resampler = study.settings.resampler
    return f"Whiskers: {resampler.level:.0%} bootstrap intervals over {study.settings.unit}s"


def missing(study: Study, keys: Sequence[Key]) -> str:
    """Why cells have no numbers."""
    return "too few" if any(key in study.drawn.n for key in keys) else "not run"


def any_number(numbers: Iterable[Number | None]) -> bool:
    """Whether there is something to draw."""
    return any(number is not None and not math.isnan(number.value) for number in numbers)


def nothing(axes: "Axes", why: str) -> None:
    """A panel without data says so."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color="#888888", fontsize=8)
