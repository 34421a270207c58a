"""From commits to published numbers, beside the run and never in its way.

`committed` only hands events over. A task in the run's loop annotates them in batches, updates the
monitors and publishes; points, batches and draws are functions of the log alone, so the numbers
repeat whatever the wall clock does. Where the task falls behind, events wait in a bounded queue; past
its bound they are read again from the log. Nothing is dropped.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import thread_time
from typing import Any, Self

import msgspec

from folkmoot.metrics.alarms import Gate
from folkmoot.metrics.clock import MS_PER_DAY, PublishClock
from folkmoot.metrics.context import Contexts
from folkmoot.metrics.monitors import FamilyMonitor
from folkmoot.metrics.reader import Reader
from folkmoot.metrics.records import Point, Record
from folkmoot.metrics.tallies import Counting, Labels
from folkmoot.sim.errors import AnnotationError
from folkmoot.sim.events import Event, TextEvent
from folkmoot.sim.protocols import Annotator, Utterance

QUICK_S = 0.05
"""CPU time up to which a monitor publishes in the run's loop: a quarter of a model call."""


class MonitorFeed(Reader):
    """Feeds monitors with committed events.

    Args:
        monitors: the run's monitors.
        annotators: role ("acts", "sentiment") -> annotator.
        counting: which comments count as simulated (the monitors' own).
        path: metrics.jsonl; written from its start, since a resumed run makes the same points again.
        on_publish: called with each record, in the run's loop: live view, tracker.
        reread: first seq -> the committed events from there on, read from the log.
        capacity: events that may wait in memory.
        batch: comments that are annotated together.
    """

    def __init__(
        self,
        monitors: Sequence[FamilyMonitor],
        annotators: Mapping[str, Annotator] | None = None,
        *,
        counting: Counting | None = None,
        path: Path | None = None,
        on_publish: Callable[[Record], None] | None = None,
        reread: Callable[[int], Iterable[Event]] | None = None,
        capacity: int = 4096,
        batch: int = 32,
    ) -> None:
        super().__init__(capacity, reread)
        self._monitors = {monitor.name: monitor for monitor in monitors}
        self._annotators = dict(annotators or {})
        self._counting = counting or Counting()
        self._path, self._on_publish = path, on_publish
        every = {monitor.name: monitor.config.every_comments for monitor in monitors}
        self._clock = PublishClock(self._counting, every)
        self._gate = Gate(self._counting, {one.name: every[one.name] for one in monitors if one.may_stop})
        self._contexts = Contexts(max((a.context for a in self._annotators.values()), default=0))
        self._batch = batch
        self._pending: list[Event] = []
        self._utterances: list[Utterance] = []
        self._published = dict.fromkeys(self._monitors, 0)
        self._took: dict[str, float] = {}
        self._file: Any = None

    # --- the run's side ---------------------------------------------------------------------------

    def committed(self, events: Sequence[Event]) -> bool:
        """Hand over the next committed events; O(1) an event, never blocks.

        Returns:
            True at a publish point of a monitor that may stop the run: then the kernel awaits
            `barrier()` before its next commit and reads `stop_reason`.
        """
        super().committed(events)
        return self._gate.reached(events)

    async def __aenter__(self) -> Self:
        if self._path is not None:
            self._file = self._path.open("wb")
        return await super().__aenter__()

    async def __aexit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        try:
            if kind is None:
                await self.finish()
        finally:
            await super().__aexit__(kind, *rest)
            if self._file is not None:
                self._file.close()

    async def finish(self) -> None:
        """Read all that was committed and publish a last point, if anything is new since the last."""
        await self.barrier()
        await self._flush()
        await self._publish(self._behind(), self.inbox.last_time, "end")

    # --- the consumer's side ----------------------------------------------------------------------

    async def take(self, event: Event) -> None:
        """Read it; publish what is due."""
        counts = self._counting(event)
        if counts and self._clock.new_day(event):
            await self._flush()
            await self._publish(self._behind(), event.time // MS_PER_DAY * MS_PER_DAY, "day")
        self._read(event, counts=counts)
        due = self._clock.count(event) if counts else ()
        if due or len(self._utterances) == self._batch or len(self._pending) >= 8 * self._batch:
            await self._flush()
            await self._publish(due, event.time, "comments")

    def _read(self, event: Event, *, counts: bool) -> None:
        self.inbox.reading(event)
        self._pending.append(event)
        if isinstance(event, TextEvent):
            utterance = self._contexts.take(event)
            if counts:
                self._utterances.append(utterance)

    async def _flush(self) -> None:
        """Annotate what waits and update the monitors."""
        columns: dict[int, dict[str, Labels]] = {u.event.seq: {} for u in self._utterances}
        for role, annotator in self._annotators.items():
            if self._utterances:
                self._fill(columns, role, await annotator.annotate(self._utterances))
        for monitor in self._monitors.values():
            monitor.update(self._pending, columns)
        self._pending, self._utterances = [], []
        await asyncio.sleep(0)

    def _fill(self, columns: dict[int, dict[str, Labels]], role: str, labels: Sequence[Labels]) -> None:
        if len(labels) != len(self._utterances):
            raise AnnotationError(f"{role}: {len(labels)} answers for {len(self._utterances)} comments; one for each")
        for utterance, answer in zip(self._utterances, labels, strict=True):
            columns[utterance.event.seq][role] = answer

    async def _publish(self, names: Sequence[str], time: int, cause: str) -> None:
        """Compute, write, tell, check the alarms."""
        if not names:
            return
        values: dict[str, float] = {}
        for name in names:
            values |= await self._numbers(name)
            self._published[name] = self._clock.n
        point = Point(seq=self.inbox.last_seq, time=time, n=self._clock.n, cause=cause, values=values)
        self.publish(point, [alarm for name in names for alarm in self._monitors[name].config.alarms], self._emit)

    async def _numbers(self, name: str) -> Mapping[str, float]:
        """One monitor's numbers: in a thread, so that the run's loop goes on, unless the last ones were quick.

        The first ones, which load torch and draw the real side, are made in a thread and don't tell. While the kernel
        is busy a thread waits some milliseconds for the interpreter's lock before each of its hundreds of small
        operations: a computation of 5 ms takes a second, and the feed falls behind.
        """
        publish = partial(_timed, self._monitors[name].publish)
        await asyncio.sleep(0)
        first, quick = name not in self._took, self._took.get(name, QUICK_S) < QUICK_S
        values, took = publish() if quick else await asyncio.to_thread(publish)
        self._took[name] = 0.0 if first else took
        return values

    def _behind(self) -> tuple[str, ...]:
        """Monitors that have read comments since they last published."""
        return tuple(name for name, n in self._published.items() if n < self._clock.n)

    def _emit(self, record: Record) -> None:
        if self._file is not None:
            self._file.write(msgspec.json.encode(record) + b"\n")
            self._file.flush()
        if self._on_publish is not None:
            self._on_publish(record)


def _timed(publish: Callable[[], Mapping[str, float]]) -> tuple[Mapping[str, float], float]:
    """What it publishes, and the CPU seconds that it took."""
    start = thread_time()
    return publish(), thread_time() - start
