"""What is measured: each family turns column sums of the two sides into named numbers.

A family's sums are additive over threads, so the same function serves the numbers as they are, all
bootstrap draws at once, permutations and the noise floor. Shapes (..., width) -> (...).
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from folkmoot.metrics.divergence import js_of_shares, shares, wasserstein_of_shares
from folkmoot.metrics.network import GraphNumbers
from folkmoot.metrics.threads import LONGEST
from folkmoot.metrics.uncertainty import Statistic


@dataclass(frozen=True, slots=True)
class Family:
    """A group of numbers over the same sums.

    Attributes:
        name: the prefix of its numbers; `names.numbers` lists them.
        statistic: (real, simulated) column sums -> named numbers.
    """

    name: str
    statistic: Statistic


def acts(labels: tuple[str, ...]) -> Family:
    """Dialog acts; columns: one a label, comments, unlabelled comments, sentences of labelled comments."""
    k = len(labels)

    def statistic(real: Tensor, simulated: Tensor) -> dict[str, Tensor]:
        p, q = shares(real[..., :k]), shares(simulated[..., :k])
        dense, packed = _density(real, k), _density(simulated, k)
        numbers = _distances(p, q)
        numbers["density_ratio"] = dense / packed
        numbers["labels_per_sentence"] = packed
        for i, label in enumerate(labels):
            numbers[f"share.{label}"] = q[..., i]
            numbers[f"delta.{label}"] = p[..., i] - q[..., i]
        return numbers

    return Family("acts", statistic)


def sentiment(labels: tuple[str, ...]) -> Family:
    """Ordered sentiment points 1..k; columns: one a point, comments, unlabelled comments."""
    k = len(labels)

    def statistic(real: Tensor, simulated: Tensor) -> dict[str, Tensor]:
        p, q = shares(real[..., :k]), shares(simulated[..., :k])
        points = torch.arange(1, k + 1, dtype=p.dtype, device=p.device)
        mean, real_mean = (q * points).sum(-1), (p * points).sum(-1)
        numbers = {"wasserstein": wasserstein_of_shares(p, q, points), **_distances(p, q)}
        numbers |= {"mean": mean, "mean_delta": real_mean - mean}
        numbers |= {f"share.{label}": q[..., i] for i, label in enumerate(labels)}
        return numbers

    return Family("sentiment", statistic)


def text() -> Family:
    """Words per comment; columns: comments, words, words squared, histogram of `text.WORD_EDGES`."""

    def statistic(real: Tensor, simulated: Tensor) -> dict[str, Tensor]:
        p, q = shares(real[..., 3:]), shares(simulated[..., 3:])
        mean, real_mean = _mean(simulated, 1, 0), _mean(real, 1, 0)
        return {
            "words_js_distance": js_of_shares(p, q).sqrt(),
            "words_mean": mean,
            "words_sd": _sd(simulated[..., 0], simulated[..., 1], simulated[..., 2]),
            "words_delta": real_mean - mean,
        }

    return Family("text", statistic)


def threads() -> Family:
    """Thread shape; columns: `ThreadShapes.WIDTH`."""

    def statistic(real: Tensor, simulated: Tensor) -> dict[str, Tensor]:
        p, q = shares(real[..., 7:]), shares(simulated[..., 7:])
        turns = torch.arange(1, LONGEST + 1, dtype=p.dtype, device=p.device)
        numbers = {"turns_wasserstein": wasserstein_of_shares(p, q, turns)}
        for name, column in (("turns", 1), ("users", 3), ("depth", 4)):
            here, there = _mean(simulated, column, 0), _mean(real, column, 0)
            numbers |= {name: here, f"{name}_delta": there - here}
        here, there = torch.expm1(_mean(simulated, 5, 6)), torch.expm1(_mean(real, 5, 6))
        return numbers | {"delay_hours": here, "delay_delta": there - here}

    return Family("threads", statistic)


def network() -> Family:
    """The reply graph; sums: `GraphNumbers`."""

    def statistic(real: GraphNumbers, simulated: GraphNumbers) -> dict[str, Tensor]:
        p, q = shares(real.in_degrees), shares(simulated.in_degrees)
        degrees = torch.arange(p.shape[-1], dtype=p.dtype, device=p.device)
        numbers = {"in_degree_wasserstein": wasserstein_of_shares(p, q, degrees)}
        for name in ("reciprocity", "weighted_reciprocity", "gini"):
            here, there = getattr(simulated, name), getattr(real, name)
            numbers |= {name: here, f"{name}_delta": there - here}
        return numbers

    return Family("network", statistic)


def _distances(p: Tensor, q: Tensor) -> dict[str, Tensor]:
    divergence = js_of_shares(p, q)
    distance = divergence.sqrt()
    return {"js_distance": distance, "js_divergence": divergence, "total_variation": (p - q).abs().sum(-1) / 2}


def _density(sums: Tensor, k: int) -> Tensor:
    """Labels per sentence; NaN where no sentence was labelled."""
    return sums[..., :k].sum(-1) / sums[..., k + 2]


def _mean(sums: Tensor, column: int, count: int) -> Tensor:
    return sums[..., column] / sums[..., count]


def _sd(n: Tensor, total: Tensor, squares: Tensor) -> Tensor:
    """Sample standard deviation from sums; NaN for n < 2."""
    spread = (squares - total**2 / n).clamp(min=0)
    return (spread / (n - 1)).sqrt().where(n > 1, torch.nan)
