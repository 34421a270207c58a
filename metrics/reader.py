"""Reads committed events one after the other in a task of its own, so that the run never waits for what it does."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from folkmoot.metrics.inbox import Inbox
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import Event


class Reader:
    """The task behind a feed.

    Args:
        read: takes the next event, in the order of the log.
        capacity: events that may wait in memory.
        reread: first seq -> the committed events from there on, read from the log; None: all wait in memory.
        begin: done once, before the first event.

    Attributes:
        inbox: what waits, and how far `read` has come (`inbox.reading` is called by it).
    """

    def __init__(
        self,
        read: Callable[[Event], Awaitable[None]],
        capacity: int,
        reread: Callable[[int], Iterable[Event]] | None,
        begin: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.inbox = Inbox(capacity, reread)
        self._read, self._begin = read, begin
        self._task: asyncio.Task[None] | None = None

    def put(self, events: Sequence[Event]) -> None:
        """Take committed events; O(1) each, never blocks."""
        self.inbox.put(events)

    def start(self) -> None:
        """Begin to read; the task has the caller's context."""
        self._task = asyncio.create_task(self._consume())

    async def stop(self) -> None:
        """End the task, wherever it is."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def barrier(self) -> None:
        """Wait until all events committed so far are read.

        Raises:
            LogError: the task isn't running.
            FolkmootError: what stopped it.
        """
        if self._task is None:
            raise LogError("the feed isn't running; use `async with feed:` around the run")
        done = asyncio.ensure_future(self.inbox.idle.wait())
        await asyncio.wait({done, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            done.cancel()
            self._task.result()

    async def _consume(self) -> None:
        if self._begin is not None:
            await self._begin()
        while True:
            await self.inbox.wait()
            for event in self.inbox.take():
                await self._read(event)
            await asyncio.sleep(0)
