"""Metrics with a memory: update as batches come, compute when asked.

Thin states over the pure functions of `divergence`. Each class states the shape, range and direction
of what it computes. They hold counts, never items.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal

import torch
from torch import Tensor

from folkmoot.metrics import divergence
from folkmoot.sim.errors import MetricError, did_you_mean

Direction = Literal["lower is closer", "nearer 0 is closer", "describes"]


class Metric(ABC):
    """A number, or a few, over all that it has been shown.

    Attributes:
        shape: of what `compute` returns.
        range: of its values.
        direction: how to read them.
    """

    shape: ClassVar[str]
    range: ClassVar[str]
    direction: ClassVar[Direction]

    @abstractmethod
    def compute(self) -> Tensor:
        """The value so far.

        Raises:
            MetricError: it isn't defined yet.
        """

    @abstractmethod
    def reset(self) -> None:
        """Forget all."""


class TwoSided(Metric):
    """A comparison of label counts, real against simulated.

    Args:
        labels: all labels, in their fixed order.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        if len(set(labels)) != len(labels) or not labels:
            raise MetricError(f"labels {list(labels)}; one at least, and none twice")
        self.labels = tuple(labels)
        self._index = {label: i for i, label in enumerate(self.labels)}
        self.reset()

    def reset(self) -> None:
        """Forget both sides."""
        self.real = torch.zeros(len(self.labels), dtype=torch.float64)
        self.simulated = torch.zeros(len(self.labels), dtype=torch.float64)

    def update(self, real: Iterable[str] = (), simulated: Iterable[str] = ()) -> None:
        """Count labels on either side.

        Raises:
            MetricError: a label that isn't among `labels`.
        """
        for counts, labels in ((self.real, real), (self.simulated, simulated)):
            where = torch.tensor([self._where(label) for label in labels], dtype=torch.int64)
            counts.add_(torch.bincount(where, minlength=len(counts)))

    def _where(self, label: str) -> int:
        if label not in self._index:
            raise MetricError(f"unknown label {label!r}; {did_you_mean(label, self.labels)}")
        return self._index[label]


class JSDistance(TwoSided):
    """Jensen-Shannon distance, base 2.

    >>> metric = JSDistance(["ASK", "INFORM"])
    >>> metric.update(real=["ASK", "INFORM"], simulated=["ASK"])
    >>> round(metric.compute().item(), 6)
    0.557923
    """

    shape = "()"
    range = "[0, 1]"
    direction = "lower is closer"

    def compute(self) -> Tensor:
        """The distance so far."""
        return divergence.js_distance(self.real, self.simulated)


class JSDivergence(TwoSided):
    """Jensen-Shannon divergence, base 2: the square of the distance."""

    shape = "()"
    range = "[0, 1]"
    direction = "lower is closer"

    def compute(self) -> Tensor:
        """The divergence so far."""
        return divergence.js_divergence(self.real, self.simulated)


class TotalVariation(TwoSided):
    """Half the summed absolute difference of the shares."""

    shape = "()"
    range = "[0, 1]"
    direction = "lower is closer"

    def compute(self) -> Tensor:
        """The distance so far."""
        return divergence.total_variation(self.real, self.simulated)


class Wasserstein(TwoSided):
    """Wasserstein-1 between ordered labels at positions 1..k."""

    shape = "()"
    range = "[0, k - 1]"
    direction = "lower is closer"

    def compute(self) -> Tensor:
        """The distance so far."""
        return divergence.wasserstein(self.real, self.simulated)


class Deltas(TwoSided):
    """Real share - simulated share of each label; positive: the simulation under-produces it."""

    shape = "(k,)"
    range = "[-1, 1]"
    direction = "nearer 0 is closer"

    def compute(self) -> Tensor:
        """The deltas so far."""
        return divergence.deltas(self.real, self.simulated)


class MeanSd(Metric):
    """Mean and sample standard deviation of the values shown (Welford's update, numerically stable)."""

    shape = "(2,)"
    range = "(-inf, inf), [0, inf)"
    direction = "describes"

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all values."""
        self.n, self._mean, self._spread = 0, 0.0, 0.0

    def update(self, values: Iterable[float]) -> None:
        """Show more values."""
        for value in values:
            self.n += 1
            step = value - self._mean
            self._mean += step / self.n
            self._spread += step * (value - self._mean)

    def compute(self) -> Tensor:
        """Mean and sd; the sd of a single value is NaN."""
        if not self.n:
            raise MetricError("0 values; a mean needs 1 at least")
        sd = (self._spread / (self.n - 1)) ** 0.5 if self.n > 1 else float("nan")
        return torch.tensor([self._mean, sd], dtype=torch.float64)
