"""How far two label distributions are apart: pure functions with batch dimensions, on any device.

All take counts or proportions, normalise along the last dimension, and broadcast the others. The
real side comes first. Definitions, ranges and oracles: docs/metrics.md.
"""

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from folkmoot.metrics.tensors import Array, as_tensor, measures, same_support
from folkmoot.sim.errors import MetricError


def proportions(counts: Array) -> Tensor:
    """Each label's share of all labels. Shape (..., k) -> (..., k); range [0, 1]; sums to 1.

    Raises:
        MetricError: a negative or not finite count, or a side without any mass.

    >>> proportions([3, 1]).tolist()
    [0.75, 0.25]
    """
    tensor = measures("counts", counts)
    if bool((tensor.sum(-1) <= 0).any()):
        raise MetricError(
            f"a side of {tensor.shape[-1]} categories has mass 0, more than 0 is needed: "
            "nothing was counted; leave the empty side out or annotate it first"
        )
    return shares(tensor)


def shares(counts: Tensor) -> Tensor:
    """`proportions` without checks: a row without mass gives NaN (for resampled rows)."""
    return counts / counts.sum(-1, keepdim=True)


def js_divergence(real: Array, simulated: Array, base: float = 2.0) -> Tensor:
    """Jensen-Shannon divergence, (KL(p, m) + KL(q, m)) / 2 with m = (p + q) / 2.

    Shapes (..., k), (..., k) -> (...). Range [0, log_base 2]: [0, 1] for the default base 2; lower is
    closer; symmetric. Source: Lin 1991, eq. 4.1 with equal weights.

    Raises:
        MetricError: an empty side, unequal support, or a base that isn't over 1.

    >>> js_divergence([1, 0], [0, 1]).item()
    1.0
    """
    p, q = _pair(real, simulated)
    return js_of_shares(p, q, base)


def js_distance(real: Array, simulated: Array, base: float = 2.0) -> Tensor:
    """Jensen-Shannon distance, the square root of the divergence: a metric (triangle inequality).

    Shapes and errors as `js_divergence`; range [0, 1] for base 2; lower is closer.

    >>> round(js_distance([1, 0], [1, 1]).item(), 6)
    0.557923
    """
    return js_divergence(real, simulated, base).pow(0.5)


def js_of_shares(p: Tensor, q: Tensor, base: float = 2.0) -> Tensor:
    """`js_divergence` of shares that are normalised already; NaN rows stay NaN."""
    if not (math.isfinite(base) and base > 1):
        raise MetricError(f"base {base} of the logarithm; any finite number over 1 will do: 2 (bits), e (nats)")
    half = 2 / (p + q)  # 1 / m; infinite where nothing is, and there p and q are 0
    nats: Tensor = (_xlogx(p, half) + _xlogx(q, half)).sum(-1)
    return (nats / (2 * math.log(base))).clamp(min=0)


def _xlogx(share: Tensor, scale: Tensor) -> Tensor:
    """Share * log(share * scale), 0 where the share is 0; NaN stays. Some three times faster than `torch.xlogy`."""
    return share * torch.where(share == 0, 1.0, share * scale).log_()


def total_variation(real: Array, simulated: Array) -> Tensor:
    """Half the summed absolute difference. Shapes (..., k) -> (...); range [0, 1]; lower is closer.

    >>> total_variation([1, 1], [1, 0]).item()
    0.5
    """
    p, q = _pair(real, simulated)
    return (p - q).abs().sum(-1) / 2


def wasserstein(real: Array, simulated: Array, positions: Array | None = None) -> Tensor:
    """Wasserstein-1 on ordered points: the area between the two cumulative shares.

    Shapes (..., k), (..., k) -> (...). `positions`, shape (k,), increasing; 1..k by default. Range
    [0, last - first position], in units of the positions; lower is closer.

    >>> wasserstein([1, 0, 0, 0, 0], [0, 0, 0, 0, 1]).item()
    4.0
    """
    p, q = _pair(real, simulated)
    return wasserstein_of_shares(p, q, _positions(positions, p))


def wasserstein_of_shares(p: Tensor, q: Tensor, positions: Tensor) -> Tensor:
    """`wasserstein` of shares that are normalised already; NaN rows stay NaN."""
    gaps = (p - q).cumsum(-1)[..., :-1].abs()
    return (gaps * positions.diff()).sum(-1)


