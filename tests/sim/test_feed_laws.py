"""The kernel's laws on a feed: one log a seed, kill and resume, replay, budgets; whatever the ranking."""

import subprocess
import sys

import pytest

from folkmoot.sim.call_records import read_calls
from folkmoot.sim.errors import ReplayMismatch
from folkmoot.sim.log import read

BUSY = ("activity.rate_scale=12",)


@pytest.mark.parametrize(
    ("seed", "options"),
    [(1, ["ranking=chronological"]), (2, ["ranking=engagement", "agents.plan=model"]), (3, ["ranking=random"])],
)
def test_one_log_a_seed(hamlet, seed, options):
    """Law: same seed, same log, byte for byte, at concurrency 1, 8 and 256 with random latencies, whoever plans."""
    logs = set()
    for concurrency in (1, 8, 256):
        place = hamlet(f"{seed}-{concurrency}")
        overrides = (*BUSY, *options)
        place.run(seed=seed, concurrency=concurrency, overrides=overrides, latency_s=0.001, latency_jitter=1.0)
        logs.add(place.log.read_bytes())
    assert len(logs) == 1


def test_rankings_and_seeds_make_different_runs(hamlet):
    """The law above isn't empty: another ranking or seed leads to another log, and people do all kinds of things."""
    logs, kinds = set(), set()
    for seed, ranking in ((1, "chronological"), (1, "popular"), (2, "chronological")):
        place = hamlet(f"{seed}-{ranking}")
        place.run(seed=seed, days=2, overrides=(*BUSY, f"ranking={ranking}"))
        logs.add(place.log.read_bytes())
        events = [event for event in read(place.log) if event.origin == "simulated"]
        kinds |= {(type(event).__name__, getattr(event, "form", "")) for event in events}
    assert len(logs) == 3
    assert {("PostCreated", "post"), ("PostCreated", "reply"), ("PostCreated", "repost"), ("Reacted", "")} <= kinds


def test_a_replay_makes_the_same_events_without_a_model(hamlet):
    """Law: the record answers all calls of a re-run; a record of another run doesn't."""
    place = hamlet()
    place.run(overrides=BUSY)
    before = place.log.read_bytes()
    place.run(overrides=BUSY, mode="verify")
    assert place.log.read_bytes() == before
    with pytest.raises(ReplayMismatch):
        place.run(overrides=("activity.rate_scale=11",), mode="verify")


def test_a_budget_ends_at_a_prefix(hamlet):
    """Law: a run that used up a budget is a prefix of the undisturbed one, and goes on to it."""
    whole, cut = hamlet("whole"), hamlet("cut")
    whole.run(overrides=BUSY)
    outcome = cut.run(overrides=BUSY, limits={"max_comments": 5})
    assert (outcome.comments, outcome.state[:14]) == (5, "stopped: budge")
    assert whole.log.read_bytes().startswith(cut.log.read_bytes())
    cut.run(overrides=BUSY)
    assert cut.log.read_bytes() == whole.log.read_bytes()


def test_a_killed_run_is_resumed_to_the_same_log(hamlet, hamlet_module, tmp_path):
    """Law: kill -9, resume: the log of an undisturbed run, and no recorded call is made twice."""
    whole = hamlet("whole")
    whole.run(seed=5, days=2)
    folder = tmp_path / "killed"
    folder.mkdir()
    command = [sys.executable, hamlet_module.__file__, str(folder), "5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"alive\n"
        log = folder / "events.jsonl"
        while process.poll() is None and not (log.exists() and log.read_bytes().count(b'"simulated"') >= 2):
            try:
                process.wait(0.02)
            except subprocess.TimeoutExpired:
                continue
        process.kill()
    killed = hamlet_module.Hamlet(folder)
    assert 0 < log.stat().st_size < whole.log.stat().st_size, "killed too late: the test shows nothing"
    killed.run(seed=5, days=2)
    assert killed.log.read_bytes() == whole.log.read_bytes()
    keys = [(call.agent, call.activation, call.call, call.attempt) for call in read_calls(killed.calls)]
    assert len(keys) == len(set(keys))
