"""Could the two sides be one population? Permutation test over threads, Holm's correction, noise floor."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from folkmoot.metrics.tensors import Array, as_tensor
from folkmoot.metrics.uncertainty import Side, Statistic, as_side
from folkmoot.sim.errors import MetricError
from folkmoot.sim.rng import stream

_CHUNK = 2_000_000  # numbers drawn at once: 16 MB


@dataclass(frozen=True, slots=True)
class Floor:
    """How far two random halves of the real population are apart, at the simulation's sample size.

    Attributes:
        mean, low, high: mean and 2.5 / 97.5 % quantiles over the splits.
        n_items: mean number of items on the half that stands for the simulation.
        n_units: real threads that were split.
        draws: number of splits.
    """

    mean: float
    low: float
    high: float
    n_items: float
    n_units: int
    draws: int


def permutation_test(
    real: Array, simulated: Array, statistic: Statistic, *, seed: int, draws: int = 999
) -> dict[str, float]:
    """How often |statistic| is at least as large when threads are dealt at random to the two sides.

    Each side keeps its number of threads. p = (1 + draws that reach the value) / (1 + draws), so it is
    never 0 (Phipson and Smyth 2010). Range (0, 1].

    Args:
        real: sums by thread, shape (threads, width).
        simulated: sums by thread, shape (threads, width).
        statistic: named numbers; a distance, or a difference (its size counts, not its sign).
        seed: of the deals.
        draws: number of deals.

    Raises:
        MetricError: a side without threads.
    """
    sides = as_tensor(real), as_tensor(simulated)
    if not len(sides[0]) or not len(sides[1]):
        raise MetricError(f"{len(sides[0])} real and {len(sides[1])} simulated threads; 1 at least on each side")
    pool = torch.cat(sides)
    value = statistic(sides[0].sum(0), sides[1].sum(0))
    reached = dict.fromkeys(value, 0)
    for order in _orders(len(pool), draws, seed, "permutation"):
        first = (order < len(sides[0])).to(pool) @ pool
        for name, dealt in statistic(first, pool.sum(0) - first).items():
            reached[name] += int((dealt.abs() >= value[name].abs() * (1 - 1e-12)).sum())
    return {name: (1 + count) / (1 + draws) for name, count in reached.items()}


def holm(pvalues: Array) -> Tensor:
    """Holm's step-down adjusted p-values, in the order given. Shape (m,) -> (m,); range [0, 1].

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = as_tensor(pvalues)
    if p.ndim != 1 or not bool(((p >= 0) & (p <= 1)).all()):
        raise MetricError(f"p-values {p.tolist()}; a list of numbers between 0 and 1")
    if not len(p):
        return p
    order = p.argsort(stable=True)
    factors = torch.arange(len(p), 0, -1, dtype=p.dtype, device=p.device)
    adjusted = (p[order] * factors).cummax(0).values.clamp(max=1)
    return torch.empty_like(p).scatter_(0, order, adjusted)


def noise_floor(
    real: Array | Side, items: Array, statistic: Statistic, *, size: float, seed: int, draws: int = 200
) -> dict[str, Floor]:
    """The same statistic between random disjoint halves of the real threads.

    One half stands for the real side. The other stands for the simulation: where it holds more than
    `size` items, its threads (in random order) are cut after the one that reaches `size`.

    Args:
        real: sums by thread, shape (threads, width).
        items: number of items by thread, shape (threads,).
        statistic: as for the real comparison.
        size: number of simulated items.
        seed: of the splits.
        draws: number of splits.

    Raises:
        MetricError: fewer than two threads: they can't be halved.
    """
    units, counts = as_side(real), as_tensor(items)
    if len(units) < 2:  # noqa: PLR2004 -- two halves
        raise MetricError(f"{len(units)} real threads can't be halved; a noise floor needs 2 at least")
    parts: dict[str, list[Tensor]] = {}
    sizes = []
    for order in _orders(len(units), draws, seed, "floor"):
        half, stand_in, held = _halves(order, counts, size)
        sizes.append(held)
        for name, value in statistic(units.weighted(half), units.weighted(stand_in)).items():
            parts.setdefault(name, []).append(value)
    n_items = torch.cat(sizes).mean().item()
    return {name: _floor(torch.cat(values), n_items, len(units), draws) for name, values in parts.items()}


def _orders(n: int, draws: int, seed: int, name: str) -> Iterator[Tensor]:
    """Random orders of n units, in chunks of shape (some draws, n)."""
    rng, rows = stream(seed, name, n), max(1, _CHUNK // n)
    for start in range(0, draws, rows):
        yield torch.from_numpy(rng.permuted(np.tile(np.arange(n), (min(rows, draws - start), 1)), axis=1))


def _halves(order: Tensor, counts: Tensor, size: float) -> tuple[Tensor, Tensor, Tensor]:
    """Weights (0 or 1) of the two halves of each order, the second cut at `size` items, and its items."""
    first, second = order.tensor_split([(order.shape[1] + 1) // 2], dim=1)
    held = counts[second]
    kept = (held.cumsum(1) - held < size).to(counts)
    zeros = torch.zeros(order.shape, dtype=counts.dtype)
    half = zeros.scatter(1, first, 1.0)
    return half, zeros.scatter_(1, second, kept), (held * kept).sum(1)


def _floor(values: Tensor, n_items: float, n_units: int, draws: int) -> Floor:
    values = values[~values.isnan()]
    if not len(values):
        return Floor(float("nan"), float("nan"), float("nan"), n_items, n_units, draws)
    low, high = torch.quantile(values, torch.tensor([0.025, 0.975], dtype=values.dtype)).tolist()
    return Floor(values.mean().item(), low, high, n_items, n_units, draws)
