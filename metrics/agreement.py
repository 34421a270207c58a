"""Agreement of annotators (Krippendorff's alpha) and of scores with their labels."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from folkmoot.sim.errors import MetricError

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Floats = NDArray[np.float64]


def krippendorff_alpha(ratings: ArrayLike, level: Level = "ordinal") -> float:
    """Krippendorff's alpha: 1 - observed / expected disagreement. At most 1; 0 is chance; may be negative.

    Args:
        ratings: shape (coders, units), numbers; NaN where a coder didn't rate a unit.
        level: of measurement; sets the distance of two values (Krippendorff 2011, section C).

    Raises:
        MetricError: no unit has two ratings, or all ratings are the same value (alpha is undefined then).

    >>> krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, 4]], "nominal")
    0.6956...
    """
    table = np.asarray(ratings, np.float64)
    if table.ndim != 2:  # noqa: PLR2004 -- coders and units
        raise MetricError(f"ratings of shape {table.shape}: (coders, units) is needed")
    rated = table[:, (~np.isnan(table)).sum(0) > 1]
    values = np.unique(rated[~np.isnan(rated)])
    if len(values) < 2:  # noqa: PLR2004 -- disagreement needs two values
        raise MetricError(
            f"alpha of {rated.shape[1]} units with two ratings and {len(values)} different values: "
            "at least 2 values are needed, else agreement by chance can't be told from agreement"
        )
    coincidences = _coincidences(rated, values)
    totals = coincidences.sum(1)
    distances = _distances(values, totals, level)
    whole = totals.sum()
    observed = (coincidences * distances).sum()
    expected = (np.outer(totals, totals) * distances).sum() / (whole - 1)
    return float(1 - observed / expected)


def _coincidences(table: Floats, values: Floats) -> Floats:
    """How often two ratings of one unit are values v and w, each unit weighted by 1 / (its ratings - 1)."""
    counts = (table[None] == values[:, None, None]).sum(1).astype(np.float64)
    weights = 1 / (counts.sum(0) - 1)
    found: Floats = (counts * weights) @ counts.T
    found[np.diag_indices(len(values))] -= (counts * weights).sum(1)
    return found


def _distances(values: Floats, totals: Floats, level: Level) -> Floats:
    first, second = values[:, None], values[None]
    if level == "nominal":
        return np.asarray(first != second, np.float64)
    if level == "interval":
        return np.asarray((first - second) ** 2)
    if level == "ratio":
        whole = first + second
        return np.asarray((np.divide(first - second, whole, out=np.zeros_like(whole), where=whole != 0)) ** 2)
    ranks = np.cumsum(totals) - totals / 2
    return np.asarray((ranks[:, None] - ranks[None]) ** 2)


def macro_f1(truth: Sequence[Sequence[bool]], predicted: Sequence[Sequence[bool]]) -> float:
    """Mean over columns of the F1 of "violated". Range [0, 1]; a column without any violation on either side counts 0.

    Args:
        truth: shape (items, columns).
        predicted: the same shape.

    Raises:
        MetricError: no items.
    """
    if not truth:
        raise MetricError("macro-F1 of 0 items; at least 1 is needed")
    real, said = np.asarray(truth, bool), np.asarray(predicted, bool)
    both = (real & said).sum(0)
    whole = real.sum(0) + said.sum(0)
    return float(np.mean(np.divide(2 * both, whole, out=np.zeros(len(whole)), where=whole > 0)))


def top_k(violated: Sequence[set[str]], ranked: Sequence[Sequence[str]], k: int) -> float:
    """Share of items with a violation for which one of the k lowest-scored dimensions is violated. Range [0, 1].

    With k = 1 it is PRISM's Top-1 accuracy, with k = 2 its Top-2 recall (appendix D.2).

    Raises:
        MetricError: no item has a violation.

    >>> top_k([{"linguistic_style"}, set()], [("task_framing", "linguistic_style")] * 2, 2)
    1.0
    """
    hits = [bool(wrong & set(order[:k])) for wrong, order in zip(violated, ranked, strict=True) if wrong]
    if not hits:
        raise MetricError(f"top-{k} over {len(violated)} items, 0 of them with a violation; at least 1 is needed")
    return sum(hits) / len(hits)


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's rank correlation, ties at their mean rank. Range [-1, 1]; 0 is no relation.

    Args:
        first: shape (items,).
        second: the same shape.

    Raises:
        MetricError: one side has a single value only.

    >>> rank_correlation([1, 2, 3, 4], [10, 20, 20, 30])
    0.9486...
    """
    found = float(rank_correlations(first, second))
    if np.isnan(found):
        raise MetricError(
            f"rank correlation of {np.size(first)} items: at least 2 different values on each side are needed"
        )
    return found


def rank_correlations(first: ArrayLike, second: ArrayLike) -> Floats:
    """Spearman's rank correlations of many samples at once, ties at their mean rank; NaN where a side has one value.

    Args:
        first: shape (..., items).
        second: the same shape.

    Returns:
        shape (...).
    """
    from scipy.stats import rankdata

    ranks = [rankdata(np.asarray(side, np.float64), axis=-1) for side in (first, second)]
    one, other = (side - side.mean(-1, keepdims=True) for side in ranks)
    spread = np.sqrt((one**2).sum(-1) * (other**2).sum(-1))
    found = np.divide((one * other).sum(-1), spread, out=np.full_like(spread, np.nan), where=spread > 0)
    return np.asarray(found.clip(-1, 1))


def majority(labels: Sequence[str]) -> str | None:
    """The label that more than half give; None without one."""
    counts: Mapping[str, int] = {label: labels.count(label) for label in labels}
    return next((label for label, n in counts.items() if 2 * n > len(labels)), None)
