"""A feed reads committed events one after the other in a task of its own: the run never waits for what it does."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Self

from folkmoot.metrics.alarms import Alarm, raised
from folkmoot.metrics.inbox import Inbox
from folkmoot.metrics.records import Point, Record
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import Event


class Reader(ABC):
    """What feeds have in common: a queue, a task that empties it, a barrier; an async context in which it reads.

    Args:
        capacity: events that may wait in memory.
        reread: first seq -> the committed events from there on, read from the log; None: all wait in memory.

    Attributes:
        inbox: what waits, and how far `take` has come (it calls `inbox.reading`).
        stop_reason: why the run has to stop; None: it doesn't.
    """

    def __init__(self, capacity: int, reread: Callable[[int], Iterable[Event]] | None) -> None:
        self.inbox = Inbox(capacity, reread)
        self.stop_reason: str | None = None
        self._begun = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @abstractmethod
    async def take(self, event: Event) -> None:
        """Take the next event of the log."""

    async def begin(self) -> None:  # noqa: B027 -- most feeds have nothing to do
        """What is done once, in the task, before the first event."""

    def committed(self, events: Sequence[Event]) -> bool:
        """Hand over the next committed events; O(1) an event, never blocks. Never asks the run to wait (False)."""
        self.inbox.put(events)
        return False

    def publish(self, point: Point, alarms: Iterable[Alarm], tell: Callable[[Record], None]) -> None:
        """Tell a point, and the alarms that it raises; the first that stops the run is why."""
        tell(point)
        for alarm in raised(alarms, point):
            tell(alarm)
            if alarm.stop and self.stop_reason is None:
                self.stop_reason = alarm.words

    async def barrier(self) -> None:
        """Wait until all events committed so far are read.

        Raises:
            LogError: the task isn't running.
            FolkmootError: what stopped it, such as an annotator's failure.
        """
        if self._task is None:
            raise LogError("the feed isn't running; use `async with feed:` around the run")
        done = asyncio.ensure_future(self._all_read())
        await asyncio.wait({done, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            done.cancel()
            self._task.result()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._consume())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _all_read(self) -> None:
        await self._begun.wait()
        await self.inbox.idle.wait()

    async def _consume(self) -> None:
        await self.begin()
        self._begun.set()
        while True:
            await self.inbox.wait()
            for event in self.inbox.take():
                await self.take(event)
            await asyncio.sleep(0)
