"""Which threads were active last, at any past moment, in time that doesn't grow with the log."""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import islice

EVERY = 16
"""Touches between two marks."""

DEPTH = 32
"""Threads kept in a mark."""


class Feed:
    """Touches of threads in order, readable as of any earlier moment.

    A touch is a position in the state's columns. It is a thread's newest at some moment if the
    thread's next touch comes later, so reading backwards and passing over the others gives the order
    of activity. A busy thread would make that long; so after every `EVERY` touches a mark keeps the
    newest touches of the `DEPTH` most recently active open threads, and reading goes on from there.
    """

    __slots__ = ("_ends", "_marks", "_newest", "positions")

    def __init__(self) -> None:
        # Arrays, not lists of int objects: a read touches few cache lines, however long ago its rows came.
        self.positions = array("q")
        self._newest: OrderedDict[str, int] = OrderedDict()
        self._marks = array("q")
        self._ends = array("q", [0])

    def touch(self, thread: str, position: int) -> None:
        """A comment was placed in the thread."""
        self.positions.append(position)
        self._newest[thread] = position
        self._newest.move_to_end(thread)
        if len(self.positions) % EVERY == 0:
            self._marks.extend(islice(reversed(self._newest.values()), DEPTH))
            self._ends.append(len(self._marks))

    def close(self, thread: str) -> None:
        """The thread was archived: later marks pass over it."""
        self._newest.pop(thread, None)

    def head(self, shown: int, later: Sequence[int]) -> tuple[list[int], int]:
        """Newest touches of the most recently active threads, last first; archived threads may be among them.

        Args:
            shown: only touches below this position had happened.
            later: position -> position of the thread's next touch.

        Returns:
            The touches, and the position below which there may be more.
        """
        size = bisect_left(self.positions, shown)
        mark, near = self._mark(size // EVERY), self.positions[size - size % EVERY : size]
        near.reverse()
        near.extend(mark)
        return [p for p in near if later[p] >= shown], mark[-1] if len(mark) == DEPTH else 0

    def _mark(self, index: int) -> "array[int]":
        """The mark after `index * EVERY` touches; there is none before the first."""
        return self._marks[self._ends[index - 1] if index else 0 : self._ends[index]]

    def rest(self, below: int, shown: int, later: Sequence[int]) -> Iterator[int]:
        """The touches that `head` left out, last first."""
        end = bisect_left(self.positions, below)
        return (p for p in map(self.positions.__getitem__, range(end - 1, -1, -1)) if later[p] >= shown)
