"""The feed: points are a function of the log alone, nothing is dropped, the run is never held up."""

import asyncio
import subprocess
import sys

import pytest

from folkmoot.metrics.alarms import Alarm
from folkmoot.metrics.context import Contexts
from folkmoot.metrics.feed import MonitorFeed
from folkmoot.metrics.monitors import MonitorConfig, build_monitors
from folkmoot.metrics.records import AlarmRaised, Point, read_records
from folkmoot.metrics.tallies import FAMILIES
from folkmoot.metrics.target import build_target
from folkmoot.sim.errors import AnnotationError, LogError
from folkmoot.sim.events import Abstained


@pytest.fixture
def target(talk):
    """A real side."""
    real = talk(200, 20, seed=1, origin="recorded")
    return build_target(real.events, real.columns, real.roles)


def feed_of(target, gold, simulated, *, families=("acts", "text"), alarms=(), **options):
    """A feed with a few monitors."""
    config = MonitorConfig(every_comments=40, window=20, draws=20)
    configs = dict.fromkeys(families, config) | (
        {"acts": config.model_copy(update={"alarms": tuple(alarms)})} if alarms else {}
    )
    monitors = build_monitors(configs, target, seed=1)
    return MonitorFeed(monitors, gold(simulated), **options)


async def run(feed, events, pause=lambda _: False):
    """Commit all events; sleep where `pause` says so."""
    async with feed:
        for event in events:
            feed.committed((event,))
            if pause(event.seq):
                await asyncio.sleep(0.002)


def test_points_are_a_function_of_the_log(talk, gold, target, tmp_path):
    """Bursts, pauses, tiny queues and catching up: byte-identical metrics.jsonl."""
    simulated = talk(150, 12, seed=2)
    files = []
    for i, (capacity, pause) in enumerate(
        [(4096, lambda _: False), (4096, lambda seq: seq % 3 == 0), (7, lambda seq: seq % 50 == 0), (1, lambda _: True)]
    ):
        path = tmp_path / f"{i}.jsonl"
        feed = feed_of(
            target, gold, simulated, families=FAMILIES, path=path, capacity=capacity,
            reread=lambda first: iter(simulated.events[first:]),
        )  # fmt: skip
        asyncio.run(run(feed, simulated.events, pause))
        files.append(path.read_bytes())
    assert len(set(files)) == 1
    points = read_records(tmp_path / "0.jsonl")
    assert [(p.n, p.cause) for p in points] == [
        *((40, "comments"), (80, "comments"), (107, "day"), (120, "comments"), (150, "end"))
    ]


def test_every_simulated_day_is_published(talk, gold, target, tmp_path):
    """The first comment of a later day publishes what the days before held, at midnight UTC."""
    simulated = talk(30, 5, seed=2, step_ms=4 * 3_600_000)
    path = tmp_path / "m.jsonl"
    asyncio.run(run(feed_of(target, gold, simulated, path=path), simulated.events))
    days = [p for p in read_records(path) if p.cause == "day"]
    assert len(days) == 5
    assert all(p.time % 86_400_000 == 0 for p in days)
    assert all(simulated.events[p.seq].time < p.time <= simulated.events[p.seq + 1].time for p in days)


def test_annotators_get_fixed_batches(talk, gold, target):
    """Batches are cut at 32 comments and at publish points, whatever the pace."""
    simulated = talk(100, 10, seed=2)
    sizes = []
    for pause in (lambda _: False, lambda seq: seq % 5 == 0):
        annotators = gold(simulated)
        monitors = build_monitors({"acts": MonitorConfig(every_comments=40, draws=5)}, target)
        asyncio.run(run(MonitorFeed(monitors, annotators), simulated.events, pause))
        sizes.append(annotators["acts"].batches)
    assert sizes == [[32, 8, 32, 8, 20]] * 2


def test_a_stopping_monitor_stops_at_its_first_point(talk, gold, target):
    """`committed` asks for a barrier at publish points alone; then the reason names number, value and bound."""
    simulated = talk(100, 10, seed=2)
    alarm = Alarm(metric="acts.js_distance", above=0.0, stop=True)
    records = []
    feed = feed_of(target, gold, simulated, alarms=[alarm], on_publish=records.append)

    async def kernel():
        async with feed:
            for event in simulated.events:
                if feed.committed((event,)):
                    await feed.barrier()
                    if feed.stop_reason:
                        return event.seq
        return None

    assert asyncio.run(kernel()) == 39
    assert feed.stop_reason.startswith("acts.js_distance = ")
    assert "above 0" in feed.stop_reason
    assert [type(record) for record in records] == [Point, AlarmRaised]


def test_an_alarm_that_may_not_stop_only_tells(talk, gold, target, tmp_path):
    """Without stop the alarm is a record; `committed` never asks to wait."""
    simulated = talk(80, 10, seed=2)
    feed = feed_of(target, gold, simulated, alarms=[Alarm(metric="acts.n", below=50)], path=tmp_path / "m")

    async def kernel():
        async with feed as running:
            return [running.committed((event,)) for event in simulated.events]

    assert not any(asyncio.run(kernel()))
    raised = [r for r in read_records(tmp_path / "m") if isinstance(r, AlarmRaised)]
    assert [(r.n, r.value) for r in raised] == [(40, 40.0)]
    assert feed.stop_reason is None


def test_an_annotators_failure_reaches_the_run_at_the_barrier(talk, gold, target):
    """Commits go on; the barrier raises what went wrong."""
    simulated = talk(80, 10, seed=2)
    annotators = gold(simulated)
    annotators["acts"]._columns = {seq: {"acts": ("NONSENSE",)} for seq in range(80)}
    feed = MonitorFeed(build_monitors({"acts": MonitorConfig()}, target), annotators)
    with pytest.raises(AnnotationError, match="NONSENSE"):
        asyncio.run(run(feed, simulated.events))


def test_a_log_that_lacks_committed_events_is_an_error(talk, gold, target):
    """Catching up refuses a gap instead of skipping it."""
    simulated = talk(80, 10, seed=2)
    feed = feed_of(target, gold, simulated, capacity=4, reread=lambda first: iter(simulated.events[first + 1 :]))
    with pytest.raises(LogError, match="where 4 was due"):
        asyncio.run(run(feed, simulated.events))


def test_many_events_without_comments_are_taken(talk, gold, target):
    """Long stretches of abstentions don't pile up; the numbers are those of the comments."""
    simulated = talk(10, 3, seed=2)
    silent = [
        Abstained(seq=10 + i, time=simulated.events[-1].time, actor="a", community="en", origin="simulated", reason="r")
        for i in range(1000)
    ]
    records = []
    asyncio.run(run(feed_of(target, gold, simulated, on_publish=records.append), [*simulated.events, *silent]))
    assert [(record.n, record.cause) for record in records] == [(10, "end")]


def test_context_is_what_was_said_before(talk):
    """Title and up to two comments before it in the thread; a candidate sees those before its target."""
    simulated = talk(40, 3, seed=2)
    contexts = Contexts(2)
    before: dict = {}
    for event in simulated.events:
        utterance = contexts.take(event)
        assert utterance.context == tuple(before.get(event.thread, [])[-2:])
        assert utterance.title == f"about {event.thread}"
        before.setdefault(event.thread, []).append(event.text)


def test_importing_the_feed_brings_no_torch():
    """Torch, SciPy and matplotlib wait for the first publish: the command line starts without them."""
    code = "import sys, folkmoot.metrics.feed; print([m for m in ('torch', 'scipy', 'matplotlib') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
