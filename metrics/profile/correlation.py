"""Spearman's rank correlation with its significance and an interval over users."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from folkmoot.metrics.agreement import rank_correlations
from folkmoot.sim.rng import stream

LEAST = 4
"""Below so many pairs there is no correlation to speak of."""


class Correlation(NamedTuple):
    """A rank correlation: value in [-1, 1], bounds, p (two-sided), number of pairs. NaN where it isn't defined."""

    rho: float
    low: float
    high: float
    p: float
    n: int


def spearman(x: Sequence[float], y: Sequence[float], *, draws: int = 1000, seed: int = 0) -> Correlation:
    """Spearman's rho of two series; pairs with a NaN are left out.

    The interval holds the middle 95 % of rho over resamples of the pairs; resamples without spread are left out.

    >>> found = spearman([1, 2, 3, 4, 5], [1, 3, 2, 4, 5])
    >>> round(found.rho, 2), found.n
    (0.9, 5)
    """
    table = np.array([(a, b) for a, b in zip(x, y, strict=True) if not (math.isnan(a) or math.isnan(b))], np.float64)
    n = len(table)
    rho = float(rank_correlations(*table.T)) if n >= LEAST else math.nan
    if math.isnan(rho):
        return Correlation(math.nan, math.nan, math.nan, math.nan, n)
    drawn = _resampled(table, draws, seed)
    low, high = np.quantile(drawn, [0.025, 0.975]) if len(drawn) else (math.nan, math.nan)
    return Correlation(rho, min(float(low), rho), max(float(high), rho), _significance(rho, n), n)


def _significance(rho: float, n: int) -> float:
    """Two-sided p of a rank correlation by Student's t with n - 2 degrees of freedom."""
    from scipy.special import stdtr

    if abs(rho) >= 1:
        return 0.0
    return float(2 * stdtr(n - 2, -abs(rho) * math.sqrt((n - 2) / ((1 - rho) * (1 + rho)))))


def _resampled(table: NDArray[np.float64], draws: int, seed: int) -> NDArray[np.float64]:
    picks = stream(seed, "spearman", len(table)).integers(0, len(table), (draws, len(table)))
    found = rank_correlations(table[picks, 0], table[picks, 1])
    return np.asarray(found[~np.isnan(found)])


def stars(p: float) -> str:
    """Marks of significance.

    >>> stars(0.03), stars(0.003), stars(0.0003), stars(0.3)
    ('*', '**', '***', '')
    """
    return "*" * sum(p < bound for bound in (0.05, 0.01, 0.001))
