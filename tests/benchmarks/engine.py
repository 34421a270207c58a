"""The whole stack at N=1000: kernel, Talk page, agents, log, call records, notes, monitors with the scripted annotator.

A step is one activation of each agent. Run as a program it prints one JSON object:
    python engine.py KIND AGENTS STEPS LATENCY_S [MONITORS]     KIND: rules, waiting, model, engine (LangGraph's own)
    python engine.py growth AGENTS STEPS PAIRS                  an old run and young ones, step by step in turns
"""

import asyncio
import gc
import json
import resource
import sys
import tempfile
import time
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

from folkmoot.agents import graph
from folkmoot.agents.build import AgentsConfig, build_agents
from folkmoot.agents.conditioning.base import BaseConfig
from folkmoot.agents.llm.base import PoolConfig
from folkmoot.agents.llm.phrases import intent
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.scripted import ScriptedConfig, ScriptedModel
from folkmoot.agents.policy import PlanPolicy
from folkmoot.agents.rules import CANNED
from folkmoot.environments.corpora.base import Page
from folkmoot.environments.corpora.demo import load_demo
from folkmoot.environments.talk_page.page import TalkPage
from folkmoot.metrics.annotations import label
from folkmoot.metrics.annotators.scripted import ScriptedActs, ScriptedSentiment
from folkmoot.metrics.feed import MonitorFeed
from folkmoot.metrics.monitors import MonitorConfig, build_monitors
from folkmoot.metrics.target import build_target
from folkmoot.sim.activity import HOUR, Activity, Delay, Empirical
from folkmoot.sim.calls import Caller
from folkmoot.sim.experiments.measures import FeedSink
from folkmoot.sim.kernel import Kernel
from folkmoot.sim.log import EventLog, read
from folkmoot.sim.notes import Notes
from folkmoot.sim.persona import Persona
from folkmoot.sim.turn import Limits, World

START = 1_700_000_000_000
EVERY = 1000


SAID = dict(
    zip(
        CANNED["en"],
        [
            (("POSITIVE", "INFORM"), 4),
            (("ASK", "CRITIQUE"), 3),
            (("CRITIQUE",), 2),
            (("POSITIVE",), 5),
            (("REQUEST",), 3),
        ],
        strict=True,
    )
)
"""What the rule-driven agents' texts say, so that their monitors have labels to count."""


class Steps:
    """Notes CPU time and wall time whenever another `n` events are committed, and lets `turn` pass before more."""

    def __init__(self, n, turn=None):
        self.n, self.seen, self.cpu, self.wall = n, 0, [time.process_time()], [time.perf_counter()]
        self._turn, self._due = turn, False

    def committed(self, events, turn):
        """Count."""
        self.seen += len(events)
        if self.seen >= self.n * len(self.cpu):
            self.cpu.append(time.process_time())
            self.wall.append(time.perf_counter())
            self._due = self._turn is not None

    async def settle(self):
        """Never stops; waits for its turn after each step."""
        if self._due:
            self._due = False
            await self._turn(len(self.cpu) - 1)


def loop_ms():
    """CPU time of a plain loop of 200,000 additions: how slow the machine is just now."""
    start, total = time.process_time(), 0
    for i in range(200_000):
        total += i
    return 1000 * (time.process_time() - start)


async def feed(log):
    """Monitors of all families against the English demo."""
    corpus = load_demo("en")
    gold = {e.source_id: corpus.gold[e.seq] for e in corpus.utterances()}
    said = lambda text, language: SAID.get(text) or intent(text, language)  # noqa: E731
    annotators = {"acts": ScriptedActs(gold, said), "sentiment": ScriptedSentiment(gold, said)}
    columns = await label(corpus.events, annotators)
    roles = {role: a.labels for role, a in annotators.items()}
    target = build_target(corpus.events, columns, roles)
    config = {
        name: MonitorConfig(every_comments=EVERY, draws=50 if name == "network" else 200) for name in target.tallies
    }
    monitors = build_monitors(config, target)
    return MonitorFeed(monitors, annotators, path=log.with_name("metrics.jsonl"), reread=lambda first: read(log, first))


