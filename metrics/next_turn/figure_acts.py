"""Differences of act proportions as diverging bars (Wiki-Talkie, figure 4), and by the author's gender (figure 18)."""

from typing import TYPE_CHECKING

from folkmoot.metrics.annotators.base import ACTS
from folkmoot.metrics.next_turn.figure_parts import (
    any_number,
    bars,
    caption,
    colour,
    figure,
    grid,
    legend,
    missing,
    model_name,
    nothing,
    whiskers,
)
from folkmoot.metrics.next_turn.study import GENDERS, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GENDER_COLOURS = {"man": "#0072B2", "woman": "#CC79A7"}
_SIDES = "\u2190 agents over-produce    humans over-produce \u2192"


def deltas(study: Study) -> "Figure | None":
    """A panel a model: acts from above, a bar a condition, mean over communities."""
    if not any_number(study.drawn.average(study.keys(c), f"delta.{ACTS[0]}") for c in study.conditions):
        return None
    made = figure(2.4 + 4.4 * len(study.models), 1.2 + 0.85 * len(ACTS) * max(4, len(study.conditions)) / 7)
    panels = made.subplots(1, len(study.models), squeeze=False, sharey=True, sharex=True)[0]
    for axes, model in zip(panels, study.models, strict=True):
        width = 0.84 / len(study.conditions)
        for place, condition in enumerate(study.conditions):
            where = [act + (place - (len(study.conditions) - 1) / 2) * width for act in range(len(ACTS))]
            keys = study.keys(condition, model=model)
            numbers = [study.drawn.average(keys, f"delta.{act}") for act in ACTS]
            bars(axes, where, numbers, width * 0.92, flat=True, color=colour(condition), label=condition)
        _frame(axes, model_name(model))
    panels[0].set_yticks(range(len(ACTS)), [act.capitalize() for act in ACTS])
    panels[0].set_ylim(len(ACTS) - 0.4, -0.6)
    legend(made, panels[0])
    caption(made, f"Human - agent proportion of each act, mean over communities. {whiskers(study)}.")
    return made


def _frame(axes: "Axes", title: str) -> None:
    axes.set_title(title)
    axes.set_xlabel(_SIDES, fontsize=8)
    axes.tick_params(axis="y", length=0)
    grid(axes, "x")


def by_gender(study: Study) -> "Figure | None":
    """A column a condition, a row a model: acts from above, a bar a gender, mean over communities."""
    found = {
        (model, condition, gender): [
            study.by_gender[gender].average(study.keys(condition, model=model), f"delta.{act}") for act in ACTS
        ]
        for model in study.models
        for condition in study.conditions
        for gender in GENDERS
    }
    if not any(any_number(numbers) for numbers in found.values()):
        return None
    made = figure(1.2 + 2.1 * len(study.conditions), 0.9 + 3.1 * len(study.models))
    panels = made.subplots(len(study.models), len(study.conditions), squeeze=False, sharex=True, sharey=True)
    for line, (row, model) in enumerate(zip(panels, study.models, strict=True)):
        for axes, condition in zip(row, study.conditions, strict=True):
            for place, gender in enumerate(GENDERS):
                where = [act + (place - 0.5) * 0.4 for act in range(len(ACTS))]
                how = {"color": _GENDER_COLOURS[gender], "label": {"man": "men", "woman": "women"}[gender]}
                bars(axes, where, found[model, condition, gender], 0.36, flat=True, **how)
            grid(axes, "x")
            if not any_number(n for gender in GENDERS for n in found[model, condition, gender]):
                nothing(axes, missing(study, study.keys(condition, model=model)))
            axes.set_title(condition if line == 0 else "")
        row[0].set_ylabel(model_name(model))
    panels[0][0].set_yticks(range(len(ACTS)), [act.capitalize() for act in ACTS])
    panels[0][0].set_ylim(len(ACTS) - 0.4, -0.6)
    legend(made, panels[0][0])
    caption(made, f"Human - agent proportion of each act by the author's gender. {whiskers(study)}.")
    return made