def wasserstein_points(
    real: Array, simulated: Array, real_weights: Array | None = None, simulated_weights: Array | None = None
) -> Tensor:
    """Wasserstein-1 between two weighted sets of points on a line, of any sizes. Shapes (m,), (n,) -> ().

    >>> round(wasserstein_points([0, 1, 3], [5, 6, 8]).item(), 9)
    5.0
    """
    points = as_tensor(real), as_tensor(simulated)
    for side in points:
        if side.ndim != 1 or not len(side) or not bool(torch.isfinite(side).all()):
            raise MetricError(f"points of shape {tuple(side.shape)}; one dimension, one finite point at least")
    support, where = _distinct(torch.cat(points))
    weights = _weights(points[0], real_weights), _weights(points[1], simulated_weights)
    first = torch.zeros_like(support).index_add(0, where[: len(points[0])], weights[0])
    second = torch.zeros_like(support).index_add(0, where[len(points[0]) :], weights[1])
    return wasserstein(first, second, support)


def deltas(real: Array, simulated: Array) -> Tensor:
    """Real share - simulated share of each label. Shapes (..., k) -> (..., k); range [-1, 1]; best 0.

    Positive: the simulation under-produces the label.

    >>> deltas([1, 1], [1, 0]).tolist()
    [-0.5, 0.5]
    """
    p, q = _pair(real, simulated)
    return p - q


def density_ratio(
    real_labels: float, real_sentences: float, simulated_labels: float, simulated_sentences: float
) -> float:
    """Real labels per sentence / simulated labels per sentence; range (0, inf); best 1.

    Below 1: the simulation packs more acts into a sentence. The sentence splitter is
    `folkmoot.metrics.text.SPLITTER` on both sides.

    Raises:
        MetricError: no sentence on a side, or no label on the simulated side.

    >>> density_ratio(30, 20, 20, 10)
    0.75
    """
    for name, value in (
        ("real sentences", real_sentences),
        ("simulated sentences", simulated_sentences),
        ("simulated labels", simulated_labels),
    ):
        if not value > 0:
            raise MetricError(f"{value} {name}; a ratio of labels per sentence needs more than 0")
    return (real_labels / real_sentences) / (simulated_labels / simulated_sentences)


def mean_sd(values: Array) -> tuple[float, float]:
    """Mean and sample standard deviation (n - 1; NaN for one value). Shape (n,) -> two floats.

    >>> mean_sd([2, 4])
    (3.0, 1.4142135623730951)
    """
    tensor = as_tensor(values)
    if tensor.ndim != 1 or not len(tensor):
        raise MetricError(f"values of shape {tuple(tensor.shape)}; one dimension and one value at least")
    return tensor.mean().item(), tensor.std().item() if len(tensor) > 1 else math.nan


def align(
    real: Mapping[str, float], simulated: Mapping[str, float], labels: Sequence[str] | None = None
) -> tuple[tuple[str, ...], Tensor, Tensor]:
    """Two label -> count tables over one support: the labels given, else the sorted union; absent = 0.

    >>> align({"ASK": 2}, {"INFORM": 1})[0]
    ('ASK', 'INFORM')
    """
    union = sorted({*real, *simulated})
    names = tuple(union if labels is None else labels)
    outside = sorted(set(union) - set(names))
    if outside:
        raise MetricError(f"labels {outside} aren't among the {len(names)} given; add them or drop their counts")
    return names, as_tensor([real.get(n, 0) for n in names]), as_tensor([simulated.get(n, 0) for n in names])


def _pair(real: Array, simulated: Array) -> tuple[Tensor, Tensor]:
    first, second = measures("the real side", real), measures("the simulated side", simulated)
    same_support(first, second)
    return proportions(first), proportions(second)


def _distinct(points: Tensor) -> tuple[Tensor, Tensor]:
    """Distinct points in ascending order, and where each point went."""
    support = points.sort().values
    support = support[torch.cat([support.new_ones(1), support.diff()]) > 0]
    return support, torch.searchsorted(support, points)


def _positions(positions: Array | None, like: Tensor) -> Tensor:
    if positions is None:
        return torch.arange(1, like.shape[-1] + 1, dtype=like.dtype, device=like.device)
    points = as_tensor(positions, like.device)
    if points.shape != like.shape[-1:]:
        raise MetricError(f"{points.numel()} positions for {like.shape[-1]} categories; give one for each")
    if not bool((points.diff() > 0).all()) or not bool(torch.isfinite(points).all()):
        raise MetricError(f"positions {points.tolist()}; they are finite and increase from one to the next")
    return points


def _weights(points: Tensor, weights: Array | None) -> Tensor:
    if weights is None:
        return torch.ones_like(points)
    tensor = measures("weights", weights).to(points)
    if tensor.shape != points.shape:
        raise MetricError(f"{tensor.numel()} weights for {points.numel()} points; give one for each")
    return tensor
