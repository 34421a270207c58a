"""Thread shape against a plain recount."""

import math

import numpy as np
import pytest

from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.metrics.threads import LONGEST, MS_PER_HOUR, Places, ThreadShapes, Turn


def comment(seq, parent, thread="t", actor="a", hours=0.0, origin="simulated"):
    """A bare comment."""
    common = {
        "seq": seq, "time": int(hours * MS_PER_HOUR), "actor": actor, "community": "en", "origin": origin,
        "thread": thread, "text": "x", "language": "en", "page": "P",
    }  # fmt: skip
    return ThreadOpened(title="T", **common) if parent is None else CommentPosted(parent=parent, **common)


def test_places():
    """Depth counts answers from the opening; the delay is the time since the comment answered."""
    places = Places()
    assert places.add(comment(0, None)) == Turn(0, 0, 0, None, None)
    assert places.add(comment(1, 0, actor="b", hours=2)) == Turn(0, 1, 1, 0, 2.0)
    assert places.add(comment(2, 1, actor="a", hours=2.5)) == Turn(0, 0, 2, 1, 0.5)
    assert places.add(comment(9, 7, hours=3)) == Turn(0, 0, 1, None, None)
    assert places.users == ("a", "b")


def test_placing_twice_changes_nothing():
    """Monitors that share the places may each add the same event."""
    places = Places()
    places.add(comment(0, None))
    assert places.add(comment(1, 0, hours=1)) == places.add(comment(1, 0, hours=1))


def test_a_shared_batch_is_read_once_for_each_way_of_counting(talk):
    """Tallies that count alike get one reading of a batch, others their own; both place the comments that don't count."""
    places, events = Places(), talk(60, 9, seed=4).events
    few = places.read(events[:40], lambda event: event.parent is not None)
    assert [event for event, _ in few] == [event for event in events[:40] if event.parent is not None]
    batch = events[40:]
    whole = places.read(batch, bool)
    assert places.read(batch, bool) is whole
    assert [event for event, _ in places.read(batch, lambda event: event.parent is None)] == [
        event for event in batch if event.parent is None
    ]
    plain = Places()
    assert [turn for _, turn in whole] == [plain.add(event) for event in events][40:]


def test_nobody_answers_a_candidate():
    """A candidate is placed under its parent, but takes no place itself."""
    places = Places()
    places.add(comment(0, None))
    assert places.add(comment(1, 0, origin="candidate", hours=1)).depth == 1
    assert places.add(comment(2, 1, hours=2)) == Turn(0, 0, 1, None, None)


def test_shapes_are_a_plain_recount(talk):
    """Turns, users, depth and delays of each thread equal those counted from the events."""
    some = talk(300, 25, seed=3)
    places, shapes = Places(), ThreadShapes()
    for event in some.events:
        shapes.add(places.add(event))
    threads: dict = {}
    for event in some.events:
        threads.setdefault(event.thread, []).append(event)
    table = shapes.matrix()
    assert table.shape == (len(threads), ThreadShapes.WIDTH)
    by_seq = {event.seq: event for event in some.events}
    for row, events in zip(table, threads.values(), strict=True):
        delays = [(e.time - by_seq[e.parent].time) / MS_PER_HOUR for e in events if e.parent is not None]
        assert row[1:5].tolist() == [len(events), len(events) ** 2, len({e.actor for e in events}), len(events) - 1]
        assert row[5] == pytest.approx(sum(math.log1p(delay) for delay in delays))
        assert row[6] == len(delays)
        assert np.flatnonzero(row[7:]).tolist() == [min(len(events), LONGEST) - 1]


def test_the_window_is_the_last_turns():
    """The recent shapes are those of the last turns alone."""
    shapes = ThreadShapes(window=3)
    for i in range(5):
        shapes.add(Turn(i // 4, i, 0, None, None))
    assert shapes.recent()[:, 1].tolist() == [2.0, 1.0]
    assert (shapes.n_items, shapes.n_recent) == (5, 3)
