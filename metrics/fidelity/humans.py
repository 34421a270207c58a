"""What a human study says: how far annotators agree, what they think of the benchmark, how a method's scores fit.

A dimension of a response is violated where more than half of those who answered chose C (PRISM, appendix D.2).
Intervals come from a bootstrap over groups.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from folkmoot.metrics.agreement import krippendorff_alpha, macro_f1, rank_correlation, top_k
from folkmoot.metrics.fidelity.methods import Line
from folkmoot.metrics.fidelity.separation import Scored, Separation, separation
from folkmoot.metrics.fidelity.sheets import FIDELITY, Answers
from folkmoot.metrics.fidelity.study import Shown
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.metrics.uncertainty import Estimate
from folkmoot.sim.errors import MetricError
from folkmoot.sim.rng import stream

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

ALL = "all"
"""The benchmarks of a study together."""

OPPOSITE = 2
"""The label that is a violation."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some responses of a study, seen together.

    Attributes:
        benchmark: their benchmark's name, or `ALL`.
        answers: of the study.
        places: theirs, in the key's order.
    """

    benchmark: str
    answers: Answers
    places: Places

    @property
    def shown(self) -> list[Shown]:
        """The responses."""
        every = list(self.answers.key.shown.values())
        return [every[place] for place in self.places]

    def ratings(self) -> Floats:
        """Mean rating of each response; NaN where nobody rated it."""
        return _means(self.answers.ratings[:, self.places])

    def labels(self, dimension: str) -> Floats:
        """Labels chosen, shape (annotators, responses)."""
        return self.answers.labels[dimension][:, self.places]


def parts(answers: Answers) -> list[Part]:
    """The study by benchmark, and all of it where it has several."""
    names = [shown.benchmark for shown in answers.key.shown.values()]
    found = [Part(name, answers, np.flatnonzero(np.array(names) == name)) for name in sorted(set(names))]
    return found if len(found) == 1 else [*found, Part(ALL, answers, np.arange(len(names)))]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made: draws over groups, by a seed."""

    draws: int = 1000
    seed: int = 0

    def estimate(self, part: Part, places: Places, measure: Callable[[Places], float]) -> Estimate | None:
        """A number of the responses at these places of the part; None where it isn't defined.

        Draws for which it isn't defined are left out, and said.
        """
        groups = [(part.shown[place].benchmark, part.shown[place].group) for place in places]
        units = [places[[other == group for other in groups]] for group in dict.fromkeys(groups)]
        value = _defined(measure, places)
        if math.isnan(value):
            return None
        picks = stream(self.seed, "humans", part.benchmark).integers(0, len(units), (self.draws, len(units)))
        drawn = np.array([_defined(measure, np.concatenate([units[k] for k in row])) for row in picks])
        kept = drawn[~np.isnan(drawn)]
        low, high = np.quantile(kept, [0.025, 0.975]) if len(kept) else (math.nan, math.nan)
        method = f"bootstrap over groups, percentile, 95 %, {len(kept)} of {self.draws} draws"
        return Estimate(value, float(min(low, value)), float(max(high, value)), len(units), len(places), method)


def _defined(measure: Callable[[Places], float], places: Places) -> float:
    try:
        return measure(places)
    except MetricError:
        return math.nan


def agreement(part: Part, question: str, how: Bootstrap) -> Estimate | None:
    """Krippendorff's alpha (ordinal) of the annotators; None where it isn't defined.

    Args:
        part: of the study.
        question: `fidelity`, a dimension, or `ALL` for the three dimensions pooled.
        how: intervals are made.
    """
    if question == FIDELITY:
        tables = [part.answers.ratings[:, part.places]]
    else:
        tables = [part.labels(d) for d in (DIMENSIONS if question == ALL else (question,))]
    places = np.arange(len(part.places))
    return how.estimate(part, places, lambda at: krippendorff_alpha(np.hstack([table[:, at] for table in tables])))


