"""Near-duplicate posts: clusters by the Jaccard similarity of their word triples.

MinHash estimates this similarity where pairs are too many to look at. A timeline has 200 posts at most, so it is
computed exactly, as one sparse product. Sentence vectors don't do the job: different posts about one hobby are near
one another.
"""

import re
from collections.abc import Sequence

import numpy as np

THRESHOLD = 0.5
"""Similarity from which on two posts are near-duplicates."""

_WORDS = 3
_LINK = re.compile(r"https?://\S+")
_WORD = re.compile(r"\w+")


def shingles(text: str) -> set[tuple[str, ...]]:
    """Runs of three words, links left out; of shorter texts the whole.

    >>> sorted(shingles("One cat, two CATS https://a.example"))
    [('cat', 'two', 'cats'), ('one', 'cat', 'two')]
    """
    words = _WORD.findall(_LINK.sub(" ", text).casefold())
    if len(words) <= _WORDS:
        return {tuple(words)} if words else set()
    return {tuple(words[k : k + _WORDS]) for k in range(len(words) - _WORDS + 1)}


def clusters(texts: Sequence[str], threshold: float = THRESHOLD) -> list[int]:
    """The cluster of each text, numbered from 0; what is similar to any of a cluster belongs to it.

    Texts without words are alone.

    >>> clusters(["out with the dog today", "a new lens", "Out with the dog today!", ""])
    [0, 1, 0, 2]
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    if not texts:
        return []
    own = [sorted(shingles(text)) for text in texts]
    places = {one: k for k, one in enumerate(sorted({one for some in own for one in some}))}
    rows = np.repeat(np.arange(len(own)), [len(some) for some in own])
    columns = np.array([places[one] for some in own for one in some], np.int64)
    table = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(own), max(1, len(places))))
    common = (table @ table.T).tocoo()
    sizes = np.array([len(some) for some in own], np.float64)
    similar = common.data / (sizes[common.row] + sizes[common.col] - common.data) >= threshold
    graph = csr_matrix(
        (np.ones(int(similar.sum())), (common.row[similar], common.col[similar])), shape=(len(own), len(own))
    )
    _, found = connected_components(graph, directed=False)
    first = {label: k for k, label in enumerate(dict.fromkeys(found.tolist()))}
    return [first[label] for label in found.tolist()]
