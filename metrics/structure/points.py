"""Distances of two distributions on a line under all bootstrap draws at once: Wasserstein-1 and Kolmogorov-Smirnov."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from folkmoot.sim.errors import MetricError

Groups = Sequence[Sequence[float]]


class PointSide:
    """Values in units, as a bootstrap side: under a draw each value weighs as its unit does.

    Args:
        groups: values of each sampled unit.
        support: all distinct values of both sides, ascending.
    """

    def __init__(self, groups: Groups, support: Tensor) -> None:
        self.n_units = len(groups)
        sizes = torch.tensor([len(group) for group in groups])
        values = torch.tensor([value for group in groups for value in group], dtype=torch.float64)
        self._units = torch.repeat_interleave(torch.arange(len(groups)), sizes)
        self._where = torch.searchsorted(support, values)
        self._size = len(support)

    def __len__(self) -> int:
        return self.n_units

    def weighted(self, weights: Tensor) -> Tensor:
        """Weight of each point of the support. Shape (B, units) -> (B, support)."""
        sums = weights.new_zeros(len(weights), self._size)
        return sums.index_add_(1, self._where, weights[:, self._units])


def support_of(*sides: Groups) -> Tensor:
    """All distinct values, ascending.

    Raises:
        MetricError: a side has no value, or one that isn't finite.
    """
    for name, side in zip(("real", "simulated"), sides, strict=False):
        values = [value for group in side for value in group]
        if not values or not np.isfinite(values).all():
            raise MetricError(f"the {name} side has {len(values)} values; one finite value at least")
    return torch.tensor(sorted({float(v) for side in sides for group in side for v in group}), dtype=torch.float64)


def distances(support: Tensor, real: Tensor, simulated: Tensor) -> dict[str, Tensor]:
    """W1 (in the values' unit), KS (0..1) and both means. Sums of shape (B, support) -> (B,)."""
    p, q = real / real.sum(-1, keepdim=True), simulated / simulated.sum(-1, keepdim=True)
    apart = (p - q).cumsum(-1)
    return {
        "wasserstein": (apart[:, :-1].abs() * support.diff()).sum(-1),
        "ks": apart.abs().max(-1).values.clamp(max=1),
        "real_mean": (p * support).sum(-1),
        "mean": (q * support).sum(-1),
    }


def gini_of(support: Tensor, weights: Tensor) -> Tensor:
    """Concentration of values >= 0 that weigh so much; `metrics.network.gini` where all weigh 1. (B, support) -> (B,).

    G = sum_k w_k x_k (2 W_k - w_k - N) / (N sum_k w_k x_k), W the running sum of the weights, N their total.
    """
    total = weights.sum(-1)
    ranks = 2 * weights.cumsum(-1) - weights - total[:, None]
    amounts = weights * support
    return (amounts * ranks).sum(-1) / (total * amounts.sum(-1))
