"""When to publish: at comment counts and at simulated days, a function of the log alone."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from folkmoot.metrics.tallies import Counting
from folkmoot.sim.events import Event

MS_PER_DAY = 86_400_000


@dataclass(slots=True)
class PublishClock:
    """Counts the comments that count and the days (UTC) that they reach.

    Args:
        counting: which comments count.
        every: monitor -> number of comments between two points.
        days: a point at every so many days (UTC); 0: at none.
    """

    counting: Counting
    every: Mapping[str, int]
    days: int = 1
    n: int = 0
    day: int | None = None
    _next: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._next = min(self.every.values(), default=sys.maxsize)

    def new_day(self, event: Event) -> bool:
        """True where this comment, not yet counted, comes `days` after the last such one, or after the first."""
        return self.day is not None and self.days > 0 and event.time // MS_PER_DAY >= self.day + self.days

    def count(self, event: Event) -> tuple[str, ...]:
        """Count a comment; the monitors that are due after it."""
        day = event.time // MS_PER_DAY
        if self.day is None or self.new_day(event):
            self.day = day
        self.n += 1
        if self.n < self._next:
            return ()
        self._next = min((self.n // every + 1) * every for every in self.every.values())
        return tuple(name for name, every in self.every.items() if self.n % every == 0)
