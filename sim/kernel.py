"""Simulated time: SimPy processes activate agents, think time is the lookahead, commits come in order.

At its activation an agent gets a view and its model call starts at once; its action is committed after
a think time drawn before any answer is known. Commits are SimPy events, ordered by (time, priority,
serial) with commits before activations of the same instant, so the order of the log depends on the
seed alone and calls overlap in wall-clock time as far as think times overlap in simulated time.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import partial

import simpy
from simpy.core import EmptySchedule
from simpy.events import NORMAL, URGENT

from folkmoot.sim.calls import DUE, Caller
from folkmoot.sim.ending import Ending
from folkmoot.sim.errors import ModelError
from folkmoot.sim.events import Event, TextEvent
from folkmoot.sim.forced import NOTHING, Failed, candidate, in_order
from folkmoot.sim.heap import settled_heap
from folkmoot.sim.log import EventLog
from folkmoot.sim.protocols import Action, Intervene, Record, Trigger
from folkmoot.sim.rng import uniform
from folkmoot.sim.turn import Commit, Limits, Outcome, Sink, Spending, Turn, World

Process = Generator[simpy.Event, None, None]

YIELD_EVERY = 4
"""Activations between two turns of the event loop: the first calls start while later agents still look."""


class Kernel:
    """Runs worlds through simulated time.

    Args:
        seed: of every stream.
        start: simulated time (ms) at which the simulation begins.
        log: takes the events; from now on it syncs the caller's records before its own lines.
        caller: answers the model calls.
        limits: where to end.
        sinks: follow the commits.
        spending: the pool's counters, for budgets.
        on_failure: `stop` ends the run at a failed call, resumable; `abstain` records it and goes on.
    """

    def __init__(
        self,
        *,
        seed: int,
        start: int,
        log: EventLog,
        caller: Caller,
        limits: Limits,
        sinks: Sequence[Sink] = (),
        spending: Spending | None = None,
        on_failure: str = "stop",
    ) -> None:
        self.seed = seed
        self.caller = caller
        self.clock = simpy.Environment(initial_time=start)
        self.outcome = Outcome()
        self._log = log
        log.before_sync = caller.sync
        self._limits = limits
        self._sinks = sinks
        self._spending = spending
        self._on_failure = on_failure
        self._due: deque[Commit] = deque()
        self._open: dict[Commit, None] = {}
        self._turns: dict[str, int] = {}
        self._after: dict[int, list[tuple[World, Intervene]]] = {}
        self._seq = self._since_yield = self._lookahead = 0
        self._ending = Ending()

    @property
    def now(self) -> int:
        """Simulated time, ms since the epoch."""
        return int(self.clock.now)

    def interrupt(self, reason: str) -> None:
        """End the run in order, now: a commit that waits for its answer is given up (`Ending.interrupt`)."""
        self._ending.interrupt(reason)

    def record(self, world: World, events: Iterable[Event]) -> None:
        """Let recorded events (openings) enter a world before it starts: with their own times, as news of now.

        Who is alerted by one may react to it from now on, as to a simulated event.
        """
        for event in events:
            action = Record(agent=event.actor, based_on=0, event=event)
            self._emit(world, world.environment.apply(action, self.now, self._seq), None)

    def intervene(self, world: World, action: Intervene, *, at: int | None = None, after: int | None = None) -> None:
        """Let the experimenter act at an instant (ms), before the commits of then, or right after an event (seq)."""
        if after is not None:
            self._after.setdefault(after, []).append((world, action))
        elif at is not None:
            change = Commit(self._turn(world, "", -1, "exogenous", ()), action)
            self._at(max(0, at - self.now), URGENT, partial(self._due.append, change))

    async def run(self, worlds: Sequence[World]) -> Outcome:
        """Free-running: people act by their activity until a limit is reached."""
        for world in worlds:
            rescaled = world.activity.clock()
            for agent in world.agents:
                rate = world.rates.get(agent, world.activity.rate_per_day) * world.activity.exogenous_share
                if rate > 0:
                    self.clock.process(self._live(world, agent, rate, rescaled.after))
        return await self._drive()

    async def reenact(self, world: World, events: Sequence[TextEvent], targets: Mapping[int, str]) -> Outcome:
        """Teacher-forced: recorded events happen as they did; each target's author writes a candidate beside it.

        Args:
            world: its environment takes the recorded events.
            events: recorded events, in any order; they happen in that of `forced.in_order`, with their own times.
            targets: corpus seq of an event -> agent that writes a candidate for it. A target without an
                earlier comment in its thread has nothing to answer: counted in `Outcome.skipped`.
        """
        self._lookahead = 1024
        self.clock.process(self._replay_events(world, events, targets))
        return await self._drive()

    def _live(self, world: World, agent: str, rate: float, after: Callable[[int, float], int]) -> Process:
        gaps, count = world.activity.gaps, 0
        while True:
            gap = gaps.quantile(uniform(self.seed, agent, "gap", count))
            if count == 0 and world.activity.phase == "random":
                # The process has been running before we look: the first gap is met at a random point.
                gap *= uniform(self.seed, agent, "phase")
            at = after(self.now, gap / rate)
            if at > self._limits.end:
                return
            yield self.clock.timeout(at - self.now)
            self._activate(world, agent, "exogenous", ())
            count += 1

    def _replay_events(self, world: World, events: Sequence[TextEvent], targets: Mapping[int, str]) -> Process:
        last: dict[str, int] = {}
        for time, event in in_order(events):
            if time > self.now:
                yield self.clock.timeout(time - self.now)
            commit = self._forced_turn(world, event, targets.get(event.seq), last.get(event.thread))
            action = Record(agent=event.actor, based_on=0, event=event)
            commit.recorded = world.environment.apply(action, self.now, self._seq)
            self._take_seq(len(commit.recorded))
            if isinstance(commit.recorded[0], TextEvent):
                last[event.thread] = commit.recorded[0].seq
            self._due.append(commit)

    def _forced_turn(self, world: World, event: TextEvent, target: str | None, last: int | None) -> Commit:
        """What is committed with a recorded event: the turn of its target, who answers `last`, or nobody's."""
        if target is not None and last is not None:
            commit = self._activate(world, target, "target", (last,), commit=False)
            commit.seq = self._take_seq(1)
            return commit
        self.outcome.skipped += target is not None
        return Commit(self._turn(world, event.actor, -1, "target", ()), NOTHING)

    def _turn(self, world: World, agent: str, number: int, trigger: Trigger, causes: tuple[int, ...]) -> Turn:
        return Turn(world, agent, number, self.now, trigger, causes, seed=self.seed, caller=self.caller)

    def _take_seq(self, count: int) -> int:
        seq = self._seq
        self._seq += count
        return seq

    def _activate(
        self, world: World, agent: str, trigger: Trigger, causes: tuple[int, ...], *, commit: bool = True
    ) -> Commit:
        number = self._turns.get(agent, 0)
        self._turns[agent] = number + 1
        turn = self._turn(world, agent, number, trigger, causes)
        view = turn.view = world.environment.view(agent, turn.now)
        think = world.activity.think.sample_ms(turn.uniform("think"))
        DUE.set(turn.now + think)  # the task of `act` copies it
        action = world.agents[agent].act(turn, view)
        pending = Commit(turn, action if isinstance(action, Action) else asyncio.ensure_future(action))
        self.outcome.activations += 1
        if not isinstance(pending.result, Action):
            self._open[pending] = None
            self.outcome.most_in_flight = max(self.outcome.most_in_flight, len(self._open))
        self._since_yield += 1
        if commit:
            self._at(think, URGENT, partial(self._due.append, pending))
        return pending

    def _at(self, delay: int, priority: int, do: Callable[[], object]) -> None:
        """What simpy.Event.succeed does, with a delay and a priority."""
        event = simpy.Event(self.clock)
        event.callbacks = [lambda _: do()]
        event._ok, event._value = True, None  # noqa: SLF001
        self.clock.schedule(event, priority, delay)

    async def _drive(self) -> Outcome:
        # A replay takes the time that it takes.
        wall_s = self._limits.wall_s if self._log.mode == "append" else None
        async with self._ending.guard(wall_s, self._tidy), settled_heap():
            self._look_for_end()
            while self._ending.reason is None:
                try:
                    self.clock.step()
                except EmptySchedule:
                    break
                if len(self._due) > self._lookahead:
                    await self._commit_due(self._lookahead)
                if self._since_yield >= YIELD_EVERY:
                    await self._breathe()
            await self._commit_due(0)
        self.outcome.state = self._ending.reason or "finished"
        self.outcome.events = self._log.size
        return self.outcome

    async def _commit_due(self, left: int) -> None:
        while len(self._due) > left and self._ending.reason is None:
            await self._commit(self._due.popleft())
            if self._since_yield >= YIELD_EVERY:
                await self._breathe()

    async def _breathe(self) -> None:
        """Let the calls start and the monitors read."""
        self._since_yield = 0
        await asyncio.sleep(0)

    async def _tidy(self) -> None:
        """What was written is on the disk, calls first, and no task outlives the run."""
        try:
            self.caller.sync()
            self._log.sync()
        finally:
            tasks = [c.result for c in (*self._open, *self._due) if isinstance(c.result, asyncio.Future)]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _commit(self, commit: Commit) -> None:
        turn = commit.turn
        action: Action | None
        try:
            action = commit.result if isinstance(commit.result, Action) else await commit.result
        except ModelError as error:
            action = self._failed(turn, error)
        self._open.pop(commit, None)
        self._since_yield += 1
        if action is None:
            return
        if commit.recorded:
            self._commit_forced(commit, action)
        elif isinstance(action, Failed):
            self._emit(turn.world, [action.event(turn, self.now, self._seq)], turn)
        else:
            self._emit(turn.world, turn.world.environment.apply(action, self.now, self._seq), turn)
        await self._settle()

    def _failed(self, turn: Turn, error: ModelError) -> "Failed | None":
        reason = str(error)
        self.outcome.failures.append((turn.agent, turn.number, reason))
        if self._on_failure == "stop":
            self._ending.reason = f"failed: activation {turn.number} of {turn.agent}: {reason}"
            return None
        return Failed(agent=turn.agent, based_on=0, reason=reason)

    def _commit_forced(self, commit: Commit, action: Action) -> None:
        if commit.seq >= 0:
            self._write([candidate(action, commit.recorded[0], commit.turn, commit.seq)], commit.turn)
        self._write(commit.recorded, None)

    def _emit(self, world: World, events: Sequence[Event], turn: Turn | None) -> None:
        self._take_seq(len(events))
        self._write(events, turn)
        for event in events:
            self._schedule_reactions(world, event)
        for event in events:
            for place, action in self._after.pop(event.seq, ()):
                self._emit(place, place.environment.apply(action, self.now, self._seq), None)

    def _write(self, events: Sequence[Event], turn: Turn | None) -> None:
        for at, event in enumerate(events):
            if self._look_for_end():
                events = events[:at]
                break
            self._log.append(event)
            if event.origin in {"simulated", "candidate"} and isinstance(event, TextEvent):
                self.outcome.comments += 1
        if events:
            for sink in self._sinks:
                sink.committed(events, turn)

    def _look_for_end(self) -> bool:
        """A replay ends where its log does, at any event: the run that wrote it was stopped or killed there."""
        ended = self._log.mode == "verify" and not self._log.rerunning
        if ended:
            self._ending.stop("the recorded log ends here")
        return ended

    def _schedule_reactions(self, world: World, event: Event) -> None:
        for alert in world.environment.alerts(event):
            delay = world.reaction(alert, event, self.seed)
            if delay is not None and self.now + delay <= self._limits.end:
                self._at(delay, NORMAL, partial(self._activate, world, alert.agent, alert.trigger, (event.seq,)))

    async def _settle(self) -> None:
        # What is recorded was within its budget; a run that is resumed with the same one ends where it ended.
        over = self._look_for_end() or self._log.rerunning
        if not over and (reason := self._limits.used_up(self.outcome.comments, self.caller, self._spending)):
            self._ending.stop(reason)
        for sink in self._sinks:
            if reason := await sink.settle():
                self._ending.stop(reason)
