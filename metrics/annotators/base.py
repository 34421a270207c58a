"""Labels, and what the annotators of this folder share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from folkmoot.sim.errors import AnnotationError

ACTS = ("CRITIQUE", "REQUEST", "REFERENCE", "COMMIT", "REPORT", "INFORM", "ASK", "POSITIVE", "NEGATIVE", "PARTIAL")
"""The ten dialog acts, several a comment (Wiki-Talkie paper, section on dialog acts; labels after SEWD)."""

SENTIMENTS = ("very negative", "negative", "neutral", "positive", "very positive")
"""The five ordered points; a label's value is its place, counted from 1."""

Labels = tuple[str, ...]


class GoldLike(Protocol):
    """Labels given by a corpus: acts, and sentiment 1 (very negative) to 5 (very positive)."""

    @property
    def acts(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def sentiment(self) -> int: ...  # noqa: D102


def point(label: str) -> int:
    """The value of a sentiment label.

    >>> point("neutral")
    3
    """
    return SENTIMENTS.index(label) + 1


def in_order(labels: Sequence[str], known: Sequence[str]) -> Labels:
    """Each label once, in the fixed order.

    Raises:
        AnnotationError: a label isn't known.

    >>> in_order(["ASK", "CRITIQUE", "ASK"], ACTS)
    ('CRITIQUE', 'ASK')
    """
    for label in labels:
        if label not in known:
            raise AnnotationError(f"unknown label {label!r}; known: {', '.join(known)}")
    return tuple(label for label in known if label in labels)


class Counted:
    """Counts by reason what an annotator couldn't do or had to change; kept beside its answers."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, reason: str, times: int = 1) -> None:
        """Add to a reason's count."""
        self._counts[reason] += times

    @property
    def counts(self) -> Mapping[str, int]:
        """Reason -> how often so far, in alphabetical order."""
        return dict(sorted(self._counts.items()))
