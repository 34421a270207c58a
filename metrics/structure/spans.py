"""Equal lengths of time on both sides: counts of acts, cascades and answers grow with the time looked at."""

from collections.abc import Sequence
from dataclasses import dataclass

from folkmoot.sim.activity import DAY
from folkmoot.sim.events import Event

ALIKE = 0.05
"""Share by which two lengths may differ and still count as equal."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, ms since the epoch, both ends in it."""

    first: int
    last: int

    @property
    def days(self) -> float:
        """Its length."""
        return (self.last - self.first) / DAY

    def cut(self, days: float) -> "Span":
        """Its first days."""
        return Span(self.first, min(self.last, self.first + round(days * DAY)))

    def until_its_end(self, events: Sequence[Event]) -> list[Event]:
        """The events without those after it; what was before stays, since cascades root in it."""
        return [event for event in events if event.time <= self.last]


def equal(real: Span, simulated: Span, *, dated: bool) -> tuple[Span, Span, str]:
    """Both spans, the longer one cut to the length of the other, and what to say of it.

    Args:
        real: of the reference.
        simulated: of the run.
        dated: whether the reference is all that happened from its first instant on. Threads that were drawn from a
            longer time aren't: their first days hold only those of them that began there, so they aren't cut.

    >>> day = 86_400_000
    >>> equal(Span(0, 30 * day), Span(90 * day, 92 * day), dated=True)[2]
    'both sides are their first 2.0 days (real 30.0 days, simulated 2.0 days)'
    >>> equal(Span(0, 30 * day), Span(90 * day, 92 * day), dated=False)[2][:60]
    'warning: unequal lengths, real 30.0 days, simulated 2.0 days'
    """
    days = min(real.days, simulated.days)
    lengths = f"real {real.days:.1f} days, simulated {simulated.days:.1f} days"
    if max(real.days, simulated.days) - days <= ALIKE * days:
        return real, simulated, f"both sides are whole: {lengths}"
    if dated:
        said = f"both sides are their first {days:.1f} days ({lengths})"
        return real.cut(days), simulated.cut(days), said
    return (
        real,
        simulated,
        (
            f"warning: unequal lengths, {lengths}, and threads drawn from the whole time can't be cut: acts of a user, "
            f"sizes and degrees grow with time; run experiment.days={real.days:.0f}, or population=by_time"
        ),
    )
