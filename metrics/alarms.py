"""Thresholds on published numbers, and where the run waits for them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import model_validator

from folkmoot.metrics.clock import PublishClock
from folkmoot.metrics.records import AlarmRaised, Point
from folkmoot.metrics.tallies import Counting
from folkmoot.sim.errors import ConfigError, did_you_mean
from folkmoot.sim.events import Event
from folkmoot.sim.persona import Frozen


class Alarm(Frozen):
    """A threshold on a published number; checked at publish points.

    Attributes:
        metric: a published name, e.g. "acts.js_distance", "window.acts.js_distance.low".
        above, below: raise when the number is over / under it; one of them at least.
        stop: ask the run to stop.
    """

    metric: str
    above: float | None = None
    below: float | None = None
    stop: bool = False

    @model_validator(mode="after")
    def _bounded(self) -> "Alarm":
        if self.above is None and self.below is None:
            raise ConfigError(f"alarm on {self.metric!r} has no threshold; set above= or below=")
        return self

    def raised(self, value: float) -> bool:
        """True where the value is out of bounds."""
        return (self.above is not None and value > self.above) or (self.below is not None and value < self.below)

    def check(self, monitor: str, known: Iterable[str], beside: Sequence[str]) -> None:
        """Refuse a number that the monitor never publishes.

        Args:
            monitor: its name.
            known: its numbers.
            beside: endings of what stands beside a number, such as ".low".

        Raises:
            ConfigError: it isn't one of them.
        """
        numbers = set(known)
        if self.metric not in numbers and not any(self.metric.removesuffix(end) in numbers for end in beside):
            raise ConfigError(
                f"alarm on unknown number {self.metric!r} of monitor {monitor!r}; {did_you_mean(self.metric, numbers)}"
            )


def raised(alarms: Iterable[Alarm], point: Point) -> Iterator[AlarmRaised]:
    """The alarms that a publish point's numbers raise; a number that isn't published there raises none."""
    for alarm in alarms:
        value = point.values.get(alarm.metric)
        if value is not None and alarm.raised(value):
            yield AlarmRaised(seq=point.seq, time=point.time, n=point.n, value=value, **alarm.model_dump())


class Gate:
    """Tells at which commits the run has to wait: the publish points of monitors that may stop it.

    Args:
        counting: which comments count.
        every: monitor that may stop the run -> comments between two of its points.
        days: simulated days between two of its points; 0: none.
    """

    def __init__(self, counting: Counting, every: Mapping[str, int], days: int = 1) -> None:
        self._counting = counting
        self._clock = PublishClock(counting, every, days) if every else None

    def reached(self, events: Sequence[Event]) -> bool:
        """Count commits; True where one of them makes a point due."""
        return sum(self._due(event) for event in events) > 0

    def _due(self, event: Event) -> bool:
        if self._clock is None or not self._counting(event):
            return False
        return self._clock.new_day(event) | bool(self._clock.count(event))


def may_stop(alarms: Iterable[Alarm]) -> bool:
    """True where one of them may stop the run."""
    return any(alarm.stop for alarm in alarms)
