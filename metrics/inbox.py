"""A bounded queue of committed events that drops nothing: what doesn't fit is read again from the log."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from folkmoot.sim.errors import LogError
from folkmoot.sim.events import Event


class Inbox:
    """Events on their way from the kernel to the monitors.

    Args:
        capacity: events that may wait in memory.
        reread: first seq -> the committed events from there on; None: without it the queue is unbounded.
    """

    def __init__(self, capacity: int, reread: Callable[[int], Iterable[Event]] | None) -> None:
        self.idle = asyncio.Event()
        self.idle.set()
        self.last_seq = -1
        self.last_time = 0
        self._work = asyncio.Event()
        self._capacity, self._reread = capacity, reread
        self._queue: deque[Event] = deque()
        self._newest = -1
        self._missing: int | None = None

    def put(self, events: Sequence[Event]) -> None:
        """Take committed events; O(1) each."""
        for event in events:
            self._newest = event.seq
            if self._missing is None:
                if len(self._queue) < self._capacity or self._reread is None:
                    self._queue.append(event)
                else:
                    self._missing = event.seq
        if events and self.idle.is_set():
            self.idle.clear()
            self._work.set()

    async def wait(self) -> None:
        """Wait for work; `idle` is set meanwhile."""
        if not self._queue and self._missing is None:
            self._work.clear()
            self.idle.set()
        await self._work.wait()

    def take(self) -> Iterator[Event]:
        """Events in order: those in memory, then those that had to be left to the log."""
        while self._queue:
            yield self._queue.popleft()
        if self._missing is not None:
            yield from self._catch_up()

    def reading(self, event: Event) -> None:
        """Note how far the monitors have come."""
        self.last_seq, self.last_time = event.seq, event.time

    def _catch_up(self) -> Iterator[Event]:
        """The events that are missing; what is committed meanwhile waits in memory again."""
        assert self._missing is not None
        assert self._reread is not None
        expected, newest = self._missing, self._newest
        self._missing = None
        for event in self._reread(expected):
            if event.seq != expected:
                raise LogError(f"the log gave event {event.seq} where {expected} was due; the monitors can't go on")
            yield event
            expected += 1
            if expected > newest:
                return
        raise LogError(f"the log ends before event {newest}, which is committed; flush it before it is read again")
