"""What is measured of each community while it talks: targets, annotators, monitors, and the report at the end."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import msgspec

from folkmoot.agents.llm.build import LLMConfig
from folkmoot.agents.llm.pool import Pool
from folkmoot.environments.corpora.base import Gold
from folkmoot.metrics.annotations import file_name, label, save_columns
from folkmoot.metrics.annotators.build import build_annotators
from folkmoot.metrics.annotators.wrapped import Once
from folkmoot.metrics.feed import MonitorFeed
from folkmoot.metrics.monitors import build_monitors
from folkmoot.metrics.plots import draw
from folkmoot.metrics.profile.profiler import likeness_of
from folkmoot.metrics.records import Point, Record
from folkmoot.metrics.report import HEADER, summarize, table_rows
from folkmoot.metrics.tallies import LABELLED, Columns, Counting
from folkmoot.metrics.target import RECORDED, Target, build_target
from folkmoot.sim.calls import DUE
from folkmoot.sim.events import Event, Origin, TextEvent
from folkmoot.sim.experiments.fidelity_watch import FidelityWatch
from folkmoot.sim.experiments.places import Place
from folkmoot.sim.experiments.recovery_watch import RecoveryWatch
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.experiments.watch import evaluator_of
from folkmoot.sim.protocols import Annotator
from folkmoot.sim.runs import Run
from folkmoot.sim.tracking import Table
from folkmoot.sim.turn import Turn

LAST = 1 << 62
"""Later than any simulated time."""

OnPublish = Callable[[int, Mapping[str, float]], object]


class Feed(Protocol):
    """Reads a community's commits."""

    stop_reason: str | None

    def committed(self, events: Sequence[Event]) -> bool:
        """Take commits; True where the run has to wait for `barrier`."""

    async def barrier(self) -> None:
        """Wait until they are read."""


class FeedSink:
    """Hands commits to a community's feed; waits for it where a monitor that may stop the run is due."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self._gate = False

    def committed(self, events: Sequence[Event], turn: Turn | None) -> None:  # noqa: ARG002 -- part of the protocol
        """Hand over."""
        self._gate |= self.feed.committed(events)

    async def settle(self) -> str | None:
        """The reason of a monitor that stops the run."""
        if not self._gate:
            return None
        self._gate = False
        await self.feed.barrier()
        return f"monitor: {self.feed.stop_reason}" if self.feed.stop_reason else None


@dataclass(slots=True)
class Side:
    """One community's real side, its feed, and the monitors that ask a model."""

    place: Place
    target: Target
    annotators: Mapping[str, Annotator]
    counting: Counting
    feed: MonitorFeed
    watches: list[FidelityWatch | RecoveryWatch] = field(default_factory=list)


