"""Cascades and reply trees in numbers: size, depth, breadth, structural virality, branching."""

from collections.abc import Sequence
from typing import NamedTuple

from folkmoot.sim.errors import MetricError


class Tree(NamedTuple):
    """The shape of one tree.

    Attributes:
        size: nodes.
        depth: edges from the root to the farthest node.
        breadth: nodes on the widest level.
        virality: mean number of edges between two nodes (Goel et al. 2016, structural virality); 0 for one node.
        children: number of children of each node.
    """

    size: int
    depth: int
    breadth: int
    virality: float
    children: tuple[int, ...]


def tree(parents: Sequence[int]) -> Tree:
    """The shape of a tree given by each node's parent; a parent stands before its children. O(n).

    The mean distance is the Wiener index over the pairs: an edge above a subtree of s nodes lies between s (n - s).

    Args:
        parents: index of the parent, -1 for the root, which comes first.

    Raises:
        MetricError: no node, another root, or a parent that doesn't stand before its child.

    >>> tree([-1, 0, 0])
    Tree(size=3, depth=1, breadth=2, virality=1.3333333333333333, children=(2, 0, 0))
    """
    n = len(parents)
    if not n or parents[0] != -1:
        raise MetricError(f"parents {list(parents[:3])}...; the first node is the root and has parent -1")
    levels, children, below = [0] * n, [0] * n, [1] * n
    for node, parent in enumerate(parents[1:], 1):
        if not 0 <= parent < node:
            raise MetricError(f"node {node} has parent {parent}; parents stand before their children, from 0")
        levels[node] = levels[parent] + 1
        children[parent] += 1
    apart = 0
    for node in range(n - 1, 0, -1):
        below[parents[node]] += below[node]
        apart += below[node] * (n - below[node])
    widths = [0] * n
    for level in levels:
        widths[level] += 1
    virality = 2 * apart / (n * (n - 1)) if n > 1 else 0.0
    return Tree(n, max(levels), max(widths), virality, tuple(children))
