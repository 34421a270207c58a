"""The whole stack at N=1000: kernel, Talk page, agents, log, call records, notes, monitors with the scripted annotator.

A step is one activation of each agent. Run as a program it prints one JSON object:
    python engine.py KIND AGENTS STEPS LATENCY_S [MONITORS]     KIND: rules, waiting, model
"""

import asyncio
import gc
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from folkmoot.agents.build import AgentsConfig, build_agents
from folkmoot.agents.conditioning.base import BaseConfig
from folkmoot.agents.llm.base import PoolConfig
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.scripted import ScriptedConfig, ScriptedModel
from folkmoot.agents.policy import PlanPolicy
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


class Steps:
    """Notes CPU time and wall time whenever another `n` events are committed."""

    def __init__(self, n):
        self.n, self.seen, self.cpu, self.wall = n, 0, [time.process_time()], [time.perf_counter()]

    def committed(self, events, turn):
        """Count."""
        self.seen += len(events)
        if self.seen >= self.n * len(self.cpu):
            self.cpu.append(time.process_time())
            self.wall.append(time.perf_counter())

    async def settle(self):
        """Never stops."""


async def feed(log):
    """Monitors of all families against the English demo."""
    corpus = load_demo("en")
    gold = {e.source_id: corpus.gold[e.seq] for e in corpus.utterances()}
    annotators = {"acts": ScriptedActs(gold), "sentiment": ScriptedSentiment(gold)}
    columns = await label(corpus.events, annotators)
    roles = {role: a.labels for role, a in annotators.items()}
    target = build_target(corpus.events, columns, roles)
    config = {
        name: MonitorConfig(every_comments=EVERY, draws=50 if name == "network" else 200) for name in target.tallies
    }
    monitors = build_monitors(config, target)
    return MonitorFeed(monitors, annotators, path=log.with_name("metrics.jsonl"), reread=lambda first: read(log, first))


async def measure(kind, agents, steps, latency, monitors):
    """One run; a dict of figures."""
    folder = Path(tempfile.mkdtemp())
    log = EventLog(folder / "events.jsonl")
    model = ScriptedModel(ScriptedConfig(language="en", latency_s=latency))
    pool = Pool(model, PoolConfig(concurrency=128))
    caller = Caller(pool, folder / "calls.jsonl", 1, keep_prompts=False)
    notes = Notes(folder / "notes.jsonl")
    # Everybody acts at the same moment, once an hour: a step, as turn-based simulators have them.
    activity = Activity(
        rate_per_day=24, gaps=Empirical(values=(1, 1)), think=Delay(mean_s=300, max_s=3000), react={}, phase="aligned"
    )
    page = TalkPage("en", "en", {"Talk:Mill": Page("Talk:Mill", "The mill stands by the river. " * 20)})
    people = [Persona(id=f"agent{i}", language="en") for i in range(agents)]
    built = build_agents(
        people, BaseConfig(max_comments=6), pool, PlanPolicy({"open": 0.1}), AgentsConfig(kind=kind, max_tokens=96)
    )
    stop = Steps(agents)
    follow = await feed(log.path) if monitors else None
    sinks = [notes, stop, *([FeedSink(follow)] if follow else [])]
    kernel = Kernel(
        seed=1, start=START, log=log, caller=caller, limits=Limits(end=START + steps * HOUR), sinks=sinks, spending=pool
    )
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cpu, wall = time.process_time(), time.perf_counter()
    if follow:
        async with follow:
            outcome = await kernel.run([World(page, built, activity)])
    else:
        outcome = await kernel.run([World(page, built, activity)])
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    log.close()
    caller.close()
    notes.close()
    spent = [b - a for a, b in zip(stop.cpu, stop.cpu[1:], strict=False)]
    return {
        "kind": kind,
        "events": outcome.events,
        "cpu_ms_per_event": 1000 * cpu / outcome.events,
        "wall_s_per_step": wall / (outcome.events / agents),
        "cpu_by_step": spent,
        "wall_by_step": [b - a for a, b in zip(stop.wall, stop.wall[1:], strict=False)],
        "calls_in_flight": pool.counters.most_in_flight,
        "rss_before_mb": before / 1024,
        "rss_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    arguments = sys.argv[1:]
    result = asyncio.run(
        measure(arguments[0], int(arguments[1]), int(arguments[2]), float(arguments[3]), len(arguments) > 4)
    )
    sys.stdout.write(json.dumps(result) + "\n")
