"""Grouped bars by condition: text similarity (Wiki-Talkie, figure 2), divergence of acts and sentiment (figure 3)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from folkmoot.metrics.next_turn.figure_parts import (
    any_number,
    bars,
    caption,
    colour,
    figure,
    grid,
    legend,
    model_name,
    whiskers,
)
from folkmoot.metrics.next_turn.study import Study
from folkmoot.metrics.shown import shown
from folkmoot.metrics.table import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = {
    "rouge": "ROUGE-L",
    "rbert": "rescaled BERTScore",
    "acts_js": "acts: JS distance",
    "sentiment_wd": "sentiment: Wasserstein-1",
}
"""Score -> name at its axis."""

Find = Callable[[str, str], Number | None]
"""(condition, group) -> number."""


def similarity(study: Study) -> "Figure | None":
    """ROUGE-L and rescaled BERTScore."""
    return _grouped(study, ["rouge", "rbert"], "Higher is nearer to people.")


def divergence(study: Study) -> "Figure | None":
    """Acts and sentiment."""
    return _grouped(study, ["acts_js", "sentiment_wd"], "Lower is nearer to people.")


def _grouped(study: Study, scores: Sequence[str], how: str) -> "Figure | None":
    """A row a score; left by community (mean over models), right by model (mean over communities) if there are some."""
    known = [s for s in scores if any_number(study.drawn.average(study.keys(c), s) for c in study.conditions)]
    if not known:
        return None
    both = len(study.models) > 1
    made = figure(4.6 + 0.9 * len(study.communities) + (3.2 if both else 0), 2.5 * len(known) + 0.5)
    panels = made.subplots(len(known), 1 + both, squeeze=False, sharey="row")
    for row, score in zip(panels, known, strict=True):
        _panel(row[0], study, study.communities, _by_community(study, score))
        row[0].set_ylabel(NAMES[score])
        if both:
            _panel(row[1], study, study.models, _by_model(study, score))
    panels[0][0].set_title("by community" + (", mean over models" if both else ""))
    if both:
        panels[0][1].set_title("by model, mean over communities")
    legend(made, panels[0][0])
    caption(made, f"{how} {whiskers(study)}.")
    return made


def _by_community(study: Study, score: str) -> Find:
    return lambda condition, community: study.drawn.average(study.keys(condition, community), score)


def _by_model(study: Study, score: str) -> Find:
    return lambda condition, model: study.drawn.average(study.keys(condition, model=model), score)


def _panel(axes: "Axes", study: Study, groups: Sequence[str], find: Find) -> None:
    width = 0.84 / len(study.conditions)
    for place, condition in enumerate(study.conditions):
        where = [group + (place - (len(study.conditions) - 1) / 2) * width for group in range(len(groups))]
        numbers = [find(condition, group) for group in groups]
        bars(axes, where, numbers, width * 0.92, color=colour(condition), label=condition)
    grid(axes, "y")
    axes.set_xticks(range(len(groups)), [shown(model_name(group), 22) for group in groups])
    axes.set_xlim(-0.6, len(groups) - 0.4)
