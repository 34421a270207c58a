"""From a comment to the numbers that a classifier head reads.

A comment is cut into its sentences; each gets the encoder's token means at several layers and a few counts that
need no language. Heads judge sentences; what a comment does is the union of what its sentences do.
"""

import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from folkmoot.metrics.text import SPLITTER, sentences

SURFACE = ("question", "exclamation", "project link", "other link", "web address", "locator", "template", "words", "positive emoji", "negative emoji")  # fmt: skip # noqa: E501
"""Names of the counts that need no language."""

FEATURES = f"folkmoot-features/1+{SPLITTER}"
"""Name and version of this module's output."""

MAX_SENTENCES = 40
"""A comment's later sentences are dropped, and counted: a pasted article isn't a comment's acts."""

_PATTERNS = (
    re.compile("[?\u00bf\u061f\uff1f]"),
    re.compile("[!\u00a1\uff01]"),
    re.compile(r"\[\[:?(?:WP|MOS|H|[Ww]ikip[eéè]dia|Aiuto|Ayuda|Aide|Hilfe|Help)[^\]\n]{0,200}\]\]|\bWP:[A-Z0-9]{2,}"),
    re.compile(r"\[\[(?!:?(?:WP|MOS|H|[Ww]ikip))[^\]\n]{1,200}\]\]"),
    re.compile(r"https?://|\bwww\.|\bdoi:", re.IGNORECASE),
    re.compile(r"\b(?:pp?|S|pág|págs|pag|pagg|cap|vol|no|Nr|n|fn)\. ?\d|[§°º] ?\d|''[^'\n]{3,80}''"),
    re.compile(r"\{\{[^}\n]{1,200}\}\}"),
)
_GLAD = re.compile(
    r"[\U0001F600-\U0001F60D\U0001F618\U0001F642\U0001F44D\U0001F389\U0001F60A\u2764\u263A\U0001F64F\U0001F44F]|[:;]-?[)D]|<3|\^\^"
)
_SAD = re.compile(r"[\U0001F612-\U0001F616\U0001F61E-\U0001F62D\U0001F641\U0001F44E\U0001F621\U0001F620]|:-?[(/]")


class FeatureEncoder(Protocol):
    """What a head needs of an encoder: token means at several layers."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def layers(self) -> tuple[int, ...]: ...  # noqa: D102

    def features(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), len(layers), dimension)."""


def pieces(text: str) -> list[str]:
    """The sentences of a comment, at most `MAX_SENTENCES`; at least one piece, be it empty.

    >>> pieces("Done. Is that fine?")
    ['Done.', 'Is that fine?']
    >>> pieces("+1")
    ['+1']
    """
    return sentences(text)[:MAX_SENTENCES] or [text.strip()]


def surface(text: str) -> NDArray[np.float32]:
    """Counts that need no language, each capped at 2, and the logarithm of the length; shape (len(SURFACE),)."""
    text = text[:20_000]
    counts = [min(2, len(pattern.findall(text))) for pattern in _PATTERNS]
    length = np.log1p(len(text.split())) / 2
    return np.array([*counts, length, min(2, len(_GLAD.findall(text))), min(2, len(_SAD.findall(text)))], np.float32)


def matrix(encoder: FeatureEncoder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Layer means, each of unit length, beside the surface counts; shape (len(texts), layers * dimension + 10)."""
    if not texts:
        return np.zeros((0, 0), np.float32)
    means = encoder.features(texts)
    means = means / np.maximum(np.linalg.norm(means, axis=-1, keepdims=True), np.float32(1e-9))
    return np.concatenate([means.reshape(len(texts), -1), np.stack([surface(text) for text in texts])], axis=1)
