"""A graph of users in numbers: reciprocity, clustering, degree assortativity, concentration."""

from collections.abc import Collection, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Edge = tuple[str, str]
NUMBERS = ("reciprocity", "clustering", "assortativity")


class WiringSide:
    """Edges in units (cascades, or followers) as a bootstrap side; a draw holds the edges of the units that it drew.

    Args:
        groups: edges (who, whom) of each unit, nobody to oneself.
    """

    def __init__(self, groups: Sequence[Collection[Edge]]) -> None:
        names = sorted({name for group in groups for edge in group for name in edge})
        number = {name: index for index, name in enumerate(names)}
        self.n_units, self._n = len(groups), len(names)
        self._edges = np.array([[number[a], number[b]] for g in groups for a, b in g], dtype=np.int64).reshape(-1, 2)
        self._units = np.repeat(np.arange(len(groups)), [len(group) for group in groups])

    def __len__(self) -> int:
        return self.n_units

    def weighted(self, weights: Tensor) -> dict[str, Tensor]:
        """Numbers under each row of weights, shape (B, units) -> (B,) each; NaN where they aren't defined."""
        rows = [self._numbers(row) for row in weights.numpy() > 0]
        return {name: torch.tensor([row[i] for row in rows], dtype=weights.dtype) for i, name in enumerate(NUMBERS)}

    def _numbers(self, drawn: NDArray[np.bool_]) -> tuple[float, float, float]:
        return wiring(np.unique(self._edges[drawn[self._units]], axis=0), self._n)


def wiring(edges: NDArray[np.int64], n: int) -> tuple[float, float, float]:
    """Reciprocity, clustering and assortativity of distinct directed edges, shape (m, 2), between n users.

    Reciprocity: share of edges whose opposite is there. Clustering: transitivity of the undirected graph, 3 x
    triangles / pairs of edges that meet (Newman 2003). Assortativity: correlation of the degrees at the two ends of
    undirected edges (Newman 2002).

    >>> wiring(np.array([[0, 1], [1, 0], [1, 2], [2, 0]]), 3)[:2]
    (0.5, 1.0)
    """
    from scipy.sparse import csr_array

    if not len(edges):
        return (float("nan"),) * 3
    directed = csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    mutual = directed.multiply(directed.T).sum()
    both = directed.maximum(directed.T).tocsr()
    degrees: NDArray[np.float64] = np.asarray(both.sum(1)).ravel()
    pairs = (degrees * (degrees - 1)).sum()
    closed = (both @ both).multiply(both).sum()
    ends = both.tocoo()
    return (
        float(mutual / len(edges)),
        float(closed / pairs) if pairs else float("nan"),
        _correlation(degrees[ends.row], degrees[ends.col]),
    )


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    sd = x.std()
    return float(((x - x.mean()) * (y - y.mean())).mean() / sd**2) if sd > 0 else float("nan")
