"""The `community` experiment: a real community's Talk pages, its people simulated, measured while they talk.

`run`, `resume` and `replay` are one act: the log and the call records decide what is done again and what is new.
"""

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from folkmoot.agents.llm.build import build_model, build_pool
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.window import RecordedWindow
from folkmoot.environments.social_feed.exposure import Exposures
from folkmoot.environments.social_feed.feed import SocialFeed
from folkmoot.sim.activity import DAY
from folkmoot.sim.calls import Caller, NoModel
from folkmoot.sim.errors import ConfigError, FolkmootError, LogError, ReplayMismatch
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments import facts
from folkmoot.sim.experiments.counts import Counts
from folkmoot.sim.experiments.estimate import estimate
from folkmoot.sim.experiments.fidelity_watch import check_alarms
from folkmoot.sim.experiments.intervening import examine, plan
from folkmoot.sim.experiments.labels import check_gold
from folkmoot.sim.experiments.live import LiveView
from folkmoot.sim.experiments.measures import Measures
from folkmoot.sim.experiments.places import Place, prepare
from folkmoot.sim.experiments.recovery_watch import check_people
from folkmoot.sim.experiments.settings import CommunityConfig, RunConfig
from folkmoot.sim.kernel import Kernel
from folkmoot.sim.log import EventLog
from folkmoot.sim.manifest import write_json, write_manifest
from folkmoot.sim.notes import Notes
from folkmoot.sim.runs import Run
from folkmoot.sim.tracking import Tracker, build_tracker
from folkmoot.sim.turn import Limits, Outcome

Mode = Literal["run", "resume", "replay"]


@dataclass(slots=True)
class Result:
    """What a run came to; `summary` is what summary.json holds, `taken` a folder that was asked for and wasn't free."""

    run: Run
    outcome: Outcome
    summary: dict[str, Any] = field(default_factory=dict)
    taken: Path | None = None

    @property
    def exit_code(self) -> int:
        """0: every call was answered; 1: some failed; 130: interrupted, resumable."""
        if self.outcome.state == INTERRUPTED:
            return 130
        return 0 if self.outcome.succeeded or self.outcome.state == IDENTICAL else 1


INTERRUPTED = "stopped: interrupted"
IDENTICAL = "identical"


def execute(config: RunConfig, folder: Path, mode: Mode = "run") -> Result:
    """Run, resume or replay in this folder.

    Raises:
        FolkmootError: what is wrong with config, corpus, backend or log; what was written before stays.
    """
    run = Run(folder)
    if config.dry_run:
        return asyncio.run(_dry_run(config, run))
    if mode == "replay":
        return asyncio.run(_replay(config, run))
    return asyncio.run(_live(config, run, fresh=mode == "run"))


async def _dry_run(config: RunConfig, run: Run) -> Result:
    model = build_model(config.llm, config.seed)
    try:
        summary = estimate(config, prepare(config, model), model)
    finally:
        await model.close()
    return Result(run, Outcome(state="dry run"), summary)


async def _replay(config: RunConfig, run: Run) -> Result:
    """The run again from its record, without any model; every event must come out the same."""
    manifest = run.manifest()
    log = EventLog(run.log, "verify")
    try:
        window = RecordedWindow(run.tokens_path, _window(run, manifest), None)
        places = prepare(config, window, manifest["communities"])
        caller = Caller(NoModel(), run.calls_path, config.seed, final_failures=True, read_only=True)
        kernel = _kernel(config, places, log, caller)
        outcome = await _play(config, kernel, places)
        if log.rerunning:
            raise ReplayMismatch(f"{run.log}: the re-run ended after {log.size} events, the log goes on")
    finally:
        log.close()
    outcome.state = IDENTICAL
    return Result(run, outcome, {"state": IDENTICAL, "events": outcome.events, "digest": run.digest})


def _window(run: Run, manifest: Mapping[str, Any]) -> int:
    """The model's window, as the run began with it."""
    window = manifest.get("window")
    if not isinstance(window, int):
        raise LogError(
            f'{run.manifest_path}: "window" is {window!r}, not a number of tokens; put back the file as the run wrote '
            "it (runs of earlier versions can't be replayed)"
        )
    return window


async def _live(config: RunConfig, run: Run, *, fresh: bool) -> Result:
    """Run or resume; whatever goes wrong is in the summary and told to the tracker before it is raised."""
    tracker = build_tracker(config.tracking)
    try:
        result, measures = await _measured(config, run, tracker, fresh=fresh)
    except FolkmootError as error:
        summary = {"state": f"failed: {error}"}
        tracker.finish("failed", summary)
        if run.log.exists():
            write_json(run.summary_path, summary)
        raise
    figures = [figure for figure in measures.figures if figure.suffix == ".png"]
    tracker.finish(result.outcome.state, result.summary, figures, measures.tables(), run.path)
    result.summary["tracking_failures"] = dict(tracker.failures)
    write_json(run.summary_path, result.summary)
    return result