class Stack:
    """All parts of one run; an async context in which `run` may be awaited once."""

    def __init__(self, kind, agents, steps, latency=0.0, turn=None):
        self.folder = Path(tempfile.mkdtemp())
        self.log, self.notes = EventLog(self.folder / "events.jsonl"), Notes(self.folder / "notes.jsonl")
        self.pool = Pool(ScriptedModel(ScriptedConfig(language="en", latency_s=latency)), PoolConfig(concurrency=128))
        self.caller = Caller(self.pool, self.folder / "calls.jsonl", 1, keep_prompts=False)
        # Everybody acts at the same moment, once an hour: a step, as turn-based simulators have them.
        think = Delay(mean_s=300, max_s=3000)
        self.activity = Activity(rate_per_day=24, gaps=Empirical(values=(1, 1)), think=think, react={}, phase="aligned")
        self.page = TalkPage("en", "en", {"Talk:Mill": Page("Talk:Mill", "The mill stands by the river. " * 20)})
        people = [Persona(id=f"agent{i}", language="en") for i in range(agents)]
        config = AgentsConfig(kind="model" if kind == "engine" else kind, max_tokens=96)
        chain_of = graph.chain_of
        if kind == "engine":
            graph.chain_of = lambda _: None
        self.agents = build_agents(people, BaseConfig(max_comments=6), self.pool, PlanPolicy({"open": 0.1}), config)
        graph.chain_of = chain_of
        self.steps = Steps(agents, turn)
        self.limits = Limits(end=START + steps * HOUR)
        self.feed = None

    async def run(self, *, monitors=True):
        """The whole run; its outcome."""
        sinks = [self.notes, self.steps]
        self.feed = await feed(self.log.path) if monitors else None
        if self.feed:
            sinks.append(FeedSink(self.feed))
        kernel = Kernel(
            seed=1, start=START, log=self.log, caller=self.caller, limits=self.limits, sinks=sinks, spending=self.pool
        )
        gc.collect()
        self.steps.cpu[0], self.steps.wall[0] = time.process_time(), time.perf_counter()
        async with self.feed or nullcontext():
            outcome = await kernel.run([World(self.page, self.agents, self.activity)])
        for file in (self.log, self.caller, self.notes):
            file.close()
        return outcome


async def measure(kind, agents, steps, latency, monitors):
    """One run; a dict of figures."""
    stack, slow = Stack(kind, agents, steps, latency), loop_ms()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = await stack.run(monitors=monitors)
    cpu = time.process_time() - stack.steps.cpu[0]
    wall = time.perf_counter() - stack.steps.wall[0]
    return {
        "kind": kind,
        "events": outcome.events,
        "cpu_ms_per_event": 1000 * cpu / outcome.events,
        "wall_s_per_step": wall / (outcome.events / agents),
        "cpu_by_step": [b - a for a, b in pairwise(stack.steps.cpu)],
        "wall_by_step": [b - a for a, b in pairwise(stack.steps.wall)],
        "loop_ms": (slow + loop_ms()) / 2,
        "calls_in_flight": stack.pool.counters.most_in_flight,
        "rss_before_mb": before / 1024,
        "rss_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


class InTurns(Stack):
    """A rule-driven run that stops after each step from its `first` on, its monitors having caught up, until told."""

    def __init__(self, agents, first):
        super().__init__("rules", agents, 1000, turn=self._stop)
        self._first, self._stopped, self._go = first, asyncio.Event(), asyncio.Event()
        self.task = asyncio.ensure_future(self.run())

    async def _stop(self, step):
        if step >= self._first:
            await self.feed.barrier()
            self._stopped.set()
            await self._go.wait()
            self._go.clear()

    async def ready(self):
        """Until it has stopped."""
        await self._stopped.wait()
        self._stopped.clear()

    async def step(self):
        """CPU time of one more step."""
        start = time.process_time()
        self._go.set()
        await self.ready()
        return time.process_time() - start


async def growth(agents, steps, pairs):
    """CPU time of each step of a run that is `steps` steps old, and of steps 2 to 6 of young ones.

    All run in one process and take turns step by step, so that whatever else the machine does slows both alike.
    """
    old, took = InTurns(agents, steps), {"old": [], "young": []}
    runs = [old]
    await old.ready()
    for number in range(pairs):
        if number % 5 == 0:
            young = InTurns(agents, 1)
            runs.append(young)
            await young.ready()
        for name, run in (("old", old), ("young", young)):
            took[name].append(await run.step())
    for run in runs:
        run.task.cancel()
    await asyncio.gather(*(run.task for run in runs), return_exceptions=True)
    return {**took, "growth": [a / b for a, b in zip(took["old"], took["young"], strict=True)]}


if __name__ == "__main__":
    kind, *numbers = sys.argv[1:]
    if kind == "growth":
        result = asyncio.run(growth(*map(int, numbers)))
    else:
        result = asyncio.run(measure(kind, int(numbers[0]), int(numbers[1]), float(numbers[2]), len(numbers) > 3))
    sys.stdout.write(json.dumps(result) + "\n")
