"""Which threads were active last, at any past moment, in time that doesn't grow with the log."""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import islice

EVERY = 8
"""Touches between two marks."""

DEPTH = 24
"""Threads kept in a mark."""


class Feed:
    """Touches of threads in order, readable as of any earlier moment.

    A touch is a position in the state's columns, and each row knows the row before it in its thread. Reading
    backwards and passing over rows that a newer one has followed gives the order of activity. A busy thread
    would make that long; so after every `EVERY` touches a mark keeps the newest touches of the `DEPTH` most
    recently active open threads: what is read is the touches since, and the mark. The present needs no reading
    backwards: `newest` keeps it.
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

    def newest(self) -> Iterator[int]:
        """The newest touch of each open thread as of now, last first."""
        return reversed(self._newest.values())

    def head(self, shown: int, before: Sequence[int]) -> tuple[list[int], int]:
        """Newest touches of the most recently active threads, last first; archived threads may be among them.

        Args:
            shown: only touches below this position had happened.
            before: position -> position of the thread's previous touch.

        Returns:
            The touches, and the position below which there may be more.
        """
        size = bisect_left(self.positions, shown)
        mark, near = self._mark(size // EVERY), self.positions[size - size % EVERY : size]
        followed = {before[p] for p in near}
        near.reverse()
        near.extend(mark)
        return [p for p in near if p not in followed], mark[-1] if len(mark) == DEPTH else 0

    def rest(self, below: int, shown: int, before: Sequence[int]) -> Iterator[int]:
        """The touches that `head` left out, last first."""
        size, start = bisect_left(self.positions, shown), bisect_left(self.positions, below)
        followed = set()
        for index in range(size - 1, -1, -1):
            position = self.positions[index]
            if index < start and position not in followed:
                yield position
            followed.add(before[position])

    def _mark(self, index: int) -> "array[int]":
        """The mark after `index * EVERY` touches; there is none before the first."""
        return self._marks[self._ends[index - 1] if index else 0 : self._ends[index]]
