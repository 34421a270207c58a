"""One figure that says the whole: similarity and divergence by condition, act differences, sentiment."""

from typing import TYPE_CHECKING, Any

from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS
from folkmoot.metrics.next_turn.figure_bars import NAMES
from folkmoot.metrics.next_turn.figure_parts import (
    AGENT,
    HUMAN,
    any_number,
    bars,
    caption,
    colour,
    figure,
    grid,
    model_name,
    nothing,
    whiskers,
)
from folkmoot.metrics.next_turn.figure_sentiment import TICKS
from folkmoot.metrics.next_turn.study import Study
from folkmoot.metrics.shown import shown
from folkmoot.metrics.table import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_HIGHER = ("rouge", "rbert")


def overview(study: Study) -> "Figure | None":
    """Means over communities and models; below, the condition whose acts are nearest to people."""
    best = _best(study)
    if best is None:
        return None
    made = figure(10.4, 0.9 + 0.27 * len(study.conditions) + 2.9)
    halves: Any = made.subfigures(2, 1, height_ratios=[1 + 0.27 * len(study.conditions), 2.9])
    above, below = halves
    scores = [score for score in NAMES if any_number(_mean(study, name, score) for name in study.conditions)]
    for axes, score in zip(above.subplots(1, len(scores), sharey=True, squeeze=False)[0], scores, strict=True):
        _by_condition(axes, study, score)
    panels = below.subplots(1, 2, gridspec_kw={"width_ratios": [1.2, 1]})
    _acts(panels[0], study, best)
    _felt(panels[1], study, best)
    n = sum(len(cell.usable) for cell in study.cells)
    names = ", ".join(study.communities)
    who = ", ".join(model_name(model) for model in study.models)
    caption(made, f"{shown(names, 60)} · {shown(who, 60)} · {n:,} written comments. {whiskers(study)}.")
    return made


def _best(study: Study) -> str | None:
    """The condition with the smallest divergence of acts; the first where acts weren't labelled."""
    found = {name: study.drawn.average(study.keys(name), "acts_js") for name in study.conditions}
    known = {name: number.value for name, number in found.items() if number is not None}
    return min(known, key=lambda name: (known[name] != known[name], known[name])) if known else None


def _by_condition(axes: "Axes", study: Study, score: str) -> None:
    axes.set_title(NAMES[score], fontsize=9)
    for place, name in enumerate(study.conditions):
        bars(axes, [place], [_mean(study, name, score)], 0.72, flat=True, color=colour(name))
    axes.set_yticks(range(len(study.conditions)), study.conditions)
    axes.set_ylim(len(study.conditions) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("higher is nearer" if score in _HIGHER else "lower is nearer", fontsize=8)
    grid(axes, "x")


def _mean(study: Study, condition: str, score: str) -> Number | None:
    return study.drawn.average(study.keys(condition), score)


def _acts(axes: "Axes", study: Study, condition: str) -> None:
    axes.set_title(f"acts, human \u2212 agent ({condition})", fontsize=9)
    numbers = [_mean(study, condition, f"delta.{act}") for act in ACTS]
    if not any_number(numbers):
        nothing(axes, "not labelled")
        return
    bars(axes, list(range(len(ACTS))), numbers, 0.7, flat=True, color=colour(condition))
    axes.set_yticks(range(len(ACTS)), [act.capitalize() for act in ACTS], fontsize=7.5)
    axes.invert_yaxis()
    grid(axes, "x")


def _felt(axes: "Axes", study: Study, condition: str) -> None:
    from matplotlib.ticker import PercentFormatter

    axes.set_title(f"sentiment ({condition})", fontsize=9)
    for side, tint, shift in (("human", HUMAN, -0.2), ("agent", AGENT, 0.2)):
        numbers = [_mean(study, condition, f"{side}.{label}") for label in SENTIMENTS]
        if not any_number(numbers):
            nothing(axes, "not labelled")
            return
        bars(axes, [at + shift for at in range(len(SENTIMENTS))], numbers, 0.38, color=tint, label=side)
    axes.set_xticks(range(len(SENTIMENTS)), TICKS)
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.7)
    axes.legend(fontsize=8)
