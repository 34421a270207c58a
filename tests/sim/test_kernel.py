"""The kernel's laws: think time is the lookahead, same seed same log, resume is replay, budgets end in order."""

import asyncio
import gc
import os
import time
from itertools import pairwise

import pytest

from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.sim.calls import Caller, NoModel
from folkmoot.sim.errors import ReplayMismatch
from folkmoot.sim.events import ActionRefused, ActivationFailed, TextEvent
from folkmoot.sim.forced import in_order
from folkmoot.sim.kernel import Kernel
from folkmoot.sim.log import EventLog, read
from folkmoot.sim.turn import Limits

PAGE = "Talk:Mill"


def opening(seq, thread, actor="agent0", *, time, text="The mill needs a roof.", page=PAGE):
    """A recorded opening; times in ms."""
    return ThreadOpened(
        seq=seq,
        time=time,
        actor=actor,
        community="en",
        origin="recorded",
        thread=thread,
        text=text,
        language="en",
        page=page,
        title=f"On {thread}",
    )


def answer(seq, thread, parent, actor="agent1", *, time, text="It does."):
    """A recorded answer."""
    return CommentPosted(
        seq=seq,
        time=time,
        actor=actor,
        community="en",
        origin="recorded",
        thread=thread,
        parent=parent,
        text=text,
        language="en",
        page=PAGE,
    )


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


# --- where runs end -------------------------------------------------------------------------------


def lines(place):
    """The log's lines, header first."""
    return place.log.read_bytes().splitlines(keepends=True)


def cut_to(place, kept):
    """Leave the header and so many events."""
    place.log.write_bytes(b"".join(kept))


OPENINGS = [opening(i, f"r{i}", f"agent{i}", time=1000 + i, text="{{ping|agent5}} look here.") for i in range(3)]


