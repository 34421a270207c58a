"""Character n-grams, hashed: what a sentence vector blurs (emphasis, emoji, the words themselves).

A text in NFC and lower case is cut at white space; each word, a space on either side, gives its runs of two to five
characters. A run's place is its CRC-32 modulo the width, its sign another bit of it (feature hashing, Weinberger et al.
2009). Values are counts, the row of unit length.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

SPELLING = "folkmoot-spelling/1"
"""Name and version of this module's output."""

SHORTEST, LONGEST = 2, 5
_CHARACTERS = 4_000
"""A text's later characters aren't read: mood shows early, and a pasted article has none."""


def grams(text: str) -> Iterable[str]:
    """The runs of a text, with repeats.

    >>> list(grams("No!"))
    [' n', 'no', 'o!', '! ', ' no', 'no!', 'o! ', ' no!', 'no! ', ' no! ']
    """
    clean = text[:_CHARACTERS].encode("utf-8", "replace").decode()
    for word in unicodedata.normalize("NFC", clean.lower()).split():
        held = f" {word} "
        for size in range(SHORTEST, LONGEST + 1):
            for start in range(len(held) - size + 1):
                yield held[start : start + size]


def hashed(text: str, width: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Places (distinct, ascending) and values of a text's row, which has unit length unless the text is empty."""
    codes = np.fromiter((crc32(gram.encode()) for gram in grams(text)), np.int64)
    places, where = np.unique(codes % width, return_inverse=True)
    values = np.zeros(len(places), np.float64)
    np.add.at(values, where, 1.0 - 2.0 * (codes >> 31))
    length = np.linalg.norm(values)
    return places, (values / (length if length > 0 else 1.0)).astype(np.float32)


def product(texts: Sequence[str], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows times weights; shapes (n texts), (width, outputs) -> (n, outputs)."""
    rows = [hashed(text, len(weights)) for text in texts]
    sums = [values @ weights[places] for places, values in rows]
    return np.array(sums, np.float32).reshape(len(texts), weights.shape[1])
