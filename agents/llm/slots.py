"""Slots for calls in flight, given to the call whose answer is due first in simulated time."""

import asyncio
from heapq import heappop, heappush

from folkmoot.sim.calls import DUE


class Slots:
    """A semaphore with an order: the earliest due first (`sim.calls.DUE`), then first come, first served.

    Commits come in order of simulated time, so a call that is due early holds up all others' commits.

    Args:
        size: calls in flight at most.
    """

    def __init__(self, size: int) -> None:
        self._free = size
        self._serial = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    async def acquire(self) -> None:
        """Return when the caller has a slot."""
        if self._free > 0:
            self._free -= 1
            return
        self._serial += 1
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (DUE.get(), self._serial, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Hand the slot to the next waiting call."""
        while self._waiting:
            turn = heappop(self._waiting)[2]
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