def test_a_replay_ends_where_a_killed_run_did(town):
    """Kill a run at any event, within its openings or before the first: the replay of what is there agrees."""
    place = town()
    place.run(openings=OPENINGS)
    whole = lines(place)
    for events in (*range(6), len(whole) // 2, len(whole) - 2):
        cut_to(place, whole[: events + 1])
        if events <= len(OPENINGS):
            place.calls.write_bytes(b"")
        else:
            place.run(openings=OPENINGS)
            cut_to(place, whole[: events + 1])
        outcome = place.run(openings=OPENINGS, mode="verify")
        assert (outcome.events, outcome.state) == (events, "stopped: the recorded log ends here")


def test_a_replay_still_compares_openings(town):
    """An opening that differs from the recorded one is a mismatch, and so is a log without its openings."""
    place = town()
    place.run(openings=OPENINGS)
    for others in ([OPENINGS[1], OPENINGS[0], OPENINGS[2]], OPENINGS[1:]):
        with pytest.raises(ReplayMismatch, match="differs"):
            place.run(openings=others, mode="verify")


def test_openings_alert_those_they_call(town):
    """Who is mentioned in an opening reacts to it after the start, caused by it; nobody else does."""
    place = town()
    quiet = {"rate_per_day": 1e-9, "react": {"mention": 1.0}}
    place.run(openings=OPENINGS, activity=quiet)
    events = list(read(place.log))
    reactions = [e for e in events[len(OPENINGS) :] if set(e.causes) & {0, 1, 2}]
    assert [e.actor for e in reactions] == ["agent5"] * len(OPENINGS)
    assert sorted(c for e in reactions for c in e.causes) == [0, 1, 2]
    silent = town("silent")
    silent.run(openings=OPENINGS, activity=quiet | {"react": {}})
    assert len(list(read(silent.log))) == len(OPENINGS)


def test_wall_time_ends_a_run_that_waits(town):
    """`wall_s` ends a run within a slow call, names itself, and doesn't touch a replay; resume goes on."""
    whole, part = town("whole"), town("part")
    whole.run()
    start = time.monotonic()
    outcome = part.run(latency_s=30.0, limits={"wall_s": 0.3})
    assert time.monotonic() - start < 5
    assert outcome.state == "stopped: budget: wall_s 0.3 used up"
    part.run()
    assert part.log.read_bytes() == whole.log.read_bytes()
    assert part.run(mode="verify", limits={"wall_s": 1e-9}).state == "stopped: the recorded log ends here"


def test_a_budget_counts_what_was_spent_before(town):
    """A run resumed with the budget that had ended it ends at the same event, and with twice as much it goes on."""
    whole = town("whole")
    whole.run()
    for limits in ({"tokens": 300}, {"max_comments": 5}):
        part = town(next(iter(limits)))
        ended = part.run(limits=limits)
        log = part.log.read_bytes()
        again = part.run(limits=limits)
        assert part.log.read_bytes() == log
        assert (again.state, again.events) == (ended.state, ended.events)
        more = part.run(limits={name: 2 * value for name, value in limits.items()})
        assert more.events > ended.events
        assert whole.log.read_bytes().startswith(part.log.read_bytes())


def test_an_early_interrupt_ends_a_run_before_it_begins(tmp_path, town_module):
    """Interrupted before it is run, outside of any event loop, a run ends in order without an event."""
    log = EventLog(tmp_path / "events.jsonl")
    kernel = Kernel(seed=1, start=0, log=log, caller=Caller(NoModel(), None, 1), limits=Limits(end=10**9))
    kernel.interrupt("interrupted")
    outcome = asyncio.run(kernel.run([]))
    log.close()
    assert (outcome.state, outcome.events) == ("stopped: interrupted", 0)


def test_interrupts_may_come_at_any_time(town):
    """Twice, from a sink within the run, and while the calls are being given up: the run ends in order, once."""
    place = town()

    class Stubborn(place.person):
        async def act(self, activation, view):
            try:
                return await super().act(activation, view)
            except asyncio.CancelledError:
                place.kernel.interrupt("while tidying up")
                raise

    class Twice:
        def committed(self, events, turn):
            place.kernel.interrupt("from within")
            place.kernel.interrupt("again")

        async def settle(self):
            return None

    async def main(**options):
        outcome = await place.live(**options)
        await asyncio.sleep(0.01)
        assert asyncio.current_task().cancelling() == 0
        return outcome

    async def from_outside():
        asyncio.get_running_loop().call_later(0.2, lambda: [place.kernel.interrupt(why) for why in ("one", "two")])
        return await main(latency_s=30.0)

    place.person = Stubborn
    assert asyncio.run(main(sinks=[Twice()])).state == "stopped: from within"
    assert len(list(read(place.log))) == 1
    assert asyncio.run(from_outside()).state == "stopped: one"


def test_a_cancelled_run_is_cancelled(town):
    """Cancelled by its own caller, a run doesn't pass for finished; resume finishes it."""
    whole, part = town("whole"), town("part")
    whole.run()

    async def main():
        task = asyncio.ensure_future(part.live(latency_s=30.0))
        await asyncio.sleep(0.2)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    part.run()
    assert part.log.read_bytes() == whole.log.read_bytes()


def test_calls_reach_the_disk_before_the_events_that_rest_on_them(town, monkeypatch):
    """Whenever the log is forced to the disk, no call record is left that hasn't been."""
    place, synced, sizes = town(), os.fsync, []

    def fsync(file):
        synced(file)
        if os.path.sameopenfile(file, calls):
            sizes.append(os.fstat(file).st_size)
        else:
            assert (sizes or [0])[-1] == os.fstat(calls).st_size
            sizes.append(sizes[-1] if sizes else 0)

    place.calls.touch()
    calls = os.open(place.calls, os.O_RDONLY)
    monkeypatch.setattr("folkmoot.sim.log.os.fsync", fsync)
    monkeypatch.setattr(EventLog.__init__, "__defaults__", ("append", 3))
    place.run()
    os.close(calls)
    assert len(sizes) > 5


# --- teacher-forced -------------------------------------------------------------------------------

FORCED = {
    0: opening(0, "a", time=5000),
    1: answer(1, "a", 0, "agent1", time=2000),
    2: opening(2, "b", "agent2", time=3000),
    3: answer(3, "b", 2, "agent3", time=4000),
    4: answer(4, "a", 1, "agent2", time=6000),
    5: opening(5, "gone", "agent4", time=6500, page="Talk:None"),
    6: answer(6, "gone", 5, "agent5", time=7000),
}


def test_the_heap_is_settled_while_a_run_lasts_and_not_after(town):
    """What was there before isn't looked through by the collector during a run; afterwards, and on failure, it is again."""
    frozen = []

    class Look:
        def committed(self, events, turn):
            frozen.append(gc.get_freeze_count())

        async def settle(self):
            return None

    before = gc.get_freeze_count()
    town().run(days=0.5, sinks=[Look()])
    assert min(frozen) > 10_000
    assert gc.get_freeze_count() == before
    town("failed").run(days=0.5, permanent_rate=0.9)
    assert gc.get_freeze_count() == before


def test_events_happen_in_the_order_of_their_page():
    """A reply dated before what it answers happens after it, at its time; other threads keep their dates."""
    assert [(at, e.seq) for at, e in in_order(list(FORCED.values()))] == [
        (3000, 2),
        (4000, 3),
        (5000, 0),
        (5000, 1),
        (6000, 4),
        (6500, 5),
        (7000, 6),
    ]


def test_candidates_stand_beside_misdated_comments(town):
    """Every target with a comment before it gets its candidate, others are counted; a cut replay agrees."""
    place = town()
    targets = {seq: event.actor for seq, event in FORCED.items()}
    # By date, as callers sort: the answer stands before what it answers.
    events = sorted(FORCED.values(), key=lambda e: (e.time, e.seq))
    options = {"forced": (events, targets), "on_failure": "abstain"}
    outcome = place.run(**options)
    logged = list(read(place.log))
    recorded = [e for e in logged if e.origin == "recorded"]
    assert [(e.actor, e.time) for e in recorded] == [(FORCED[i].actor, FORCED[i].time) for i in (2, 3, 0, 1, 4)]
    candidates = [e for e in logged if e.origin == "candidate"]
    assert [e.actor for e in candidates] == ["agent3", "agent1", "agent2"]
    assert [logged[e.causes[0]].actor for e in candidates] == ["agent2", "agent0", "agent1"]
    assert sum(isinstance(e, ActionRefused) for e in logged) == 2
    assert outcome.skipped == 4
    whole = lines(place)
    for events_left in range(len(whole) - 1):
        cut_to(place, whole[: events_left + 1])
        assert place.run(mode="verify", **options).events == events_left