class Measures:
    """All communities' sides of a run; an async context in which the feeds read what is committed.

    Attributes:
        listeners: called at every publish point with the comments so far and the numbers.
        figures: files of the figures, once `report` has drawn them.
        summaries: community -> what `metrics.report.summarize` says of it.
    """

    def __init__(self, config: RunConfig, run: Run) -> None:
        self.listeners: list[OnPublish] = []
        self.figures: list[Path] = []
        self.summaries: dict[str, dict[str, Any]] = {}
        self._config, self._run = config, run
        self._sides: list[Side] = []
        self._records: dict[str, list[Record]] = {}
        self._comments: dict[str, int] = {}
        self._stack = AsyncExitStack()
        self._out: Any = None

    @classmethod
    async def prepare(cls, config: RunConfig, places: Sequence[Place], run: Run, model: Pool) -> Self:
        """Annotate the reference populations; make the targets and monitors.

        Raises:
            AnnotationError, MetricError, ConfigError: a population that can't be labelled or compared with.
        """
        measures = cls(config, run)
        run.annotations.mkdir(parents=True, exist_ok=True)
        annotators: dict[str, Annotator] = {}
        if wanted := set(LABELLED) & set(config.monitor.families):
            built = build_annotators(config.annotator, model=model.apart(), gold=_gold(places))
            annotators = {role: annotator for role, annotator in built.items() if role in wanted}
        for place in places:
            measures._sides.append(await measures._side(place, annotators))
        async with measures._stack as stack:  # an evaluator that was built is closed, whatever fails after it
            measures._watch(model)
            measures._stack = stack.pop_all()
        return measures

    def _watch(self, model: Pool) -> None:
        """Have evaluators asked about all communities, where monitors want them; all share one encoder of tags.

        Raises:
            ModelMissing: an evaluator or the encoder isn't installed.
        """
        monitor = self._config.monitor
        if monitor.fidelity is not None:
            self._ask(FidelityWatch, monitor.fidelity.evaluator, model)
        if monitor.recovery is not None:
            likeness = likeness_of(monitor.recovery, self._config.annotator.encoder)
            self._ask(partial(RecoveryWatch, likeness=likeness), monitor.recovery.evaluator, model)

    def _ask(
        self, kind: Callable[..., FidelityWatch | RecoveryWatch], evaluator: LLMConfig | None, model: Pool
    ) -> None:
        """A watch of this kind in every community, with one evaluator."""
        pool, apart = evaluator_of(evaluator, model.apart(), self._config.seed)
        if apart:
            self._stack.push_async_callback(pool.close)
        for side in self._sides:
            on_point = partial(self._told, side.place.name)
            side.watches.append(kind(self._config, side.place, self._run, pool, side.counting, on_point))

    async def _side(self, place: Place, annotators: Mapping[str, Annotator]) -> Side:
        reference = place.split.reference_events(place.corpus)
        counts = real_side(place)
        columns = await label(reference, annotators, counts)
        save_columns(self._run.annotations, f"{place.name}.reference", place.corpus.digest, columns, annotators)
        roles = {role: tuple(annotator.labels) for role, annotator in annotators.items()}
        families = list(self._config.monitor.families)
        target = build_target(reference, columns, roles, community=place.name, counting=counts, families=families)
        counting = counting_of(self._config, place.name)
        annotators = {role: Once(annotator) for role, annotator in annotators.items()}
        feed = MonitorFeed(
            build_monitors(self._config.monitor.families, target, counting=counting, seed=self._config.seed),
            annotators,
            counting=counting,
            on_publish=partial(self._published, place.name),
            reread=self._run.events,
        )
        return Side(place, target, annotators, counting, feed)

    @property
    def sinks(self) -> tuple[FeedSink, ...]:
        """What the kernel tells of commits."""
        feeds: list[Feed] = [side.feed for side in self._sides]
        feeds += [watch.feed for side in self._sides for watch in side.watches]
        return tuple(FeedSink(feed) for feed in feeds)

    async def __aenter__(self) -> Self:
        self._out = self._stack.enter_context(self._run.metrics_path.open("wb"))
        before = DUE.set(LAST)  # the feeds' tasks copy it: an annotator's call never goes before an agent's
        for side in self._sides:
            await self._stack.enter_async_context(side.feed)
            for watch in side.watches:
                await self._stack.enter_async_context(watch)
        DUE.reset(before)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)

    async def finish(self) -> None:
        """Read all that was committed, publish the last points, label the log's comments and keep the labels."""
        digest = self._run.digest
        for side in self._sides:
            await side.feed.finish()
            events = [event for event in self._run.events() if event.community == side.place.name]
            columns = await label(events, side.annotators, side.counting)
            save_columns(self._run.annotations, side.place.name, digest, columns, side.annotators)
            self.summaries[side.place.name] = self._summarize(side, events, columns)
        for side in self._sides:  # an evaluator has had time to catch up
            await self._finish_watches(side)

    async def _finish_watches(self, side: Side) -> None:
        """Their points come last in metrics.jsonl: when an evaluator answers doesn't shift other monitors' lines."""
        name = side.place.name
        for watch in side.watches:
            self.summaries[name] = await watch.finish(self.summaries[name])
            for record in watch.records:
                self._write(name, record)

    def _summarize(self, side: Side, events: Sequence[Event], columns: Columns) -> dict[str, Any]:
        config = self._config
        facts = {"condition": config.condition.name, "model": config.llm.backend}
        return summarize(events, columns, side.target, counting=side.counting, facts=facts, seed=config.seed)

    def report(self) -> dict[str, Any]:
        """The communities' summaries and the figures' files; draws the figures."""
        self._run.figures.mkdir(exist_ok=True)
        for name, summary in self.summaries.items():
            self.figures += draw(self._run.figures, summary, self._records.get(name, ()), file_name(name))
        return {"communities": self.summaries, "figures": [path.name for path in self.figures]}

    def tables(self) -> dict[str, Table]:
        """The final tables, for the tracker."""
        return {name: Table(HEADER, table_rows(summary)) for name, summary in self.summaries.items()}

    def _published(self, community: str, record: Record) -> None:
        self._write(community, record)
        if isinstance(record, Point):
            self._told(community, record.n, record.values)

    def _write(self, community: str, record: Record) -> None:
        self._out.write(msgspec.json.encode({"community": community, **msgspec.to_builtins(record)}) + b"\n")
        self._out.flush()
        self._records.setdefault(community, []).append(record)

    def _told(self, community: str, n: int, numbers: Mapping[str, float]) -> None:
        """Tell the live view and the tracker; comments so far never go down, however late an evaluator is."""
        self._comments[community] = max(n, self._comments.get(community, 0))
        prefix = f"{community}/" if len(self._sides) > 1 else ""
        values = {prefix + name: value for name, value in numbers.items()}
        for listener in self.listeners:
            listener(sum(self._comments.values()), values)


def counting_of(config: RunConfig, community: str) -> Counting:
    """What counts as simulated in a run of this config."""
    origin: Origin = "candidate" if config.environment.teacher_forced else "simulated"
    return Counting(origins=(origin,), community=community)


@dataclass(frozen=True, slots=True)
class Chosen(Counting):
    """Counts these comments alone; `seqs` are the corpus's."""

    seqs: frozenset[int] = frozenset()

    def __call__(self, event: Event) -> bool:
        """True where the event is one of them."""
        return isinstance(event, TextEvent) and event.origin in self.origins and event.seq in self.seqs


def real_side(place: Place) -> Counting:
    """What counts as the real side: all of the reference population, or the targets of a place that has some."""
    if place.targets is None:
        return RECORDED
    return Chosen(RECORDED.origins, seqs=frozenset(place.targets))


def _gold(places: Sequence[Place]) -> dict[str, Gold]:
    """Source id -> gold labels, of all communities that have some."""
    return {
        event.source_id: place.corpus.gold[event.seq]
        for place in places
        for event in place.corpus.utterances()
        if event.source_id is not None and event.seq in place.corpus.gold
    }
