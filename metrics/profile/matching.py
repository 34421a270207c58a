"""Predicted tags against gold tags, one to one: equal when normalized, then alike in meaning by best assignment."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from folkmoot.sim.errors import MetricError
from folkmoot.sim.protocols import Encoder

Floats = NDArray[np.float64]

Likeness = Callable[[Sequence[str], Sequence[str]], Floats]
"""(predicted, gold) -> scores in [0, 1], shape (predicted, gold); 0: these two may not be matched."""


class Match(NamedTuple):
    """A matched pair: `exact` where it is the same tag once both are normalized."""

    predicted: str
    gold: str
    exact: bool


def normalize(tag: str) -> str:
    """A tag without case, accents' compositions, signs and spare spaces.

    >>> normalize("  #Trail-Running! "), normalize("CAFÉ"), normalize("C++")
    ('trail running', 'café', 'c')
    """
    folded = unicodedata.normalize("NFKC", tag).casefold()
    kept = "".join(char if char.isalnum() or unicodedata.category(char).startswith("M") else " " for char in folded)
    return " ".join(kept.split())


def distinct(tags: Sequence[str]) -> list[str]:
    """Tags without those that are the same as an earlier one once normalized, or empty.

    >>> distinct(["Trail running", "trail-running", "!", "Climbing"])
    ['Trail running', 'Climbing']
    """
    found: dict[str, str] = {}
    for tag in tags:
        found.setdefault(normalize(tag), tag)
    return [tag for key, tag in found.items() if key]


def match(predicted: Sequence[str], gold: Sequence[str], likeness: Likeness) -> list[Match]:
    """One-to-one matches of the distinct tags of both sides.

    Of those that aren't equal when normalized, as many as possible are matched, and of all such assignments the one
    with the greatest sum of scores is taken.

    Args:
        predicted: tags of one user, domain and (for figures by bucket) bucket.
        gold: the gold tags of the same.
        likeness: which of the others may be matched, and how well they fit.
    """
    mine, real = distinct(predicted), distinct(gold)
    by_key = {normalize(tag): tag for tag in real}
    exact = [Match(tag, by_key[normalize(tag)], exact=True) for tag in mine if normalize(tag) in by_key]
    left = [tag for tag in mine if normalize(tag) not in by_key]
    taken = {one.gold for one in exact}
    free = [tag for tag in real if tag not in taken]
    if not left or not free:
        return exact
    return exact + [Match(left[row], free[column], exact=False) for row, column in assign(likeness(left, free))]


def assign(scores: Floats) -> list[tuple[int, int]]:
    """The pairs of the largest one-to-one assignment over positive scores; of several, the one of the greatest sum.

    Args:
        scores: shape (rows, columns), in [0, 1]; 0 forbids a pair.

    Raises:
        MetricError: a score out of bounds.

    >>> import numpy as np
    >>> assign(np.array([[0.9, 0.8], [0.85, 0.0]]))
    [(0, 1), (1, 0)]
    """
    if scores.size and not (scores.min() >= 0 and scores.max() <= 1):
        raise MetricError(f"likeness between {scores.min()} and {scores.max()}; it must be in [0, 1]")
    from scipy.optimize import linear_sum_assignment

    pairs = min(scores.shape) + 1  # a whole pair more outweighs any sum of scores
    rows, columns = linear_sum_assignment(np.where(scores > 0, pairs + scores, 0.0), maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if scores[row, column] > 0]


def nothing_alike(predicted: Sequence[str], gold: Sequence[str]) -> Floats:
    """No two tags are alike unless they are equal when normalized."""
    return np.zeros((len(predicted), len(gold)))


THRESHOLD = 0.90
"""Cosine of two tags' vectors from which on they are the same interest; docs/profiles.md says how it was set."""


_DIGITS = 6
"""Of a cosine: vectors made alone or in a batch differ by up to 5e-8, and that may decide nothing."""


class EncoderLikeness:
    """Cosine of sentence vectors, from a threshold on.

    Args:
        encoder: of the tags, normalized.
        threshold: below it two tags may not be matched.
    """

    def __init__(self, encoder: Encoder, threshold: float = THRESHOLD) -> None:
        self._encoder = encoder
        self.threshold = threshold

    @property
    def name(self) -> str:
        """Encoder and threshold."""
        return f"{self._encoder.name} >= {self.threshold:g}"

    def __call__(self, predicted: Sequence[str], gold: Sequence[str]) -> Floats:
        """Cosines, 0 below the threshold; shape (predicted, gold)."""
        if not predicted or not gold:
            return nothing_alike(predicted, gold)
        vectors = self._encoder.encode([normalize(tag) for tag in (*predicted, *gold)]).astype(np.float64)
        cosines = np.clip(vectors[: len(predicted)] @ vectors[len(predicted) :].T, 0.0, 1.0)
        cosines = np.round(cosines, _DIGITS)
        return np.where(cosines >= self.threshold, cosines, 0.0)


class JudgedLikeness:
    """What a judge said of pairs of tags: those that it called the same may be matched, all alike.

    Args:
        same: normalized (predicted, gold) -> the judge's word; pairs that it wasn't asked about count as different.
    """

    def __init__(self, same: Mapping[tuple[str, str], bool]) -> None:
        self._same = same

    def __call__(self, predicted: Sequence[str], gold: Sequence[str]) -> Floats:
        """1 where the judge said "the same", else 0; shape (predicted, gold)."""
        rows = [[float(self._same.get((normalize(p), normalize(g)), False)) for g in gold] for p in predicted]
        return np.array(rows, np.float64).reshape(len(predicted), len(gold))