async def _measured(config: RunConfig, run: Run, tracker: Tracker, *, fresh: bool) -> tuple[Result, Measures]:
    async with AsyncExitStack() as stack:
        pool = build_pool(config.llm, config.seed)
        stack.push_async_callback(pool.close)
        manifest = {} if fresh else run.manifest()
        window = RecordedWindow(run.tokens_path, manifest.get("window", pool.window), pool.count_tokens)
        stack.callback(window.close)
        places = prepare(config, window, manifest.get("communities"))
        examine(config, places)
        check_gold(config, places)
        check_people(config, places)
        check_alarms(config, places)
        tracker.start(facts.plain(config), run.path)
        if fresh:
            write_manifest(run.manifest_path, facts.manifest(config, places, pool))
        log = EventLog(run.log)
        stack.callback(log.close)
        measures = await Measures.prepare(config, places, run, pool)
        view = stack.enter_context(LiveView(facts.title(config, places), pool.counters, config.live))
        measures.listeners += [tracker.log, view.published]
        await stack.enter_async_context(measures)
        caller = Caller(
            pool,
            run.calls_path,
            config.seed,
            final_failures=config.on_failure == "abstain",
            keep_prompts=config.keep_prompts,
            branched="branch" in manifest,
        )
        stack.callback(caller.close)
        notes, counts = Notes(run.notes_path), Counts()
        stack.callback(notes.close)
        sinks = [*measures.sinks, notes, counts, view]
        if any(isinstance(place.environment, SocialFeed) for place in places):
            sinks.append(exposures := Exposures(run.exposures_path))
            stack.callback(exposures.close)
        kernel = _kernel(config, places, log, caller, pool, sinks)
        with _interruptible(kernel):
            outcome = await _play(config, kernel, places)
        if outcome.failures and outcome.state == "finished":
            outcome.state = f"failed: {len(outcome.failures)} activations without an answer"
        await measures.finish()
        summary = facts.summary(config, places, outcome, pool, [n for n in (log.notice, caller.notice) if n])
        summary |= {"counts": counts.counted(), "fitted": facts.fitted(places), **measures.report()}
        write_json(run.summary_path, summary)
    return Result(run, outcome, summary), measures


def _kernel(
    config: RunConfig,
    places: list[Place],
    log: EventLog,
    caller: Caller,
    pool: Pool | None = None,
    sinks: Sequence[Any] = (),
) -> Kernel:
    start = _first(places[0]) if config.environment.teacher_forced else max(place.start for place in places)
    budget = config.budget
    limits = Limits(
        end=start + round(max(place.days for place in places) * DAY),
        max_comments=budget.max_comments,
        wall_s=budget.wall_s,
        tokens=budget.tokens,
        cost=budget.cost,
    )
    return Kernel(
        seed=config.seed,
        start=start,
        log=log,
        caller=caller,
        limits=limits,
        sinks=sinks,
        spending=pool,
        on_failure=config.on_failure if pool else "abstain",
    )


async def _play(config: RunConfig, kernel: Kernel, places: list[Place]) -> Outcome:
    if config.environment.teacher_forced:
        if len(places) > 1:
            raise ConfigError(
                f"teacher-forced mode takes one community at a time, got {len(places)}; use -m corpus.lang=de,en"
            )
        place = places[0]
        events = sorted(place.split.reference_events(place.corpus), key=lambda e: (e.time, e.seq))
        return await kernel.reenact(
            place.world, events, _targets(place, events) if place.targets is None else place.targets
        )
    worlds = [(place, place.world) for place in places]
    for place, world in worlds:
        plan(config, kernel, place, world)
    if isinstance(config.experiment, CommunityConfig) and config.experiment.openings == "recorded":
        for place, world in worlds:
            kernel.record(world, place.split.first_events(place.corpus))
    return await kernel.run([world for _, world in worlds])


def _first(place: Place) -> int:
    return min(event.time for event in place.split.reference_events(place.corpus))


def _targets(place: Place, events: list[TextEvent]) -> dict[int, str]:
    """Comments of people with a persona that have at least one comment before them in their thread."""
    seen: set[str] = set()
    targets: dict[int, str] = {}
    for event in events:
        if event.thread in seen and event.actor in place.agents:
            targets[event.seq] = event.actor
        seen.add(event.thread)
    return targets


@contextmanager
def _interruptible(kernel: Kernel) -> Iterator[None]:
    """The first Ctrl-C ends the run in order; the second one ends the process (the log is whole all the same)."""
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        kernel.interrupt("interrupted")

    # Not on Windows, and not outside the main thread (a notebook): there `interrupt_current` serves.
    with suppress(NotImplementedError, RuntimeError, ValueError):
        loop.add_signal_handler(signal.SIGINT, interrupt)
    here = partial(loop.call_soon_threadsafe, kernel.interrupt, "interrupted")
    _running.append(here)
    try:
        yield
    finally:
        _running.remove(here)
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGINT)


_running: list[Callable[[], object]] = []
"""How to interrupt each run of this process."""


def interrupt_current() -> None:
    """End the runs of this process in order, from any thread (a notebook's interrupt)."""
    for interrupt in tuple(_running):
        interrupt()
