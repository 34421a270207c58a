"""Scores against the length of the author's profile, with the share of comments (Wiki-Talkie, figures 20 to 23)."""

import math
from typing import TYPE_CHECKING

from folkmoot.metrics.next_turn.drawn import Key
from folkmoot.metrics.next_turn.figure_parts import (
    LINES,
    any_number,
    caption,
    figure,
    legend,
    missing,
    model_name,
    nothing,
)
from folkmoot.metrics.next_turn.study import STRATA, STRATUM_SCORES, Stratum, Study
from folkmoot.metrics.shown import shown
from folkmoot.metrics.table import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CONDITION = "profile"
"""The condition whose information grows with the profile."""
NAMES = {"rouge": "ROUGE-L", "rbert": "rBERT", "acts_js": "acts JS distance", "sentiment_js": "sentiment JS distance"}


def profile_length(study: Study) -> "Figure | None":
    """A row a score, a column a community; a line a model, and the share of comments on the second axis."""
    if CONDITION not in study.conditions:
        return None
    scores = [score for score in STRATUM_SCORES if _known(study, score)]
    if not scores:
        return None
    made = figure(1.5 + 2.3 * len(study.communities), 0.9 + 1.75 * len(scores))
    panels = made.subplots(len(scores), len(study.communities), squeeze=False, sharex=True, sharey="row")
    for number, (row, score) in enumerate(zip(panels, scores, strict=True)):
        for axes, community in zip(row, study.communities, strict=True):
            _panel(axes, study, community, score, last=community == study.communities[-1])
            axes.set_title(shown(community, 24) if number == 0 else "")
        row[0].set_ylabel(NAMES[score], fontsize=8.5)
    for axes in panels[-1]:
        axes.set_xticks(range(len(STRATA)), [f"{low}\u2013{high}" for low, high in STRATA], rotation=45, fontsize=7.5)
        axes.set_xlim(-0.4, len(STRATA) - 0.6)
    legend(made, panels[0][0])
    least = study.settings.least
    caption(made, f"Condition {CONDITION} by words of the author's profile; buckets under {least} comments left out.")
    return made


def _known(study: Study, score: str) -> bool:
    return any_number(number for stratum in study.strata for number in _numbers(study, stratum, score))


def _numbers(study: Study, stratum: Stratum, score: str) -> list[Number | None]:
    return [stratum.drawn.number(key, score) for key in study.keys(CONDITION)]


def _panel(axes: "Axes", study: Study, community: str, score: str, *, last: bool) -> None:
    places = {stratum.words: STRATA.index(stratum.words) for stratum in study.strata}
    for number, model in enumerate(study.models):
        _line(axes, study, Key(community, model, CONDITION), score, places, LINES[number % len(LINES)])
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.7)
    if not any_number(s.drawn.number(key, score) for s in study.strata for key in study.keys(CONDITION, community)):
        nothing(axes, missing(study, study.keys(CONDITION, community)))
        return
    _shares(axes, study, study.keys(CONDITION, community)[0], places, last=last)


def _line(axes: "Axes", study: Study, key: Key, score: str, places: dict[tuple[int, int], int], tint: str) -> None:
    found = [(places[s.words], s.drawn.number(key, score)) for s in study.strata]
    known = [(at, number) for at, number in found if number is not None and not math.isnan(number.value)]
    label = model_name(key.model)
    if not known:
        axes.plot([], [], color=tint, marker="o", label=label)
        return
    values = [number.value for _, number in known]
    low = [max(0.0, number.value - number.low) for _, number in known]
    high = [max(0.0, number.high - number.value) for _, number in known]
    where = [at for at, _ in known]
    axes.errorbar(
        where, values, [low, high], color=tint, marker="o", markersize=3.5, linewidth=1.4, capsize=2, label=label
    )


def _shares(axes: "Axes", study: Study, key: Key, places: dict[tuple[int, int], int], *, last: bool) -> None:
    """Share of comments in each bucket, as light bars on the right axis."""
    from matplotlib.ticker import PercentFormatter

    right = axes.twinx()
    right.bar([places[s.words] for s in study.strata], [s.share[key] for s in study.strata], 0.7, color="#e4e4e4")
    right.set_ylim(0, 1.05)
    right.set_zorder(axes.get_zorder() - 1)
    axes.patch.set_visible(False)
    right.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    right.tick_params(axis="y", labelsize=7, colors="#888888", labelright=last)
    right.spines["right"].set_visible(last)
    right.spines["right"].set_color("#bbbbbb")
    if last:
        right.set_ylabel("share of comments", fontsize=7.5, color="#888888")
