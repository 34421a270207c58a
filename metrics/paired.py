"""Cells and methods over the same targets: draws, tests and effect sizes that keep pairs together.

Where a comment is generated for each target, the real and all the generated comments stand in the same sampled units
(threads, or users). So one draw of units serves all of them, and two methods are compared by their differences.
Units are rows of sums, as in `folkmoot.metrics.uncertainty`; row i is the same unit on every side.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from folkmoot.metrics.divergence import js_of_shares, shares, wasserstein_of_shares
from folkmoot.metrics.significance import holm
from folkmoot.metrics.tensors import Array, as_tensor
from folkmoot.metrics.uncertainty import Estimate, Resampler, Statistic, estimates, intervals
from folkmoot.sim.errors import MetricError
from folkmoot.sim.rng import stream

Score = Callable[[Tensor], Tensor]
"""Sums of a method (..., width) -> its score (...)."""

_REMEMBERED = 4  # weight matrices
_COUNTED = 150_000  # picks counted at once
_EXACT = 2**24  # whole numbers up to here are exact in single precision
_CHUNK = 4_000_000  # flips at once: 32 MB


# --- rows ----------------------------------------------------------------------------------------


def unit_sums(values: Array, units: Sequence[Hashable]) -> Tensor:
    """Sums by unit, units in the order of their first item. Shapes (items, width), (items,) -> (units, width).

    Raises:
        MetricError: not one unit for each item, or no item.

    >>> unit_sums([[1, 1], [2, 1], [5, 1]], ["a", "b", "a"]).tolist()
    [[6.0, 2.0], [2.0, 1.0]]
    """
    tensor = as_tensor(values)
    if tensor.ndim != 2 or len(tensor) != len(units) or not len(units):  # noqa: PLR2004 -- items x width
        raise MetricError(
            f"values of shape {tuple(tensor.shape)} for {len(units)} units; (items, width), 1 item or more"
        )
    places = {unit: place for place, unit in enumerate(dict.fromkeys(units))}
    where = torch.tensor([places[unit] for unit in units], device=tensor.device)
    return tensor.new_zeros(len(places), tensor.shape[1]).index_add_(0, where, tensor)


def mean_score(sums: Tensor) -> Tensor:
    """Mean of items from rows of [sum of values, number of items]. Shape (..., 2) -> (...)."""
    return sums[..., 0] / sums[..., 1]


def js_score(sums: Tensor) -> Tensor:
    """JS distance (base 2) from rows of [real label counts, simulated label counts]. Shape (..., 2 k) -> (...)."""
    real, simulated = sums.chunk(2, -1)
    return js_of_shares(shares(real), shares(simulated)).sqrt()


def wasserstein_score(sums: Tensor) -> Tensor:
    """Wasserstein-1 on the points 1..k from rows of [real counts, simulated counts]. Shape (..., 2 k) -> (...)."""
    real, simulated = sums.chunk(2, -1)
    points = torch.arange(1.0, real.shape[-1] + 1, dtype=sums.dtype, device=sums.device)
    return wasserstein_of_shares(shares(real), shares(simulated), points)


# --- intervals -----------------------------------------------------------------------------------


def paired_cluster_bootstrap(
    real: Array, simulated: Array, statistic: Statistic, resampler: Resampler, n_items: int
) -> dict[str, Estimate]:
    """As `cluster_bootstrap`, but each draw takes the same units on both sides.

    Args:
        real: sums by unit, shape (units, width).
        simulated: sums of the same units, shape (units, width).
        statistic: named numbers of the two sides' sums.
        resampler: seed, draws, level and method.
        n_items: simulated items, for the record.

    Raises:
        MetricError: unequal or no units.
    """
    sides = _aligned(real, simulated, resampler.device)
    weights = pair_weights(resampler, len(sides[0]))
    return estimates(statistic(*(_product(weights, side) for side in sides)), resampler, len(sides[0]), n_items)


def bootstrap_cells(cells: Array, scores: Mapping[str, Score], resampler: Resampler) -> dict[str, "CellEstimates"]:
    """Intervals of several scores of many cells over the same units, in one pass; as `draw_cells`, shapes (cells,)."""
    found = {}
    for name, drawn in draw_cells(cells, scores, resampler).items():
        bounds = intervals(drawn[1:], drawn[0], resampler.level, resampler.method)
        found[name] = CellEstimates(drawn[0], *bounds, np.shape(cells)[1], resampler.label)
    return found


def draw_cells(cells: Array, scores: Mapping[str, Score], resampler: Resampler, of: str = "") -> dict[str, Tensor]:
    """Several scores of many cells over the same units under every draw, in one pass.

    Args:
        cells: sums, shape (cells, units, width).
        scores: name -> score of rows of sums.
        resampler: seed and draws.
        of: whose units they are; draws of other names are independent.

    Returns:
        name -> values of shape (1 + draws, cells), the data as they are in row 0.

    Raises:
        MetricError: not three dimensions, or one of them is empty.
    """
    tensor = as_tensor(cells, resampler.device)
    if tensor.ndim != 3 or not tensor.numel():  # noqa: PLR2004 -- cells x units x width
        raise MetricError(f"cells of shape {tuple(tensor.shape)}; (cells, units, width), none of them 0")
    count, units, width = tensor.shape
    weights = pair_weights(resampler, units, of)
    sums = _product(weights, tensor.transpose(0, 1).reshape(units, -1)).view(-1, count, width)
    return {name: score(sums) for name, score in scores.items()}


def pair_weights(resampler: Resampler, n: int, of: str = "") -> Tensor:
    """How often each of n units is drawn, all once in row 0: shape (1 + draws, n), single precision.

    Multinomial(n, 1/n), a function of (seed, draws, n, of); kept in the resampler's memory.
    """
    key = (resampler.seed, resampler.draws, resampler.device, n, "pairs", of)
    if key not in resampler.memory:
        if len(resampler.memory) >= _REMEMBERED:
            resampler.memory.pop(next(iter(resampler.memory)))
        resampler.memory[key] = torch.from_numpy(_counted(resampler, n, of)).to(resampler.device)
    return resampler.memory[key]


def _counted(resampler: Resampler, n: int, of: str) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Picks counted some rows at a time, each row with numbers of its own, so that they stay in a core's cache."""
    rng = stream(resampler.seed, "bootstrap", "pairs", n, *filter(None, [of]))
    rows = max(1, _COUNTED // n)
    own = n * np.arange(rows, dtype=np.int32)[:, None]
    weights = np.ones((1 + resampler.draws, n), np.float32)
    for start in range(1, 1 + resampler.draws, rows):
        size = min(rows, 1 + resampler.draws - start)
        picks = rng.integers(0, n, size=(size, n), dtype=np.uint16 if n < 2**16 else np.int32)
        counts = np.bincount((picks + own[:size]).ravel(), minlength=size * n)
        weights[start : start + size] = counts.reshape(size, n)
    return weights


def _product(weights: Tensor, data: Tensor) -> Tensor:
    """Weights @ data; where both are whole numbers whose sums single precision holds exactly, in half the time."""
    whole = bool((data == data.round()).all()) and len(data) * float(data.abs().max()) < _EXACT
    return (weights @ data.float()).to(data) if whole else weights.to(data) @ data


@dataclass(frozen=True, slots=True)
class CellEstimates:
    """Values and interval bounds of cells, shape (cells,); NaN where a value isn't defined."""

    values: Tensor
    lows: Tensor
    highs: Tensor
    n_units: int
    method: str


# --- comparisons of two methods ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comparison:
    """One method against another, over the same units.

    Attributes:
        difference: first - second, with its paired interval.
        p: two-sided, by sign flips of whole units.
        p_holm: corrected for the family that it was tested in; equal to `p` in a family of one.
        effect: Cohen's d_z over units (`effect_size`); NaN where it isn't defined.
    """

    difference: Estimate
    p: float
    p_holm: float
    effect: float


def paired_bootstrap(first: Array, second: Array, score: Score, resampler: Resampler, n_items: int = 0) -> Estimate:
    """score(first) - score(second), each draw taking the same units for both.

    Args:
        first: sums by unit, shape (units, width).
        second: sums of the same units in the same order.
        score: of a method's sums.
        resampler: seed, draws, level and method.
        n_items: compared items, for the record.

    Raises:
        MetricError: unequal or no units.
    """
    named: dict[str, Estimate] = paired_cluster_bootstrap(
        first, second, lambda one, other: {"difference": score(one) - score(other)}, resampler, n_items
    )
    return named["difference"]


def paired_permutation(first: Array, second: Array, score: Score, *, seed: int, draws: int = 9999) -> float:
    """How often |score(first) - score(second)| is reached when the methods are swapped at random in whole units.

    Where there are at most `draws` ways to swap, all of them are taken, and p is exact; else p = (1 + draws that reach
    the difference) / (1 + draws). Range (0, 1]; NaN where the difference isn't defined.

    Args:
        first: sums by unit, shape (units, width).
        second: sums of the same units in the same order.
        score: of a method's sums.
        seed: of the swaps.
        draws: number of swaps.

    Raises:
        MetricError: unequal or no units.
    """
    sides = _aligned(first, second)
    value = score(sides[0].sum(0)) - score(sides[1].sum(0))
    if bool(value.isnan()):
        return float("nan")
    bound, reached, total = value.abs() * (1 - 1e-12) - 1e-15, 0, 0
    gap = sides[0] - sides[1]
    for flips in _swaps(len(gap), draws, seed):
        moved = flips.to(gap) @ gap
        dealt = score(sides[0].sum(0) - moved) - score(sides[1].sum(0) + moved)
        reached, total = reached + int((dealt.abs() >= bound).sum()), total + len(flips)
    exact = 2 ** len(gap) <= draws
    return reached / total if exact else (1 + reached) / (1 + total)


def _swaps(n: int, draws: int, seed: int) -> Any:
    """0 or 1 for each unit, in chunks of shape (some, n): all ways where they are few, else random ones."""
    if 2**n <= draws:
        yield torch.from_numpy((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return
    rng, rows = stream(seed, "sign flips", n), max(1, _CHUNK // n)
    for start in range(0, draws, rows):
        yield torch.from_numpy(rng.integers(0, 2, size=(min(rows, draws - start), n), dtype=np.uint8))


def effect_size(first: Array, second: Array, score: Score) -> float:
    """Cohen's d_z over units: the mean of the difference's jackknife pseudo-values by their standard deviation.

    For a mean over units of one item each these are the items' own differences, and this is the usual d_z (Cohen 1988);
    for any other score they are its linear part (Miller 1974). Some 0.2 is called small, 0.5 medium, 0.8 large.
    NaN with fewer than two units, where all units agree, or where leaving one out leaves nothing.

    Raises:
        MetricError: unequal or no units.
    """
    sides = _aligned(first, second)
    n = len(sides[0])
    totals = [side.sum(0) for side in sides]
    whole = score(totals[0]) - score(totals[1])
    left = score(totals[0] - sides[0]) - score(totals[1] - sides[1])
    pseudo = n * whole - (n - 1) * left
    spread = pseudo.std() if n > 1 else pseudo.new_tensor(float("nan"))
    return (pseudo.mean() / spread).item() if bool(spread > 1e-12 * (1 + whole.abs())) else float("nan")


def compare(
    first: Array, second: Array, score: Score, resampler: Resampler, *, n_items: int = 0, draws: int = 9999
) -> Comparison:
    """Interval, p-value and effect size of a difference; arguments as `paired_bootstrap`, swaps as many as `draws`."""
    p = paired_permutation(first, second, score, seed=resampler.seed, draws=draws)
    difference = paired_bootstrap(first, second, score, resampler, n_items)
    return Comparison(difference, p, p, effect_size(first, second, score))


def corrected(family: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons with Holm's correction over the family; those without a p-value aren't counted in it."""
    known = [place for place, one in enumerate(family) if not math.isnan(one.p)]
    adjusted = dict(zip(known, holm([family[place].p for place in known]).tolist(), strict=True))
    return [replace(one, p_holm=adjusted.get(place, float("nan"))) for place, one in enumerate(family)]


def _aligned(first: Array, second: Array, device: str | None = None) -> tuple[Tensor, Tensor]:
    one, other = as_tensor(first, device), as_tensor(second, device)
    if one.ndim != 2 or other.ndim != 2 or len(one) != len(other) or not len(one):  # noqa: PLR2004
        raise MetricError(
            f"sides of shapes {tuple(one.shape)} and {tuple(other.shape)}; paired sides are (units, width) with the"
            " same units, one at least, in the same order"
        )
    return one, other
