"""Thread shape: turns, users, depth and reply delay.

Depth counts answers from the opening (0). The delay of an answer is its time less its parent's, in
hours; delays are heavy-tailed, so they are averaged as log(1 + hours) and shown as a geometric mean.
"""

import math
from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from folkmoot.metrics.sums import Matrix
from folkmoot.sim.events import TextEvent

MS_PER_HOUR = 3_600_000
LONGEST = 20
"""Threads of so many turns or more share the last bin of the turns histogram."""


class Turn(NamedTuple):
    """A comment's place: thread and user by number, depth (opening 0), delay in hours (None: no parent known)."""

    thread: int
    user: int
    depth: int
    parent_user: int | None
    delay: float | None


class Places:
    """Where each comment stands: 16 bytes a comment, no text."""

    def __init__(self) -> None:
        self._users: dict[str, int] = {}
        self._threads: dict[str, int] = {}
        self._user, self._depth, self._time = array("i"), array("i"), array("q")

    def add(self, event: TextEvent) -> Turn:
        """Place a comment for good: later ones may answer it."""
        turn = self.turn(event)
        self._store(event.seq, turn.user, turn.depth, event.time)
        return turn

    def turn(self, event: TextEvent) -> Turn:
        """Where a comment stands. An answer to a comment that was never seen: depth 1, no delay."""
        user = self._users.setdefault(event.actor, len(self._users))
        thread = self._threads.setdefault(event.thread, len(self._threads))
        parent = self._known(event.parent)
        if parent is None:
            return Turn(thread, user, 0 if event.parent is None else 1, None, None)
        delay = max(0, event.time - self._time[parent]) / MS_PER_HOUR
        return Turn(thread, user, self._depth[parent] + 1, self._user[parent], delay)

    @property
    def users(self) -> tuple[str, ...]:
        """Users by number."""
        return tuple(self._users)

    def _known(self, seq: int | None) -> int | None:
        return seq if seq is not None and 0 <= seq < len(self._user) and self._user[seq] >= 0 else None

    def _store(self, seq: int, user: int, depth: int, time: int) -> None:
        gap = seq + 1 - len(self._user)
        if gap > 0:
            for column in (self._user, self._depth, self._time):
                column.extend([-1] * gap)
        self._user[seq], self._depth[seq], self._time[seq] = user, depth, time


class ThreadShapes:
    """Shapes of the threads that counted comments stand in.

    Args:
        window: how many of the last turns `recent` looks back on; 0: none.
    """

    WIDTH = 7 + LONGEST
    """Columns: threads (1), turns, turns squared, users, depth, sum of log(1 + delay), delays, histogram of turns."""

    def __init__(self, window: int = 0) -> None:
        self.n_items = 0
        self._shapes: dict[int, _Shape] = {}
        self._window: deque[Turn] = deque(maxlen=window)

    def add(self, turn: Turn) -> None:
        """Count a turn."""
        shape = self._shapes.get(turn.thread)
        if shape is None:
            shape = self._shapes[turn.thread] = _Shape()
        shape.add(turn)
        self.n_items += 1
        if self._window.maxlen:
            self._window.append(turn)

    def matrix(self) -> Matrix:
        """One row a thread, shape (threads, WIDTH)."""
        return np.array([shape.row() for shape in self._shapes.values()], dtype=np.float64).reshape(-1, self.WIDTH)

    def recent(self) -> Matrix:
        """The same for the last `window` turns alone."""
        return shapes_of(self._window).matrix()

    @property
    def n_recent(self) -> int:
        """Turns in the window."""
        return len(self._window)


def shapes_of(turns: Iterable[Turn]) -> ThreadShapes:
    """Shapes of some turns."""
    shapes = ThreadShapes()
    for turn in turns:
        shapes.add(turn)
    return shapes


class _Shape:
    """Turns, users, deepest answer and delays of one thread."""

    __slots__ = ("delays", "depth", "logs", "turns", "users")

    def __init__(self) -> None:
        self.turns = self.depth = self.delays = 0
        self.logs = 0.0
        self.users: set[int] = set()

    def add(self, turn: Turn) -> None:
        self.turns += 1
        self.users.add(turn.user)
        self.depth = max(self.depth, turn.depth)
        if turn.delay is not None:
            self.delays += 1
            self.logs += math.log1p(turn.delay)

    def row(self) -> Sequence[float]:
        histogram = [0.0] * LONGEST
        histogram[min(self.turns, LONGEST) - 1] = 1.0
        return (1.0, self.turns, self.turns**2, len(self.users), self.depth, self.logs, self.delays, *histogram)
