"""Equal calls in flight share one."""

import asyncio
from collections.abc import Awaitable, Callable

from folkmoot.sim.protocols import Answer


class Sharing:
    """Runs one call a key at a time; whoever asks for the same key meanwhile gets the same answer.

    The call goes on while anybody waits for it: cancelling the first asker doesn't hurt the others.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[Answer]] = {}
        self._waiting: dict[str, int] = {}

    async def call(self, key: str, start: Callable[[], Awaitable[Answer]]) -> tuple[Answer, bool]:
        """The answer, and whether this asker's own call brought it."""
        task = self._tasks.get(key)
        first = task is None
        if task is None:
            task = asyncio.ensure_future(_run(start))
            self._tasks[key] = task
            self._waiting[key] = 0
            task.add_done_callback(lambda _: self._forget(key))
        self._waiting[key] += 1
        try:
            return await asyncio.shield(task), first
        finally:
            self._leave(key, task)

    def _leave(self, key: str, task: asyncio.Task[Answer]) -> None:
        if self._tasks.get(key) is not task:
            return
        self._waiting[key] -= 1
        if self._waiting[key] == 0 and not task.done():
            self._forget(key)
            task.cancel()

    def _forget(self, key: str) -> None:
        self._tasks.pop(key, None)
        self._waiting.pop(key, None)


async def _run(start: Callable[[], Awaitable[Answer]]) -> Answer:
    return await start()
