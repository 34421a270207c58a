"""Which threads were active last, at any past moment, in time that doesn't grow with the log."""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import islice

EVERY = 16
"""Touches between two marks."""

DEPTH = 32
"""Threads kept in a mark."""

CHUNK = 256
"""Touches read at once where a mark isn't deep enough."""


class Feed:
    """Touches of threads in order, readable as of any earlier moment.

    A touch is a position in the state's columns. It is a thread's newest at some moment if the
    thread's next touch comes later, so reading backwards and passing over the others gives the order
    of activity. A busy thread would make that long; so after every `EVERY` touches a mark keeps the
    newest touches of the `DEPTH` most recently active open threads, and reading goes on from there.
    """

    __slots__ = ("_marks", "_newest", "positions")

    def __init__(self) -> None:
        self.positions: list[int] = []
        self._newest: OrderedDict[str, int] = OrderedDict()
        self._marks: list[tuple[int, ...]] = [()]

    def touch(self, thread: str, position: int) -> None:
        """A comment was placed in the thread."""
        self.positions.append(position)
        self._newest[thread] = position
        self._newest.move_to_end(thread)
        if len(self.positions) % EVERY == 0:
            self._marks.append(tuple(islice(reversed(self._newest.values()), DEPTH)))

    def close(self, thread: str) -> None:
        """The thread was archived: later marks pass over it."""
        self._newest.pop(thread, None)

    def newest(self, shown: int, later: Sequence[int], oldest: int) -> Iterator[list[int]]:
        """Newest touches of the threads, last first, in chunks; those of archived threads may be among them.

        Args:
            shown: only touches below this position had happened.
            later: position -> position of the thread's next touch.
            oldest: touches below this position don't interest.
        """
        size = bisect_left(self.positions, shown)
        mark, start = self._marks[size // EVERY], size - size % EVERY
        yield [p for p in self.positions[start:size][::-1] if later[p] >= shown and p >= oldest]
        yield [p for p in mark if later[p] >= shown and p >= oldest]
        end = bisect_left(self.positions, mark[-1]) if len(mark) == DEPTH else 0
        while end > 0 and self.positions[end - 1] >= oldest:
            start = max(0, end - CHUNK)
            yield [p for p in self.positions[start:end][::-1] if later[p] >= shown and p >= oldest]
            end = start
