"""The social feed at scale: kernel, feed, rankings, agents and log; prints one JSON object.

    python feed.py page AGENTS EVENTS RANKING       ordinary rule agents, one look an hour each, pages of 50 posts
    python feed.py crowd AGENTS EVENTS RANKING [exposure]     columnar personas, look by look

What is counted begins with the run; `setup_s` and `setup_mb` are what came before. `by_tenth` is CPU per event in each
tenth of the events.
"""

import asyncio
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from folkmoot.agents.feed.crowd import FeedCrowd
from folkmoot.agents.feed.policy import FeedPolicy
from folkmoot.agents.feed.rules import FeedRuleAgent
from folkmoot.environments.social_feed.feed import SocialFeed
from folkmoot.environments.social_feed.rules import SocialFeedConfig
from folkmoot.sim.activity import HOUR, Activity, Delay
from folkmoot.sim.calls import Caller, NoModel
from folkmoot.sim.kernel import Kernel
from folkmoot.sim.log import EventLog
from folkmoot.sim.persona import Interests, Persona
from folkmoot.sim.rng import stream
from folkmoot.sim.turn import Limits, World

START = 1_700_000_000_000
FOLLOWS = 20
TAGS = [f"{kind}{number}" for kind in ("kites", "ramen", "owls", "trails") for number in range(25)]
ACTIVITY = Activity(rate_per_day=24, think=Delay(mean_s=60), react={"reply": 0.2, "mention": 0.2})


def rss_mb():
    """Resident memory now, MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def follows(agents):
    """Heavy-tailed: everybody follows 20, of whom a quarter are drawn in favour of low numbers (hubs)."""
    draw = stream(1, "follows")
    follower = np.repeat(np.arange(agents, dtype=np.int64), FOLLOWS)
    hub = draw.random(len(follower)) < 0.25
    followed = np.where(hub, agents * draw.random(len(follower)) ** 8, agents * draw.random(len(follower)))
    keys = np.unique(follower * agents + followed.astype(np.int64))
    pairs = np.stack(np.divmod(keys, agents), axis=1).astype(np.int32)
    return pairs[pairs[:, 0] != pairs[:, 1]]


def loop_ms():
    """CPU time of a plain loop of 200,000 additions: how slow the machine is just now."""
    start, total = time.process_time(), 0
    for i in range(200_000):
        total += i
    return 1000 * (time.process_time() - start)


class Watch:
    """Ends the run after so many events; notes CPU and memory at each tenth."""

    def __init__(self, events):
        self.every, self.seen, self.events = events // 10, 0, events
        self.cpu, self.mb = [time.process_time()], [rss_mb()]

    def committed(self, events, turn):
        """Count."""
        self.seen += len(events)
        if self.seen >= self.every * len(self.cpu):
            self.cpu.append(time.process_time())
            self.mb.append(rss_mb())

    async def settle(self):
        """Stops the run when it has seen enough."""
        return "enough" if self.seen >= self.events else None


def people(kind, agents):
    """Agents and their rates."""
    table = stream(1, "interests").integers(0, len(TAGS), (agents, 3)).astype(np.int16)
    names = [f"u{number}" for number in range(agents)]
    if kind == "crowd":
        rates = stream(1, "rates").pareto(1.5, agents).clip(0.1, 50).astype(np.float32)
        crowd = FeedCrowd(names, tags=TAGS, interests=table, policy=FeedPolicy(), rates=rates)
        return names, crowd, crowd.rates
    policy = FeedPolicy()
    kinds = [{"gaming": tuple(TAGS[tag] for tag in row)} for row in table]
    personas = [Persona(id=n, language="en", interests=Interests(stable=k)) for n, k in zip(names, kinds, strict=True)]
    return names, {persona.id: FeedRuleAgent(persona, policy) for persona in personas}, {}


async def measure(kind, agents, events, ranking, exposure, folder):
    """One run, its files in this folder; a dict of figures."""
    slow = loop_ms()
    began = time.process_time()
    names, crowd, rates = people(kind, agents)
    rules = SocialFeedConfig(ranking={"kind": ranking}, page_size=50 if kind == "page" else 20)
    feed = SocialFeed("bench", "en", names, follows(agents), rules, seed=1)
    log, watch = EventLog(folder / "events.jsonl"), Watch(events)
    caller = Caller(NoModel(), folder / "calls.jsonl", 1)
    sinks = [watch]
    if exposure:
        from folkmoot.environments.social_feed.exposure import Exposures

        sinks.append(Exposures(folder / "exposure.parquet"))
    kernel = Kernel(seed=1, start=START, log=log, caller=caller, limits=Limits(end=START + 10**6 * HOUR), sinks=sinks)
    setup_s, setup_mb = time.process_time() - began, rss_mb()
    watch.cpu[0] = time.process_time()
    outcome = await kernel.run([World(feed, crowd, ACTIVITY, rates)])
    for file in (log, caller, *sinks[1:]):
        file.close()
    tenth = [1000 * (b - a) / watch.every for a, b in zip(watch.cpu, watch.cpu[1:], strict=False)]
    files = [log.path, *(sink.path for sink in sinks[1:])]
    return {
        "kind": kind,
        "agents": agents,
        "ranking": ranking,
        "events": outcome.events,
        "state": outcome.state,
        "posts": len(feed._state.posts),
        "acts": len(feed._state.reactions),
        "setup_s": round(setup_s, 1),
        "setup_mb": round(setup_mb),
        "cpu_ms_per_event": round(1000 * (watch.cpu[-1] - watch.cpu[0]) / watch.seen, 4),
        "by_tenth": [round(cpu, 4) for cpu in tenth],
        "mb_by_tenth": [round(mb) for mb in watch.mb],
        "rss_peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "files_mb": {file.name: round(file.stat().st_size / 2**20, 1) for file in files},
        "loop_ms": round((slow + loop_ms()) / 2, 1),
    }


if __name__ == "__main__":
    kind, agents, events, ranking, *more = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        result = asyncio.run(measure(kind, int(agents), int(events), ranking, bool(more), Path(scratch)))
    sys.stdout.write(json.dumps(result) + "\n")
