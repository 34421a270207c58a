"""Sums by thread: all that a monitor keeps of the comments that it has read.

Memory grows with threads, not with comments: one row of numbers a thread, and the rows of the last
`window` comments. No text is kept.
"""

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


class ThreadSums:
    """Adds up rows of `width` numbers by thread.

    Args:
        width: numbers in a row.
        window: how many of the last rows `recent` looks back on; 0: none.
    """

    def __init__(self, width: int, window: int = 0) -> None:
        self.width = width
        self.n_items = 0
        self._index: dict[str, int] = {}
        self._data: Matrix = np.zeros((64, width))
        self._window: deque[tuple[int, Sequence[float]]] = deque(maxlen=window)

    def add(self, thread: str, row: Sequence[float]) -> None:
        """Add a comment's row to its thread; amortised O(width)."""
        index = self._index.setdefault(thread, len(self._index))
        if index >= len(self._data):
            self._data = np.concatenate([self._data, np.zeros_like(self._data)])
        self._data[index] += row
        self.n_items += 1
        if self._window.maxlen:
            self._window.append((index, row))

    def matrix(self) -> Matrix:
        """Sums of all comments, shape (threads, width), threads in order of appearance. A view."""
        return self._data[: len(self._index)]

    def recent(self) -> Matrix:
        """Sums of the last `window` comments, shape (threads among them, width)."""
        return group_rows([index for index, _ in self._window], [row for _, row in self._window], self.width)

    @property
    def n_recent(self) -> int:
        """Comments in the window."""
        return len(self._window)


def group_rows(groups: Sequence[int], rows: Sequence[Sequence[float]], width: int) -> Matrix:
    """Sum rows by group, groups in ascending order. Shape (distinct groups, width).

    >>> group_rows([4, 2, 4], [[1], [2], [3]], 1).tolist()
    [[2.0], [4.0]]
    """
    if not rows:
        return np.zeros((0, width))
    distinct, where = np.unique(np.asarray(groups), return_inverse=True)
    sums: Matrix = np.zeros((len(distinct), width))
    np.add.at(sums, where, np.asarray(rows, dtype=np.float64))
    return sums
