"""CPU per event of the feed, with five monitors and 200 draws; run with -m benchmark."""

import asyncio
import time
import tracemalloc

import pytest

from folkmoot.metrics.feed import MonitorFeed
from folkmoot.metrics.monitors import MonitorConfig, build_monitors
from folkmoot.metrics.tallies import FAMILIES
from folkmoot.metrics.target import build_target

EVENTS, THREADS = 40_000, 5_000


class Cyclic:
    """A free annotator: labels by sequence number."""

    name, version, context = "cyclic", "1", 2

    def __init__(self, labels):
        self.labels = labels

    async def annotate(self, batch):
        """One label each."""
        return [(self.labels[utterance.event.seq % len(self.labels)],) for utterance in batch]


@pytest.fixture(scope="module")
def one_thread():
    """Torch on one thread: the figure is CPU time, and a spinning second thread would count."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def feed_all(target, talk):
    """CPU seconds to read all events."""
    configs = {n: MonitorConfig(every_comments=1000, draws=50 if n == "network" else 200) for n in FAMILIES}
    feed = MonitorFeed(build_monitors(configs, target), {role: Cyclic(labels) for role, labels in talk.roles.items()})

    async def run():
        async with feed:
            feed.committed(talk.events)
            await feed.barrier()

    start = time.process_time()
    asyncio.run(run())
    return time.process_time() - start


def loop_seconds():
    """A plain Python loop of 2 million additions; a nominal machine takes 0.09 s."""
    start, total = time.process_time(), 0
    for i in range(2_000_000):
        total += i
    return time.process_time() - start


@pytest.mark.benchmark
def test_cpu_per_event(talk, one_thread, record_property):
    """At most 60 us an event on a nominal machine: scaled by a plain loop, so that a busy one doesn't decide."""
    real = talk(4000, 800, seed=1, origin="recorded")
    target = build_target(real.events, real.columns, real.roles)
    simulated = talk(EVENTS, THREADS, seed=2, step_ms=2_000)
    feed_all(target, talk(2000, 200, seed=3))
    figures = []
    for _ in range(3):
        slow = loop_seconds()
        spent = feed_all(target, simulated)
        figures.append(spent / EVENTS * 1e6 / ((slow + loop_seconds()) / 2 / 0.09))
    record_property("us_per_event", figures)
    assert min(figures) < 60, figures


@pytest.mark.benchmark
def test_memory_follows_threads_not_texts(talk, one_thread, record_property):
    """What the feed keeps of 40,000 comments in 5,000 threads stays under 40 MB."""
    real = talk(4000, 800, seed=1, origin="recorded")
    target = build_target(real.events, real.columns, real.roles)
    simulated = talk(EVENTS, THREADS, seed=2, step_ms=2_000)
    monitors = build_monitors({n: MonitorConfig() for n in FAMILIES}, target)
    tracemalloc.start()
    for start in range(0, EVENTS, 32):
        for monitor in monitors:
            monitor.update(simulated.events[start : start + 32], simulated.columns)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    record_property("kept_bytes", kept)
    assert kept < 40e6
