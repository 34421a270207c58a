"""Slots for calls in flight, given to the call whose answer is due first in simulated time."""

import asyncio
from heapq import heappop, heappush
from typing import NamedTuple

from folkmoot.sim.calls import DUE


class Ticket(NamedTuple):
    """A waiting call: when its answer is due, when it came, what is set once it may go, and how big it is."""

    due: int
    serial: int
    turn: asyncio.Future[None]
    tokens: int = 0


class Line:
    """Calls that wait: the earliest due first (`sim.calls.DUE`), then first come, first served.

    Commits come in order of simulated time, so a call that is due early holds up all others' commits. Monitors' calls
    are due last of all: they never go before an agent's.
    """

    def __init__(self) -> None:
        self._serial = 0
        self._heap: list[Ticket] = []

    def join(self, tokens: int = 0) -> asyncio.Future[None]:
        """Stand in line; what is set when it is the caller's turn."""
        self._serial += 1
        turn = asyncio.get_running_loop().create_future()
        heappush(self._heap, Ticket(DUE.get(), self._serial, turn, tokens))
        return turn

    def first(self) -> Ticket | None:
        """Whose turn is next; who was cancelled has left."""
        while self._heap and self._heap[0].turn.done():
            heappop(self._heap)
        return self._heap[0] if self._heap else None


class Slots:
    """A semaphore with the order of `Line`.

    Args:
        size: calls in flight at most.
    """

    def __init__(self, size: int) -> None:
        self._free = size
        self._line = Line()

    async def acquire(self) -> None:
        """Return when the caller has a slot."""
        if self._free > 0:
            self._free -= 1
            return
        turn = self._line.join()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Hand the slot to the next waiting call."""
        ticket = self._line.first()
        if ticket is None:
            self._free += 1
        else:
            ticket.turn.set_result(None)
