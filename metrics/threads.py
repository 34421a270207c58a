"""Thread shape: turns, users, depth and reply delay.

Depth counts answers from the opening (0). The delay of an answer is its time less its parent's, in
hours; delays are heavy-tailed, so they are averaged as log(1 + hours) and shown as a geometric mean.
"""

import math
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from folkmoot.metrics.sums import Matrix
from folkmoot.sim.events import Event, TextEvent

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


Placed = tuple[TextEvent, Turn]


class Places:
    """Where each comment stands: 16 bytes a comment, no text. Tallies of the same events may share it."""

    def __init__(self) -> None:
        self._users: dict[str, int] = {}
        self._threads: dict[str, int] = {}
        self._user, self._depth, self._time = array("i"), array("i"), array("q")
        self._batch: tuple[Sequence[Event], Callable[[Event], bool], list[Placed]] | None = None

    def read(self, events: Sequence[Event], counts: Callable[[Event], bool]) -> list[Placed]:
        """Place the next comments of the log; those that count, with their places.

        Tallies that share this read a batch one after the other: the same list isn't read twice.
        """
        if self._batch is None or self._batch[0] is not events or self._batch[1] != counts:
            placed = [(event, self.add(event)) for event in events if isinstance(event, TextEvent)]
            self._batch = events, counts, [pair for pair in placed if counts(pair[0])]
        return self._batch[2]

    def add(self, event: TextEvent) -> Turn:
        """Place a comment. A candidate has no place: nobody answers it. O(1), and the same when repeated."""
        turn = self._turn(event)
        if event.origin != "candidate":
            self._store(event.seq, turn, event.time)
        return turn

    def _turn(self, event: TextEvent) -> Turn:
        """An answer to a comment that was never seen: depth 1, no delay."""
        user = self._users.setdefault(event.actor, len(self._users))
        thread = self._threads.setdefault(event.thread, len(self._threads))
        parent = event.parent
        if parent is None:
            return Turn(thread, user, 0, None, None)
        if not 0 <= parent < len(self._user) or self._user[parent] < 0:
            return Turn(thread, user, 1, None, None)
        delay = max(0, event.time - self._time[parent]) / MS_PER_HOUR
        return Turn(thread, user, self._depth[parent] + 1, self._user[parent], delay)

    @property
    def users(self) -> tuple[str, ...]:
        """Users by number."""
        return tuple(self._users)

    def _store(self, seq: int, turn: Turn, time: int) -> None:
        gap = seq + 1 - len(self._user)
        if gap > 0:
            for column in (self._user, self._depth, self._time):
                column.extend([-1] * gap)
        self._user[seq], self._depth[seq], self._time[seq] = turn.user, turn.depth, time


class ThreadShapes:
    """Shapes of the threads that counted comments stand in.

    Args:
        window: how many of the last turns `recent` looks back on; 0: none.
    """

    WIDTH = 7 + LONGEST
    """Columns: threads (1), turns, turns squared, users, depth, sum of log(1 + delay), delays, histogram of turns."""

    def __init__(self, window: int = 0) -> None:
        self.n_items = 0
        self._rows: dict[int, int] = {}
        self._users: list[set[int]] = []
        self._turns, self._depth, self._logs, self._delays = (array("d") for _ in range(4))
        self._window: deque[Turn] = deque(maxlen=window)

    def add(self, turn: Turn) -> None:
        """Count a turn."""
        row = self._rows.get(turn.thread)
        if row is None:
            row = self._open(turn.thread)
        self.n_items += 1
        self._window.append(turn)
        self._users[row].add(turn.user)
        self._turns[row] += 1
        self._depth[row] = max(self._depth[row], turn.depth)
        if turn.delay is not None:
            self._delays[row] += 1
            self._logs[row] += math.log1p(turn.delay)

    def matrix(self) -> Matrix:
        """One row a thread, shape (threads, WIDTH)."""
        n = len(self._rows)
        table: Matrix = np.zeros((n, self.WIDTH))
        turns = np.array(self._turns)
        users = np.fromiter(map(len, self._users), np.float64, n)
        table[:, :7] = np.stack([np.ones(n), turns, turns**2, users, self._depth, self._logs, self._delays], 1)
        table[np.arange(n), 6 + np.minimum(turns, LONGEST).astype(np.int64)] = 1
        return table

    def recent(self) -> Matrix:
        """The same for the last `window` turns alone."""
        return shapes_of(self._window).matrix()

    @property
    def n_recent(self) -> int:
        """Turns in the window."""
        return len(self._window)

    def _open(self, thread: int) -> int:
        row = self._rows[thread] = len(self._rows)
        self._users.append(set())
        for column in (self._turns, self._depth, self._logs, self._delays):
            column.append(0.0)
        return row


def shapes_of(turns: Iterable[Turn]) -> ThreadShapes:
    """Shapes of some turns."""
    shapes = ThreadShapes()
    for turn in turns:
        shapes.add(turn)
    return shapes
