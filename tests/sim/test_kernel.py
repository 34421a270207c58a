"""The kernel's laws: think time is the lookahead, same seed same log, resume is replay, budgets end in order."""

from itertools import pairwise

import pytest

from folkmoot.sim.errors import ReplayMismatch
from folkmoot.sim.events import ActivationFailed, TextEvent
from folkmoot.sim.log import read


@pytest.mark.parametrize("seed", range(4))
def test_same_seed_same_log_whatever_the_latencies(town, seed):
    """Logs are byte-identical at concurrency 1, 8 and 256, with random latencies and with none."""
    plain = town("plain")
    plain.run(seed=seed)
    logs = {plain.log.read_bytes()}
    for concurrency in (1, 8, 256):
        other = town(f"c{concurrency}")
        other.run(seed=seed, concurrency=concurrency, latency_s=0.002, latency_jitter=1.0)
        logs.add(other.log.read_bytes())
    assert len(logs) == 1
    assert logs.pop().count(b"CommentPosted") > 5


def test_seeds_differ(town):
    """Another seed is another history."""
    a, b = town("a"), town("b")
    a.run(seed=1)
    b.run(seed=2)
    assert a.log.read_bytes() != b.log.read_bytes()


def test_order_and_causes(town):
    """Times never fall, numbers have no gaps, every cause came earlier, every reply's parent is in the log."""
    place = town()
    place.run()
    events = list(read(place.log))
    assert [e.seq for e in events] == list(range(len(events)))
    assert all(a.time <= b.time for a, b in pairwise(events))
    assert all(c < e.seq for e in events for c in e.causes)
    texts = {e.seq: e for e in events if isinstance(e, TextEvent)}
    assert all(e.parent in texts for e in texts.values() if e.parent is not None)
    assert any(e.causes for e in events), "no endogenous activation happened"


def test_calls_overlap_as_think_times_do(town):
    """With long think times many calls are in flight at once, and the wall time is that of the overlap."""
    place = town(agents=20)
    outcome = place.run(days=1, latency_s=0.02, concurrency=64)
    assert outcome.most_in_flight >= 4
    assert place.pool.counters.most_in_flight >= 2


def test_zero_think_time_is_strictly_sequential(town):
    """A think time of zero: nobody ever has a view that misses a commit; one call at a time."""
    place = town()
    outcome = place.run(think_s=0)
    assert outcome.most_in_flight == 1
    assert place.page.conflicts == ()


def test_resume_after_any_cut_is_the_undisturbed_log(town):
    """Cut log and records anywhere: the finished log is the same and no recorded call is made again."""
    whole = town("whole")
    whole.run()
    log, calls = whole.log.read_bytes(), whole.calls.read_bytes()
    made = calls.count(b"\n")
    for i, share in enumerate((0.02, 0.3, 0.55, 0.8, 0.99)):
        cut = town(f"cut{i}")
        kept = calls[: int(len(calls) * min(1, share + 0.05))]
        cut.log.write_bytes(log[: int(len(log) * share)])
        cut.calls.write_bytes(kept)
        cut.run()
        assert cut.log.read_bytes() == log
        assert cut.pool.counters.calls == made - kept.count(b"\n")


def test_replay_makes_no_call_and_proves_the_log(town):
    """A replay without a model re-makes every event; a changed record or log is found out."""
    place = town()
    outcome = place.run()
    before = place.log.read_bytes()
    again = place.run(mode="verify")
    assert again.events == outcome.events
    assert place.log.read_bytes() == before
    assert place.pool is None
    place.log.write_bytes(before.replace(b"agent3", b"agent4", 1))
    with pytest.raises(ReplayMismatch, match="differs"):
        place.run(mode="verify")


def test_replay_with_another_seed_is_refused(town):
    """The wrong seed shows as a mismatch at the first different event."""
    place = town()
    place.run()
    with pytest.raises(ReplayMismatch):
        place.run(mode="verify", seed=2)


def test_budgets_stop_in_order(town):
    """Each budget ends the run as `stopped: budget`, the log is a prefix, and resuming finishes it."""
    whole = town("whole")
    whole.run()
    for name, limits in {"max_comments": {"max_comments": 5}, "tokens": {"tokens": 300}}.items():
        part = town(name)
        outcome = part.run(limits=limits)
        assert outcome.state.startswith(f"stopped: budget: {name}")
        assert outcome.succeeded
        assert 0 < part.log.stat().st_size < whole.log.stat().st_size
        assert whole.log.read_bytes().startswith(part.log.read_bytes())
        part.run()
        assert part.log.read_bytes() == whole.log.read_bytes()


def test_a_failed_call_stops_the_run_and_resume_mends_it(town):
    """`on_failure=stop`: failed, listed with its reason, a prefix of the undisturbed log, resumable."""
    whole, part = town("whole"), town("part")
    whole.run()
    outcome = part.run(permanent_rate=0.1)
    assert outcome.state.startswith("failed: activation")
    assert not outcome.succeeded
    assert len(outcome.failures) == 1
    assert whole.log.read_bytes().startswith(part.log.read_bytes())
    part.run()
    assert part.log.read_bytes() == whole.log.read_bytes()


def test_a_failed_call_is_recorded_where_the_run_goes_on(town):
    """`on_failure=abstain`: a final failure is an event with its reason, and replay repeats it."""
    place = town()
    outcome = place.run(permanent_rate=0.2, on_failure="abstain")
    failed = [e for e in read(place.log) if isinstance(e, ActivationFailed)]
    assert outcome.state == "finished"
    assert not outcome.succeeded
    assert len(failed) == len(outcome.failures) > 0
    assert all(e.reason for e in failed)
    before = place.log.read_bytes()
    place.run(mode="verify", on_failure="abstain")
    place.run(on_failure="abstain")
    assert place.log.read_bytes() == before


def test_transient_failures_leave_no_trace_in_the_log(town):
    """Retries mend transient failures; the log is that of an undisturbed run, the tries are in the records."""
    calm, rough = town("calm"), town("rough")
    calm.run()
    rough.run(transient_rate=0.2)
    assert rough.log.read_bytes() == calm.log.read_bytes()
    assert rough.calls.read_bytes().count(b'"error"') > 0


def test_a_monitor_may_stop_the_run_at_its_points_only(town):
    """A sink's reason ends the run in order; the log is a prefix of the unmonitored one."""

    class Stopper:
        seen = 0

        def committed(self, events, turn):
            self.seen += len(events)

        async def settle(self):
            return "monitor: far enough" if self.seen >= 4 else None

    whole, part = town("whole"), town("part")
    whole.run()
    outcome = part.run(sinks=(Stopper(),))
    assert outcome.state == "stopped: monitor: far enough"
    assert whole.log.read_bytes().startswith(part.log.read_bytes())


def test_interrupt_gives_up_a_waiting_commit(town):
    """An interrupt during a slow call ends the run in order, at once, and resume finishes it."""
    import asyncio
    import time

    whole, part = town("whole"), town("part")
    whole.run()

    async def main():
        task = asyncio.ensure_future(part.live(latency_s=30.0))
        await asyncio.sleep(0.2)
        part.kernel.interrupt("interrupted")
        return await task

    start = time.monotonic()
    outcome = asyncio.run(main())
    assert outcome.state == "stopped: interrupted"
    assert time.monotonic() - start < 5
    part.run()
    assert part.log.read_bytes() == whole.log.read_bytes()
