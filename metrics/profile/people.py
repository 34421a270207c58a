"""People beside the judges of dialogues: a stratified sample, agreement of people, correlation with each judge."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from folkmoot.metrics.agreement import krippendorff_alpha
from folkmoot.metrics.profile.correlation import Correlation, spearman
from folkmoot.metrics.profile.judging import DIMENSIONS
from folkmoot.sim.errors import MetricError
from folkmoot.sim.rng import digest

TIERS = (2.5, 3.5)
"""Avg up to the first is low, up to the second medium, above it high."""


class Answered(NamedTuple):
    """An answer that may be drawn.

    Attributes:
        key: names it for good.
        context, intent: strata.
        avg: of the judge whose points make the tiers.
    """

    key: str
    context: str
    intent: str
    avg: float

    @property
    def tier(self) -> int:
        """0 low, 1 medium, 2 high."""
        return sum(self.avg > bound for bound in TIERS)


def stratified(answers: Sequence[Answered], count: int, seed: int) -> list[Answered]:
    """So many answers, as evenly as may be over tiers, then contexts, then intents.

    One after the other is drawn from the stratum that has the fewest so far, of those that have any left.
    """
    left = sorted(answers, key=lambda one: digest(seed, "sample", one.key))
    drawn: list[Answered] = []
    while left and len(drawn) < count:
        chosen = min(range(len(left)), key=lambda k: (_crowd(drawn, left[k]), k))
        drawn.append(left.pop(chosen))
    return sorted(drawn, key=lambda one: digest(seed, "order", one.key))


def _crowd(drawn: Sequence[Answered], one: Answered) -> tuple[int, int, int]:
    return (
        sum(other.tier == one.tier for other in drawn),
        sum(other.context == one.context for other in drawn),
        sum(other.intent == one.intent for other in drawn),
    )


class Agreement(NamedTuple):
    """Of one dimension: people with one another (alpha, ordinal; NaN: undefined), and their mean with each judge."""

    dimension: str
    alpha: float
    judges: Mapping[str, Correlation]
    answers: int
    people: int

    def line(self) -> str:
        """In words."""
        told = "; ".join(
            f"{name} rho {c.rho:.2f} [{c.low:.2f}, {c.high:.2f}], p = {c.p:.3g}, n = {c.n}"
            for name, c in self.judges.items()
        )
        alpha = "not defined" if math.isnan(self.alpha) else f"{self.alpha:.2f}"
        return f"{self.dimension}: alpha {alpha} ({self.people} people, {self.answers} answers); {told}"


def agreements(
    sheets: Sequence[Mapping[str, Sequence[float]]],
    judges: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    draws: int = 1000,
    seed: int = 0,
) -> list[Agreement]:
    """Agreement by dimension.

    Args:
        sheets: of each person, key of an answer -> points in the order of `DIMENSIONS`; NaN where none were given.
        judges: of each judge, the same.
        draws: of the intervals, over answers.
        seed: of the draws.

    Raises:
        MetricError: no sheets.
    """
    if not sheets:
        raise MetricError("0 filled sheets; at least 1 is needed")
    keys = list(dict.fromkeys(key for sheet in sheets for key in sheet))
    found = []
    for place, dimension in enumerate(DIMENSIONS):
        ratings = [[sheet[key][place] if key in sheet else math.nan for key in keys] for sheet in sheets]
        means = [_mean([person[k] for person in ratings]) for k in range(len(keys))]
        fits = {
            name: spearman(means, [own[key][place] if key in own else math.nan for key in keys], draws=draws, seed=seed)
            for name, own in judges.items()
        }
        rated = sum(not math.isnan(mean) for mean in means)
        found.append(Agreement(dimension, _alpha(ratings), fits, rated, len(sheets)))
    return found


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def _alpha(ratings: Sequence[Sequence[float]]) -> float:
    try:
        return krippendorff_alpha(ratings, "ordinal")
    except MetricError:
        return math.nan  # one person, or one value only
