"""How a run ends: in order after the commit in hand, at once, or when its wall time is over."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager


class Ending:
    """Whether a run goes on, and why not.

    Attributes:
        reason: the outcome's state, once there is a reason to end.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self._driver: asyncio.Task[object] | None = None
        self._interrupted = False

    def stop(self, reason: str) -> None:
        """End in order after the commit in hand; the first reason counts."""
        self.reason = self.reason or f"stopped: {reason}"

    def interrupt(self, reason: str) -> None:
        """End in order, now.

        May be called at any time from the run's event loop: a run that hasn't begun won't, one that is
        ending goes on to its end, and a second call changes nothing.
        """
        self.stop(reason)
        driver = self._driver
        # What calls this from within the run needs no waking: the run looks at `reason` after each commit.
        if driver is not None and not self._interrupted and driver is not asyncio.current_task():
            self._interrupted = True
            driver.cancel()

    @asynccontextmanager
    async def guard(self, wall_s: float | None, tidy: Callable[[], Awaitable[None]]) -> AsyncGenerator[None, None]:
        """Around the run: interrupts it after `wall_s` seconds, and tidies up whatever ends it.

        Raises:
            asyncio.CancelledError: somebody else than `interrupt` cancelled the run.
        """
        driver = self._driver = asyncio.current_task()
        why = f"budget: wall_s {wall_s} used up"
        alarm = None if wall_s is None else asyncio.get_running_loop().call_later(wall_s, self.interrupt, why)
        try:
            yield
        except asyncio.CancelledError:
            if driver is None or not self._interrupted or driver.uncancel() > 0:
                raise
        finally:
            self._driver = None
            if alarm is not None:
                alarm.cancel()
            await tidy()
