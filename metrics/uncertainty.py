"""A number travels with its interval and its n: cluster and hierarchical bootstrap.

The unit that was sampled is the thread, so whole threads are drawn with replacement. A draw is a
vector of multinomial weights over the threads; all draws of all labels are one matrix product on the
device. Weights come from `folkmoot.sim.rng` on the CPU, so every device sees the same draws.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import torch
from torch import Tensor

from folkmoot.metrics.tensors import Array, as_tensor
from folkmoot.sim.errors import MetricError
from folkmoot.sim.rng import Path, stream

Method = Literal["percentile", "bias-corrected"]
Statistic = Callable[[Any, Any], Mapping[str, Tensor]]
"""(real sums, simulated sums), each of B draws -> name -> shape (B,); NaN where it isn't defined."""

FEW_UNITS = 10
"""Below so many sampled units an interval is flagged: it is too narrow more often than it says."""

_COUNTED = 150_000  # picks counted at once: they stay in a core's cache
_REMEMBERED = 4  # weight matrices: cumulative and windowed, of a point and the one before


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval.

    Attributes:
        value: the statistic of the data as they are.
        low, high: bounds of the interval; they hold the value between them. NaN where no draw was defined.
        n_units: sampled units (threads; seeds where runs are compared).
        n_items: items in them (comments).
        method: how the interval was made, e.g. "bias-corrected cluster bootstrap, 95 %, 1000 draws".
    """

    value: float
    low: float
    high: float
    n_units: int
    n_items: int
    method: str

    @property
    def few(self) -> bool:
        """True where fewer than `FEW_UNITS` units stand behind the interval."""
        return self.n_units < FEW_UNITS


class Side(Protocol):
    """What was sampled on one side: units (threads) whose sums can be weighted."""

    n_units: int

    def __len__(self) -> int:
        """Rows of weights: units, or blocks of units."""

    def weighted(self, weights: Tensor) -> Any:
        """Sums under each row of weights, shape (B, units): what a `Statistic` takes."""


class Rows:
    """Units as rows of numbers, shape (units, width); their weighted sums have shape (B, width).

    Args:
        data: one row a unit.
        blocks: more units than this are drawn in so many blocks, unit i in block i modulo `blocks`; 0: never.
    """

    def __init__(self, data: Tensor, blocks: int = 0) -> None:
        self.n_units = len(data)
        if 0 < blocks < len(data):
            where = torch.arange(len(data), device=data.device) % blocks
            data = data.new_zeros(blocks, data.shape[1]).index_add_(0, where, data)
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def weighted(self, weights: Tensor) -> Tensor:
        """Column sums of each draw."""
        return weights.to(self.data) @ self.data


def as_side(units: Array | Side, device: str | None = None, blocks: int = 0) -> Side:
    """A side as it is; an array-like of shape (units, width) as `Rows`.

    Raises:
        MetricError: no units, or not two dimensions.
    """
    if isinstance(units, Tensor | np.ndarray | Sequence):
        tensor = as_tensor(units, device)
        if tensor.ndim != 2:  # noqa: PLR2004 -- units x width
            raise MetricError(f"sums by thread of shape {tuple(tensor.shape)}; two dimensions: (threads, width)")
        units = Rows(tensor, blocks)
    if not len(units):
        raise MetricError("a side has 0 threads; 1 at least is needed: nothing was counted there")
    return units


@dataclass(frozen=True, slots=True)
class Resampler:
    """Draws of threads, a function of (seed, number of threads, name) alone.

    Metrics over the same threads share their draws, and, with one `memory`, the weight matrices too.

    Attributes:
        seed: of the draws.
        draws: number of them.
        level: of the intervals.
        method: of the intervals.
        device: torch device of the draws.
        blocks: past so many threads, blocks of whole threads are drawn: the cost of a stream's points
            stays put as it grows; 512 blocks blur a standard error by 3 %, less than 200 draws do. 0: never.
        memory: weight matrices to share.
    """

    seed: int
    draws: int = 1000
    level: float = 0.95
    method: Method = "bias-corrected"
    device: str = "cpu"
    blocks: int = 0
    memory: dict[tuple[int | str, ...], Tensor] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.draws < 1 or not 0 < self.level < 1:
            raise MetricError(f"draws={self.draws}, level={self.level}; draws >= 1 and 0 < level < 1")

    def weights(self, n_units: int, side: str = "simulated") -> Tensor:
        """How often each unit is drawn, all once in row 0. Shape (1 + draws, n_units); rows sum to n_units."""
        key = (self.seed, self.draws, self.device, n_units, side)
        if key not in self.memory:
            while len(self.memory) >= _REMEMBERED:
                self.memory.pop(next(iter(self.memory)))
            self.memory[key] = self._draw(n_units, side)
        return self.memory[key]

    def _draw(self, n_units: int, side: str) -> Tensor:
        weights = multinomial(n_units, self.draws, self.seed, "bootstrap", side)
        return as_tensor(np.concatenate([np.ones((1, n_units)), weights]), self.device)

    @property
    def label(self) -> str:
        """The method in words."""
        return f"{self.method} cluster bootstrap, {self.level:.0%}, {self.draws} draws"


def multinomial(n: int, draws: int, seed: int, *path: Path) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Multinomial(n, 1/n) weights, shape (draws, n), a function of (seed, path, n, draws)."""
    picks = stream(seed, *path, n).integers(0, n, size=(draws, n), dtype=np.int32)
    rows = max(1, _COUNTED // n)
    return np.concatenate([_counts(picks[start : start + rows], n) for start in range(0, draws, rows)])


def _counts(picks: np.ndarray[tuple[int, int], np.dtype[np.int32]], n: int) -> Any:
    """How often each of n is picked in each row: one count of all rows, each with numbers of its own."""
    own = picks + n * np.arange(len(picks), dtype=np.int64)[:, None]
    return np.bincount(own.ravel(), minlength=len(picks) * n).reshape(len(picks), n)


def intervals(
    draws: Tensor, values: Tensor, level: float = 0.95, method: Method = "bias-corrected"
) -> tuple[Tensor, Tensor]:
    """Bounds of many statistics at once from their bootstrap draws.

    `percentile`: the (1 - level) / 2 quantiles. `bias-corrected` (Efron 1981): quantiles at
    Phi(2 z0 + z), z0 = Phi^-1(share of draws under the value); it undoes the upward shift that
    resampling gives a divergence. Bounds are widened to hold the value where they would leave it out.

    Args:
        draws: shape (B, k); NaN draws (an empty resample) are left out.
        values: shape (k,).
        level: of the interval, between 0 and 1.
        method: see above.

    Returns:
        low and high, shape (k,); NaN where the value or all draws are NaN.
    """
    ordered = draws.sort(0).values  # NaN comes last
    known = (~ordered.isnan()).sum(0)
    tails = torch.tensor([(1 - level) / 2, (1 + level) / 2], dtype=draws.dtype, device=draws.device)[:, None]
    if method == "bias-corrected":
        known_here = known.to(draws.dtype)  # int / int would be float32
        under = ((ordered < values).sum(0) + (ordered == values).sum(0) / 2) / known_here
        edge = 0.5 / known_here
        shift = torch.special.ndtri(torch.minimum(torch.maximum(under, edge), 1 - edge))
        tails = torch.special.ndtr(2 * shift + torch.special.ndtri(tails))
    low, high = _quantiles(ordered, tails.expand(2, draws.shape[1]), known)
    return torch.minimum(low, values), torch.maximum(high, values)


def _quantiles(ordered: Tensor, tails: Tensor, known: Tensor) -> Tensor:
    """Linear quantiles of the first `known` of each sorted column. Shapes (B, k), (2, k), (k,) -> (2, k)."""
    spots = tails.nan_to_num(0.5) * (known - 1).clamp(min=0)
    below = spots.floor().to(torch.int64)
    above = torch.minimum(below + 1, (known - 1).clamp(min=0).expand_as(below))
    start, stop = ordered.gather(0, below), ordered.gather(0, above)
    return start + (stop - start) * (spots - below)


def estimates(table: Mapping[str, Tensor], resampler: Resampler, n_units: int, n_items: int) -> dict[str, Estimate]:
    """Named statistics, each of shape (1 + draws,) with the data as they are first -> estimates."""
    rows = torch.stack(list(table.values()), 1)
    lows, highs = intervals(rows[1:], rows[0], resampler.level, resampler.method)
    return {
        name: Estimate(value, low, high, n_units, n_items, resampler.label)
        for name, value, low, high in zip(table, rows[0].tolist(), lows.tolist(), highs.tolist(), strict=True)
    }


@dataclass(frozen=True, slots=True)
class Resampled:
    """One side's sums, ready for a `Statistic`: as they are in row 0, then under every draw."""

    sums: Any
    n_units: int


def resample(units: Array | Side, resampler: Resampler, name: str = "simulated", *, fixed: bool = False) -> Resampled:
    """Draw whole threads with replacement.

    Args:
        units: a side; arrays have shape (threads, width).
        resampler: seed, number of draws, device.
        name: of the side: two sides are drawn independently.
        fixed: the side is the whole population, not a sample: every draw is the side as it is.

    Raises:
        MetricError: no threads.
    """
    side = as_side(units, resampler.device, resampler.blocks)
    weights = resampler.weights(len(side), name)
    return Resampled(side.weighted(torch.ones_like(weights) if fixed else weights), side.n_units)


def cluster_bootstrap(
    real: Array | Side | Resampled,
    simulated: Array | Side | Resampled,
    statistic: Statistic,
    resampler: Resampler,
    n_items: int,
) -> dict[str, Estimate]:
    """Estimates of a two-sided statistic; whole threads are drawn on both sides, independently.

    Args:
        real: sums by real thread, shape (threads, width), or what `resample` made of them.
        simulated: the same for the simulated threads.
        statistic: named numbers of the two sides' sums, with a batch dimension.
        resampler: seed, draws, level and method.
        n_items: simulated items, for the record.

    Raises:
        MetricError: a side without threads.
    """
    first = real if isinstance(real, Resampled) else resample(real, resampler, "real")
    second = simulated if isinstance(simulated, Resampled) else resample(simulated, resampler)
    return estimates(statistic(first.sums, second.sums), resampler, second.n_units, n_items)


def hierarchical_bootstrap(
    runs: Sequence[Callable[[int], Tensor]], values: Sequence[float], resampler: Resampler, n_items: int
) -> Estimate:
    """The mean of a statistic over runs, seeds and threads both sampled.

    Each draw picks as many runs as there are, with replacement, and for every pick a fresh resample
    of that run's threads.

    Args:
        runs: for each run, k -> the statistic of its k-th set of thread resamples, shape (draws,).
        values: the statistic of each run as it is.
        resampler: seed, draws, level and method.
        n_items: comments over all runs.

    Raises:
        MetricError: no runs.
    """
    if not runs:
        raise MetricError("0 runs to compare; give 1 at least, and several seeds for an interval over seeds")
    picks = stream(resampler.seed, "seeds", len(runs)).integers(0, len(runs), size=(len(runs), resampler.draws))
    total = torch.zeros(resampler.draws, dtype=torch.float64)
    for slot, pick in enumerate(torch.from_numpy(picks)):
        table = torch.stack([run(slot).to(total) for run in runs])
        total += table.gather(0, pick[None])[0]
    value = sum(values) / len(values)
    bounds = intervals((total / len(runs))[:, None], total.new_tensor([value]), resampler.level, resampler.method)
    low, high = (bound.item() for bound in bounds)
    return Estimate(value, low, high, len(runs), n_items, resampler.label.replace("cluster", "hierarchical"))
