"""Sums by thread: all that a monitor keeps of the comments that it has read.

Memory grows with threads, not with comments: one row of numbers a thread, and the rows of the last
`window` comments. No text is kept.
"""

from collections import deque
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


Entry = tuple[int, tuple[int, ...], tuple[float, ...]]
"""A comment: its thread's row, columns, and what it adds to each."""

_PENDING = 1024


class ThreadSums:
    """Adds up rows of `width` numbers by thread.

    Args:
        width: numbers in a row.
        window: how many of the last comments `recent` looks back on; 0: none.
    """

    def __init__(self, width: int, window: int = 0) -> None:
        self.width = width
        self.n_items = 0
        self._index: dict[str, int] = {}
        self._data: Matrix = np.zeros((64, width))
        self._pending: list[Entry] = []
        self._window: deque[Entry] = deque(maxlen=window)

    def add(self, thread: str, columns: tuple[int, ...], values: tuple[float, ...]) -> None:
        """Add a comment's numbers to its thread; a column may come twice."""
        entry = (self._index.setdefault(thread, len(self._index)), columns, values)
        self.n_items += 1
        self._pending.append(entry)
        self._window.append(entry)
        if len(self._pending) >= _PENDING:
            self._settle()

    def matrix(self) -> Matrix:
        """Sums of all comments, shape (threads, width), threads in order of appearance. A view."""
        self._settle()
        return self._data[: len(self._index)]

    def recent(self) -> Matrix:
        """Sums of the last `window` comments, shape (threads among them, width)."""
        rows = {row: i for i, row in enumerate(sorted({entry[0] for entry in self._window}))}
        sums: Matrix = np.zeros((len(rows), self.width))
        add_entries(sums, [(rows[row], columns, values) for row, columns, values in self._window])
        return sums

    @property
    def n_recent(self) -> int:
        """Comments in the window."""
        return len(self._window)

    def _settle(self) -> None:
        while len(self._index) > len(self._data):
            self._data = np.concatenate([self._data, np.zeros_like(self._data)])
        add_entries(self._data, self._pending)
        self._pending.clear()


def add_entries(sums: Matrix, entries: Sequence[Entry]) -> None:
    """Add entries to a matrix, in place.

    >>> sums = np.zeros((2, 2))
    >>> add_entries(sums, [(0, (1,), (3.0,)), (0, (0, 1), (1.0, 1.0))])
    >>> sums.tolist()
    [[1.0, 4.0], [0.0, 0.0]]
    """
    counts = [len(columns) for _, columns, _ in entries]
    rows = np.repeat(np.fromiter((row for row, _, _ in entries), np.int64, len(entries)), counts)
    columns = np.fromiter(chain.from_iterable(columns for _, columns, _ in entries), np.int64, len(rows))
    values = np.fromiter(chain.from_iterable(values for _, _, values in entries), np.float64, len(rows))
    np.add.at(sums.reshape(-1), rows * sums.shape[1] + columns, values)
