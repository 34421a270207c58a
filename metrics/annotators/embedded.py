"""The default annotators: classifier heads over the sentence encoder. No hub, no server, seconds to start.

Both judge the target comment alone (`context` is 0): the exemplars that they are trained on have no comments
before them. Figures and failures: docs/annotators.md and heads/CARD.md.
"""

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS, Counted, Labels
from folkmoot.metrics.annotators.features import FEATURES, MAX_SENTENCES, FeatureEncoder, matrix, pieces
from folkmoot.metrics.annotators.heads import Head, load
from folkmoot.metrics.annotators.spelling import product
from folkmoot.metrics.text import count_sentences
from folkmoot.sim.protocols import Utterance


class _Embedded(Counted):
    """A head, an encoder, and the thread that keeps the loop free."""

    name: str
    labels: tuple[str, ...]
    context = 0

    def __init__(self, encoder: FeatureEncoder, head: Head) -> None:
        super().__init__()
        self._encoder, self._head = encoder, head

    @property
    def version(self) -> str:
        """Hash of the head's weights, the features and the encoder."""
        return f"{self._head.digest}/{FEATURES}/{self._encoder.name}"

    async def annotate(self, batch: Sequence[Utterance]) -> list[Labels | None]:
        """Labels of each utterance, from its text (and the name of its language) alone; never None."""
        texts, languages = [one.text for one in batch], [one.language for one in batch]
        return await asyncio.to_thread(self._annotate, texts, languages)

    def _annotate(self, texts: Sequence[str], languages: Sequence[str]) -> list[Labels | None]:
        raise NotImplementedError


class EmbeddedActs(_Embedded):
    """Ten acts, several a comment: a comment does what any of its sentences does.

    A label holds where the largest of the sentences' logits reaches the label's threshold; where none does,
    the label nearest to its threshold is taken, so that a comment has at least one act.
    """

    name = "embedded-acts"
    labels = ACTS

    def __init__(self, encoder: FeatureEncoder, head: Head | None = None) -> None:
        super().__init__(encoder, head or load("acts"))

    def margins(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Logit minus threshold, the largest over the sentences; shape (len(texts), 10)."""
        cut = [pieces(text) for text in texts]
        self.count(f"sentences beyond the first {MAX_SENTENCES}", sum(map(_excess, texts)))
        flat = [piece for one in cut for piece in one]
        if not flat:
            return np.zeros((0, len(self.labels)), np.float32)
        scores = self._head.scores(matrix(self._encoder, flat)) - self._head.thresholds
        starts = np.cumsum([0, *map(len, cut[:-1])])
        return np.asarray(np.maximum.reduceat(scores, starts, axis=0), np.float32)

    def _annotate(self, texts: Sequence[str], languages: Sequence[str]) -> list[Labels | None]:  # noqa: ARG002 -- acts are judged alike in all languages
        return [self._chosen(margin) for margin in self.margins(texts)]

    def _chosen(self, margin: NDArray[np.float32]) -> Labels:
        held = margin >= min(0.0, float(margin.max()))
        return tuple(label for label, holds in zip(self.labels, held, strict=True) if holds)


class EmbeddedSentiment(_Embedded):
    """Five ordered points by four linear outputs: is it above very negative, negative, neutral, positive?

    Each of the five languages has weights of its own beside those that serve any language; hashed character n-grams
    add to them.
    """

    name = "embedded-sentiment"
    labels = SENTIMENTS

    def __init__(self, encoder: FeatureEncoder, head: Head | None = None) -> None:
        super().__init__(encoder, head or load("sentiment"))

    def points(self, texts: Sequence[str], languages: Sequence[str] = ()) -> NDArray[np.int64]:
        """Points 1..5, shape (len(texts),). `languages`: one a text, ISO 639-1; none: judged alike."""
        if not texts:
            return np.zeros(0, np.int64)
        scores = self._head.scores(matrix(self._encoder, texts), languages)
        if self._head.spelling is not None:
            scores = scores + product(texts, self._head.spelling)
        return points_of(scores, self._head.thresholds)

    def _annotate(self, texts: Sequence[str], languages: Sequence[str]) -> list[Labels | None]:
        return [(self.labels[point - 1],) for point in self.points(texts, languages)]


def points_of(scores: NDArray[np.float32], thresholds: NDArray[np.float32]) -> NDArray[np.int64]:
    """From four outputs that were fitted to -1 and 1 to a point; shapes (n, 4), (4,) -> (n,).

    The side is the largest of three fits: negative is -(above 2), positive is (above 3), neutral what these leave (the
    three sum to -1); the inner thresholds shift the sides. On a side the outer output tells the outer point.
    """
    shifted = scores - thresholds
    negative, positive = -shifted[:, 1], shifted[:, 2]
    neutral = scores[:, 1] - scores[:, 2] - 1
    side = np.stack([negative, neutral, positive], 1).argmax(1)
    outer = np.where(side == 0, -1 * (shifted[:, 0] < 0), (side == 2) & (shifted[:, 3] >= 0))  # noqa: PLR2004 -- positive
    return np.asarray(side + 2 + outer, np.int64)


def _excess(text: str) -> int:
    return max(0, count_sentences(text) - MAX_SENTENCES)
