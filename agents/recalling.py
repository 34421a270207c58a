"""Which earlier comments an author recalls: drawn at random, or the nearest to the discussion."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from folkmoot.agents.conditioning.scene import Recalled
from folkmoot.agents.memory import grouped, known, recall
from folkmoot.sim.events import TextEvent
from folkmoot.sim.persona import HistoryThread
from folkmoot.sim.protocols import Activation, Encoder

DIGITS = 4
"""Similarities are compared to so many digits: below that, machines differ."""


class Recaller(Protocol):
    """Chooses what an author is reminded of."""

    def __call__(
        self, history: Iterable[HistoryThread], activation: Activation, title: str, answered: TextEvent | None
    ) -> tuple[Recalled, ...]:
        """Earlier comments of other threads than that of `answered`, by thread, oldest first."""


class Drawn:
    """At random, from the activation's own stream (Wiki-Talkie's `history`).

    Args:
        most: comments at most.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    def __call__(
        self, history: Iterable[HistoryThread], activation: Activation, title: str, answered: TextEvent | None
    ) -> tuple[Recalled, ...]:
        """Draw."""
        del title
        return recall(history, activation, answered.thread if answered else None, self._most)


class Nearest:
    """The comments whose embeddings are nearest to the thread's title with the comment answered.

    Args:
        most: comments at most.
        encoder: embeds; it keeps what it has embedded.
    """

    def __init__(self, most: int, encoder: Encoder) -> None:
        self._most = most
        self._encoder = encoder

    def __call__(
        self, history: Iterable[HistoryThread], activation: Activation, title: str, answered: TextEvent | None
    ) -> tuple[Recalled, ...]:
        """Rank by cosine similarity; of equal ones the newer first."""
        pool = known(history, activation.now, answered.thread if answered else None)
        if len(pool) > self._most:
            query = f"{title}\n{answered.text}" if answered else title
            scores = self._scores(query, [comment.text for _, comment in pool])
            ranked = sorted(range(len(pool)), key=lambda i: (-scores[i], -pool[i][1].time, i))
            pool = [pool[i] for i in sorted(ranked[: self._most])]
        return grouped(pool)

    def _scores(self, query: str, texts: Sequence[str]) -> list[float]:
        vectors = self._encoder.encode([query, *texts])
        return [round(float(score), DIGITS) for score in vectors[1:] @ vectors[0]]