def told_apart(part: Part, how: Bootstrap) -> Separation | None:
    """How well the annotators' mean rating tells positives from negatives; None where nothing can be compared."""
    rated = [
        Scored(f"{one.benchmark} {one.item}", f"{one.benchmark} {one.group}", one.positive, float(rating))
        for one, rating in zip(part.shown, part.ratings(), strict=True)
        if not math.isnan(rating)
    ]
    try:
        return separation(rated, draws=how.draws, seed=how.seed)
    except MetricError:
        return None


def violations(part: Part) -> NDArray[np.bool_]:
    """Which dimensions most annotators see violated; shape (responses, dimensions)."""
    tables = [part.labels(d) for d in DIMENSIONS]
    return np.stack([2 * (t == OPPOSITE).sum(0) > (~np.isnan(t)).sum(0) for t in tables], axis=1)


def undecided(part: Part) -> int:
    """Dimensions of responses for which no label has a majority; they count as not violated."""
    tables = [part.labels(d) for d in DIMENSIONS]
    most = [np.max([(t == label).sum(0) for label in range(3)], axis=0) for t in tables]
    return int(sum((2 * m <= (~np.isnan(t)).sum(0)).sum() for m, t in zip(most, tables, strict=True)))


@dataclass(frozen=True, slots=True)
class Fit:
    """How a method's scores fit the annotators'; None where a number isn't defined.

    Attributes:
        rank: Spearman's correlation of score and mean rating.
        top1, top2: share of responses with a violation whose lowest dimension (one of whose two lowest) is violated.
        chance1, chance2: what a random order of the dimensions gets.
        f1: macro-F1 of violations, the method's being dimensions whose most probable label is C.
        missing: responses of the study that the method has no score for.
    """

    rank: Estimate | None
    top1: Estimate | None = None
    top2: Estimate | None = None
    chance1: float = math.nan
    chance2: float = math.nan
    f1: Estimate | None = None
    missing: int = 0


def fit(part: Part, lines: Mapping[tuple[str, str], Line], how: Bootstrap) -> Fit:
    """A method's fit.

    Args:
        part: of the study.
        lines: (benchmark, item) -> the method's line.
        how: intervals are made.
    """
    found = [lines.get((one.benchmark, one.item)) for one in part.shown]
    scores = np.array([math.nan if one is None or one.score is None else one.score for one in found])
    ratings = part.ratings()
    both = np.flatnonzero(~np.isnan(scores) & ~np.isnan(ratings))
    rank = how.estimate(part, both, lambda at: rank_correlation(scores[at], ratings[at])) if len(both) else None
    missing = int(np.isnan(scores).sum())
    known = np.flatnonzero([one is not None and bool(one.q) for one in found])
    if not len(known):
        return Fit(rank, missing=missing)
    violated = violations(part)
    wrong = [{d for d, is_wrong in zip(DIMENSIONS, row, strict=True) if is_wrong} for row in violated]
    ranked = [_ranked(one) for one in found]
    said = np.array([_said(one) for one in found])
    return Fit(
        rank,
        how.estimate(part, known, lambda at: top_k([wrong[k] for k in at], [ranked[k] for k in at], 1)),
        how.estimate(part, known, lambda at: top_k([wrong[k] for k in at], [ranked[k] for k in at], 2)),
        *_chances([len(wrong[k]) for k in known]),
        how.estimate(part, known, lambda at: macro_f1(violated[at].tolist(), said[at].tolist())),
        missing,
    )


def _ranked(line: Line | None) -> Sequence[str]:
    return () if line is None else sorted(line.q, key=lambda d: line.q[d][0])


def _said(line: Line | None) -> list[bool]:
    return [line is not None and d in line.q and line.q[d][OPPOSITE] > max(line.q[d][:OPPOSITE]) for d in DIMENSIONS]


def _chances(wrong: Sequence[int]) -> tuple[float, float]:
    """Top-1 and Top-2 of a random order: of three dimensions, n are violated."""
    known = [n for n in wrong if n]
    if not known:
        return math.nan, math.nan
    return math.fsum(n / 3 for n in known) / len(known), math.fsum(1 if n > 1 else 2 / 3 for n in known) / len(known)


def _means(table: Floats) -> Floats:
    counts = (~np.isnan(table)).sum(0)
    return np.where(counts > 0, np.nansum(table, axis=0) / np.maximum(counts, 1), math.nan)
