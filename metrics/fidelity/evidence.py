"""What an evaluator's label scores say of one response: the whole distribution, not only the score."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from folkmoot.metrics.fidelity.prompts import Order
from folkmoot.metrics.fidelity.wording import DIMENSIONS, LABELS
from folkmoot.sim.protocols import LabelScores

Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One response held against one persona.

    Attributes:
        item: its id.
        q: dimension -> probabilities of A (aligned), B (indeterminate), C (opposite), summing to 1 each.
        places: mean probability of the first, second and third displayed label: (1/3, 1/3, 1/3) without position
            bias, over all six orders.
        censored: labels that the backend gave an upper bound for.
        sampled: the backend has no log-probabilities; these are sampled frequencies.
        cut: what was cut to fit the window: "", "context" or "response".
    """

    item: str
    q: Mapping[str, Triple]
    places: Triple
    censored: int = 0
    sampled: bool = False
    cut: str = ""

    def e(self, dimension: str) -> float:
        """Probability that the dimension is aligned, in [0, 1] (PRISM, equation 2)."""
        return self.q[dimension][0]

    @property
    def score(self) -> float:
        """S: mean of e over the dimensions, in [0, 1] (PRISM, equation 3)."""
        return sum(self.e(dimension) for dimension in self.q) / len(self.q)

    @property
    def ranked(self) -> tuple[str, ...]:
        """Dimensions, the least aligned first; ties in the order of `DIMENSIONS`."""
        return tuple(sorted(self.q, key=self.e))

    @property
    def lowest(self) -> str:
        """The least aligned dimension."""
        return self.ranked[0]


def softmax(logprobs: Sequence[float]) -> tuple[float, ...]:
    """Probabilities over the restricted label set (PRISM, equation 1).

    >>> softmax([-1.0, -1.0])
    (0.5, 0.5)
    """
    top = max(logprobs)
    weights = [math.exp(value - top) for value in logprobs]
    whole = sum(weights)
    return tuple(weight / whole for weight in weights)


def gather(item: str, plan: Sequence[tuple[str, Order]], scores: Sequence[LabelScores], cut: str = "") -> Evidence:
    """Evidence from the scores of an item's prompts: displayed places mapped back to labels, averaged over orders."""
    shown = [softmax(score.logprobs) for score in scores]
    q: dict[str, Triple] = {}
    for dimension in DIMENSIONS:
        mapped = [_labels(p, order) for p, (d, order) in zip(shown, plan, strict=True) if d == dimension]
        if mapped:
            q[dimension] = _mean(mapped)
    return Evidence(
        item=item,
        q=q,
        places=_mean(shown),
        censored=sum(len(score.censored) for score in scores),
        sampled=any(score.sampled for score in scores),
        cut=cut,
    )


def _labels(shown: Sequence[float], order: Order) -> Triple:
    values = [0.0] * len(LABELS)
    for place, label in enumerate(order):
        values[label] = shown[place]
    return values[0], values[1], values[2]


def _mean(rows: Sequence[Sequence[float]]) -> Triple:
    first, second, third = (math.fsum(column) / len(rows) for column in zip(*rows, strict=True))
    return first, second, third
