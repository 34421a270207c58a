"""How well scores tell positives from negatives: AUC, pair-AUC and group accuracy (PRISM, section 4)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from folkmoot.metrics.uncertainty import Estimate
from folkmoot.sim.errors import MetricError, counted
from folkmoot.sim.rng import stream

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """One item with its score; `positive` is the benchmark's truth, `group` what it is sampled and compared in."""

    item: str
    group: str
    positive: bool
    score: float


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Area under the ROC curve: the share of positive-negative pairs in order, ties counted half. Range [0, 1].

    Raises:
        MetricError: one side is empty.

    >>> auc([0.9, 0.4], [0.1, 0.4])
    0.875
    """
    if not positives or not negatives:
        raise MetricError(
            f"AUC of {len(positives)} positives and {len(negatives)} negatives: at least 1 of each is needed"
        )
    return _auc(np.array(positives, np.float64), np.array(negatives, np.float64))


def _auc(positives: Floats, negatives: Floats) -> float:
    low = np.sort(negatives)
    below = np.searchsorted(low, positives, side="left") + np.searchsorted(low, positives, side="right")
    return float(below.mean() / 2 / len(low))


@dataclass(frozen=True, slots=True)
class Separation:
    """What a set of scored groups says of an evaluator.

    Attributes:
        auc: over all items.
        pair_auc: mean over all positive-negative pairs of a group, pooled; ties count half.
        pair_auc_groups: the same, averaged over groups.
        group_accuracy: share of groups whose positive is over every negative, strictly.
        groups: how many are compared.
        items: how many are in them.
        dropped: items and groups that could not be compared, counted by reason.
    """

    auc: Estimate
    pair_auc: Estimate
    pair_auc_groups: Estimate
    group_accuracy: Estimate
    groups: int
    items: int
    dropped: Mapping[str, int]


def separation(scored: Sequence[Scored], *, draws: int = 1000, level: float = 0.95, seed: int = 0) -> Separation:
    """All three, with percentile intervals of a bootstrap over groups (n = groups).

    A group needs one positive and at least one negative; others are dropped and counted, never given a silent 0.5.

    Raises:
        MetricError: no group can be compared.
    """
    groups, dropped = _groups(scored)
    if not groups:
        found = Counter(item.positive for item in scored)
        raise MetricError(
            f"0 groups of one positive and its negatives among {len(scored)} items "
            f"({found[True]} positive, {found[False]} negative; {counted(dropped)}); at least 1 is needed"
        )
    items = sum(len(negatives) + 1 for _, negatives in groups)
    rows = _rows(len(groups), draws, seed)
    aucs = np.array([_auc(*_sides([groups[k] for k in row])) for row in rows])
    interval = _Interval(level, draws, len(groups), items)
    pairs = pair_estimates([_outcomes(positive, negatives) for positive, negatives in groups], rows, interval)
    return Separation(interval.around(_auc(*_sides(groups)), aucs), *pairs, len(groups), items, dropped)


@dataclass(frozen=True, slots=True)
class _Interval:
    level: float
    draws: int
    groups: int
    items: int

    def around(self, value: float, drawn: Floats) -> Estimate:
        low, high = np.quantile(drawn, [(1 - self.level) / 2, (1 + self.level) / 2])
        method = f"bootstrap over groups, percentile, {self.level:.0%}, {self.draws} draws"
        return Estimate(float(value), float(low), float(high), self.groups, self.items, method)


def pair_separation(
    outcomes: Sequence[Sequence[float]], *, draws: int = 1000, level: float = 0.95, seed: int = 0
) -> tuple[Estimate, Estimate, Estimate]:
    """Pooled pair-AUC, its mean over groups, and group accuracy of a judge that only compares.

    Args:
        outcomes: for each group, one value a negative: 1 where the positive won, 0.5 for a tie, 0 where it lost.
        draws: of the bootstrap over groups.
        level: of the intervals.
        seed: of the draws.

    Raises:
        MetricError: no group, or one without a negative.
    """
    if not outcomes or not all(outcomes):
        raise MetricError(f"{len(outcomes)} groups of pairs; at least 1 is needed, and none without a negative")
    items = sum(len(one) + 1 for one in outcomes)
    return pair_estimates(outcomes, _rows(len(outcomes), draws, seed), _Interval(level, draws, len(outcomes), items))


def pair_estimates(
    outcomes: Sequence[Sequence[float]], rows: NDArray[np.int64], interval: _Interval
) -> tuple[Estimate, Estimate, Estimate]:
    """The three of `pair_separation`, resampled by `rows` (draws, groups)."""
    wins, sizes = np.array([sum(one) for one in outcomes]), np.array([float(len(one)) for one in outcomes])
    best = np.array([float(all(won == 1 for won in one)) for one in outcomes])
    return (
        interval.around(wins.sum() / sizes.sum(), wins[rows].sum(1) / sizes[rows].sum(1)),
        interval.around((wins / sizes).mean(), (wins / sizes)[rows].mean(1)),
        interval.around(best.mean(), best[rows].mean(1)),
    )


def _rows(groups: int, draws: int, seed: int) -> NDArray[np.int64]:
    return stream(seed, "separation").integers(0, groups, (draws, groups))


def _groups(scored: Sequence[Scored]) -> tuple[list[tuple[float, Floats]], Counter[str]]:
    found: dict[str, list[Scored]] = {}
    dropped: Counter[str] = Counter()
    seen: set[str] = set()
    for item in scored:
        if item.item in seen:
            dropped["duplicate items"] += 1
            continue
        seen.add(item.item)
        found.setdefault(item.group, []).append(item)
    groups = []
    for items in found.values():
        positives = [item.score for item in items if item.positive]
        negatives = [item.score for item in items if not item.positive]
        if len(positives) != 1 or not negatives:
            dropped[_why(len(positives))] += 1
            continue
        groups.append((positives[0], np.array(negatives, np.float64)))
    return groups, dropped


def _why(positives: int) -> str:
    if positives == 0:
        return "groups without a positive"
    return "groups without a negative" if positives == 1 else "groups with several positives"


def _outcomes(positive: float, negatives: Floats) -> list[float]:
    return [float(positive > negative) + float(positive == negative) / 2 for negative in negatives]


def _sides(groups: Sequence[tuple[float, Floats]]) -> tuple[Floats, Floats]:
    return np.array([positive for positive, _ in groups]), np.concatenate([negatives for _, negatives in groups])
