"""The reply graph in numbers: degrees, reciprocity, concentration, for many bootstrap draws at once.

Counting is in `reply_graph`; networkx stands at the border (`ReplyGraph.to_networkx`) and is the
oracle in the tests. A draw weights the threads, and so the answers in them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from folkmoot.metrics.reply_graph import ReplyGraph
from folkmoot.metrics.tensors import Array, as_tensor
from folkmoot.sim.errors import MetricError

HIGHEST = 20
"""Users answered by so many others or more share the last bin of the degree histogram."""

_CHUNK = 50  # draws at a time: edges x 50 counts fit a processor's cache


@dataclass(frozen=True, slots=True)
class GraphNumbers:
    """What B draws of a reply graph come to; all have B as first dimension.

    Attributes:
        in_degrees: users by number of distinct others who answered them, shape (B, HIGHEST + 1).
        edges: pairs (who, whom) that occur.
        mutual: edges whose opposite occurs too.
        answers: answers to others.
        returned: summed min(w_ij, w_ji) over the edges.
        gini: concentration of the answers that users got.
    """

    in_degrees: Tensor
    edges: Tensor
    mutual: Tensor
    answers: Tensor
    returned: Tensor
    gini: Tensor

    @property
    def reciprocity(self) -> Tensor:
        """Share of edges whose opposite occurs. Shape (B,); range [0, 1]; NaN without edges."""
        return self.mutual / self.edges

    @property
    def weighted_reciprocity(self) -> Tensor:
        """Summed min(w_ij, w_ji) / summed w_ij (Squartini et al. 2013). Shape (B,); range [0, 1]."""
        return self.returned / self.answers


class GraphSide:
    """A reply graph as a bootstrap side: its units are threads, or `blocks` of them (see `Rows`)."""

    def __init__(self, graph: ReplyGraph, device: str = "cpu", blocks: int = 0) -> None:
        self.n_units, self._n_users = len(graph.threads), len(graph.users)
        self._rows = min(blocks, self.n_units) if blocks else self.n_units
        answered, edge, thread = (np.array(a) for a in (graph.edge_target, graph.reply_edge, graph.reply_thread))
        thread = thread % max(1, self._rows)
        self._by_edge = _Groups(thread, edge, len(answered), device)
        self._into = _Groups(np.arange(len(answered)), answered, self._n_users, device)
        self._received = _Groups(thread, answered[edge], self._n_users, device)
        self._pairs = torch.tensor(graph.mutual, dtype=torch.int64, device=device).reshape(-1, 2)

    def __len__(self) -> int:
        return self._rows

    def weighted(self, weights: Tensor) -> GraphNumbers:
        """Numbers under each row of thread weights, shape (B, threads)."""
        columns = weights.to(torch.float32).T  # counts: exact in float32 up to 2**24
        parts = [self._numbers(columns[:, i : i + _CHUNK].contiguous()) for i in range(0, len(weights), _CHUNK)]
        joined = [torch.cat([getattr(part, item.name) for part in parts]) for item in fields(GraphNumbers)]
        return GraphNumbers(*(values.to(weights.dtype) for values in joined))

    def in_degree(self, weights: Tensor) -> Tensor:
        """Distinct others who answered each user, shape (users, B); weights (threads, B)."""
        return self._into.sums(self._by_edge.sums(weights).clamp(max=1))

    def _numbers(self, weights: Tensor) -> GraphNumbers:
        edges = self._by_edge.sums(weights)
        degrees = self._into.sums(edges.clamp(max=1))
        received = self._received.sums(weights)
        less = torch.minimum(edges[self._pairs[:, 0]], edges[self._pairs[:, 1]])
        return GraphNumbers(
            _histogram(degrees),
            degrees.sum(0),
            2 * less.clamp(max=1).sum(0),
            received.sum(0),
            2 * less.sum(0),
            gini(received.T, dim=-1),
        )


class _Groups:
    """Sums of rows by group: one fused kernel on any device.

    Args:
        rows: row that each entry adds, shape (n,).
        groups: group that it adds to, shape (n,).
        n_groups: number of groups; those without entries sum to 0.
        device: of the sums.
    """

    def __init__(self, rows: NDArray[np.integer], groups: NDArray[np.integer], n_groups: int, device: str) -> None:
        # numpy sorts numbers of 16 bits by radix, in a tenth of the time.
        order = np.argsort(groups.astype(np.uint16) if n_groups <= 1 << 16 else groups, kind="stable")
        self._rows = torch.from_numpy(np.asarray(rows, dtype=np.int64)[order]).to(device)
        starts = np.searchsorted(groups[order], np.arange(n_groups))
        self._starts = torch.from_numpy(starts.astype(np.int64)).to(device)

    def sums(self, values: Tensor) -> Tensor:
        """Shape (rows, B) -> (groups, B)."""
        if not len(self._starts) or not len(values):
            return values.new_zeros(len(self._starts), values.shape[1])
        return torch.nn.functional.embedding_bag(self._rows, values, self._starts, mode="sum")


def graph_numbers(graph: ReplyGraph) -> GraphNumbers:
    """The graph as it is: one draw.

    Raises:
        MetricError: the graph has no threads.
    """
    side = GraphSide(graph)
    if not len(side):
        raise MetricError("the reply graph has 0 threads; add comments before it is measured")
    return side.weighted(torch.ones(1, len(side), dtype=torch.float64))


def graph_of_pairs(pairs: Sequence[tuple[str, str]]) -> ReplyGraph:
    """The reply graph of (who answers, who is answered) pairs, all in one thread.

    >>> graph_numbers(graph_of_pairs([("a", "b"), ("b", "a"), ("c", "a"), ("c", "a")])).reciprocity.item()
    0.6666666666666666
    """
    from folkmoot.metrics.threads import Turn

    numbers: dict[str, int] = {}
    graph = ReplyGraph()
    for who, whom in pairs:
        user, answered = (numbers.setdefault(name, len(numbers)) for name in (who, whom))
        graph.add(Turn(0, user, 1, answered, None))
    return graph


def _histogram(degrees: Tensor) -> Tensor:
    """Users by degree in each draw. Shape (users, B) -> (B, HIGHEST + 1)."""
    bins = degrees.T.clamp(max=HIGHEST).to(torch.int64)
    return degrees.new_zeros(len(bins), HIGHEST + 1).scatter_add_(1, bins, torch.ones_like(degrees.T))


def gini(amounts: Array, dim: int = 0) -> Tensor:
    """Concentration over one dimension. Range [0, 1 - 1/n]; 0: all equal; NaN where all amounts are 0.

    G = sum_i (2 i - n - 1) x_(i) / (n sum x), x sorted ascending, i from 1.

    Raises:
        MetricError: no amounts, or a negative one.

    >>> gini([0, 0, 0, 1]).item()
    0.75
    """
    tensor = as_tensor(amounts)
    if not tensor.ndim or not tensor.shape[dim] or bool((tensor < 0).any()):
        raise MetricError(f"amounts of shape {tuple(tensor.shape)}; one amount >= 0 at least")
    ordered = tensor.movedim(dim, -1).sort(-1).values
    n = ordered.shape[-1]
    ranks = 2 * torch.arange(1, n + 1, dtype=tensor.dtype, device=tensor.device) - n - 1
    return torch.div(ordered @ ranks, n * ordered.sum(-1))
