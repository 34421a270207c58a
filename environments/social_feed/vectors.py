"""Embeddings of posts and profiles, made when a ranking asks for them, each text once."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from folkmoot.sim.feed import PostCreated
from folkmoot.sim.protocols import Encoder

Matrix = NDArray[np.float32]


def words(post: PostCreated) -> str:
    """What a post says: text, captions of its images, hashtags that aren't in the text."""
    tags = (f"#{tag}" for tag in post.hashtags if f"#{tag}" not in post.text)
    return "\n".join(part for part in (post.text, *post.captions, " ".join(tags)) if part)


class Vectors:
    """Text -> embedding, cached; the texts of one question that are new are encoded in one batch.

    Args:
        encoder: of sentences; its embeddings have length 1.
        profiles: user -> text that says what they are interested in.
    """

    def __init__(self, encoder: Encoder, profiles: Mapping[str, str]) -> None:
        self._encoder = encoder
        self._profiles = profiles
        self._rows: dict[str, int] = {}
        self._matrix: Matrix = np.zeros((64, encoder.dimension), np.float32)

    def of(self, texts: Sequence[str]) -> Matrix:
        """Embeddings, shape (len(texts), dimension); zeros for an empty text."""
        new = [text for text in dict.fromkeys(texts) if text and text not in self._rows]
        if new:
            self._take(new)
        rows = np.array([self._rows.get(text, -1) for text in texts], np.int64)
        found: Matrix = self._matrix[rows]
        return found

    def profile(self, user: str, own: Sequence[PostCreated]) -> Matrix:
        """The user's profile, shape (dimension,); where they have none, the mean of their own posts; else zeros."""
        if text := self._profiles.get(user, ""):
            vector: Matrix = self.of([text])[0]
            return vector
        mean: Matrix = self.of([words(post) for post in own]).sum(axis=0) / max(1, len(own))
        return mean

    def _take(self, texts: list[str]) -> None:
        size = len(self._rows)
        while size + len(texts) >= len(self._matrix):  # the last row stays free
            self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
        self._matrix[size : size + len(texts)] = self._encoder.encode(texts)
        self._rows.update((text, size + i) for i, text in enumerate(texts))


def cosines(matrix: Matrix, vector: Matrix) -> NDArray[np.float64]:
    """Cosine of each row with the vector, four decimals; 0 where either is zero."""
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(vector)
    products = matrix @ vector
    found = np.divide(products, norms, out=np.zeros_like(products), where=norms > 0)
    rounded: NDArray[np.float64] = np.round(found.astype(np.float64), 4)
    return rounded
