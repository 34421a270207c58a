"""Exposure: what users were shown, written beside the log, and computed again by a replay."""

import asyncio

import numpy as np
import pyarrow.parquet as pq
import pytest

from folkmoot.agents.feed.crowd import FeedCrowd
from folkmoot.agents.feed.policy import FeedPolicy
from folkmoot.environments.social_feed.exposure import Exposures
from folkmoot.environments.social_feed.feed import SocialFeed
from folkmoot.environments.social_feed.rules import SocialFeedConfig
from folkmoot.sim.activity import HOUR, Activity, Delay
from folkmoot.sim.calls import Caller, NoModel
from folkmoot.sim.errors import LogError
from folkmoot.sim.kernel import Kernel
from folkmoot.sim.log import EventLog, read
from folkmoot.sim.turn import Limits, World

START = 1_700_000_000_000
NAMES = [f"u{number}" for number in range(12)]


def run(folder, name, mode="append", kind="engagement", hours=12):
    """Twelve people for twelve hours; the exposures' file."""
    interests = np.arange(24).reshape(12, 2) % 5
    crowd = FeedCrowd(NAMES, tags=["Owls", "kites", "ramen", "mills", "tea"], interests=interests, policy=FeedPolicy())
    follows = [(one, NAMES[(number + step) % 12]) for number, one in enumerate(NAMES) for step in (1, 2, 5)]
    rules = SocialFeedConfig(ranking={"kind": kind}, page_size=5)
    feed = SocialFeed("town", "en", NAMES, follows, rules, seed=3)
    activity = Activity(rate_per_day=48, think=Delay(mean_s=60), reaction=Delay(mean_s=300))
    log, sink = EventLog(folder / "events.jsonl", mode), Exposures(folder / name)
    caller = Caller(NoModel(), folder / "calls.jsonl", 3)
    kernel = Kernel(seed=3, start=START, log=log, caller=caller, limits=Limits(end=START + hours * HOUR), sinks=[sink])
    asyncio.run(kernel.run([World(feed, crowd, activity)]))
    for file in (log, caller, sink):
        file.close()
    return folder / name


@pytest.mark.parametrize("kind", ["engagement", "random"])
def test_a_replay_computes_the_same_file(tmp_path, kind):
    """Replayed from its log, a run shows everybody the same posts: the file is the same, byte for byte."""
    first = run(tmp_path, "exposure.parquet", kind=kind)
    again = run(tmp_path, "again.parquet", mode="verify", kind=kind)
    assert first.read_bytes() == again.read_bytes()


def test_rows_are_what_was_shown(tmp_path):
    """Ranks of a visit count from 0; what a user reacted to had been shown to them; nothing is seen before it is there."""
    table = pq.read_table(run(tmp_path, "exposure.parquet")).to_pylist()
    events = {event.seq: event for event in read(tmp_path / "events.jsonl")}
    visits = {}
    for row in table:
        visits.setdefault(row["seq"], []).append(row)
        assert events[row["post"]].time <= row["time"] <= events[row["seq"]].time
        assert row["user"] == events[row["seq"]].actor != events[row["post"]].actor
    assert len(visits) > 50
    for rows in visits.values():
        assert [row["rank"] for row in rows] == list(range(len(rows)))
        assert len({row["post"] for row in rows}) == len(rows)
    likes = [event for event in events.values() if type(event).__name__ == "Reacted" and not event.causes]
    assert likes
    assert all(like.post in {row["post"] for row in visits[like.seq]} for like in likes)


def test_an_unfinished_file_bears_another_name(tmp_path):
    """Until it is closed, what is written is named .part; closing twice is closing once."""
    sink = Exposures(tmp_path / "exposure.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["exposure.parquet.part"]
    sink.close()
    sink.close()
    assert [path.name for path in tmp_path.iterdir()] == ["exposure.parquet"]
    with pytest.raises(LogError, match="can't be written"):
        Exposures(tmp_path / "nowhere" / "exposure.parquet")
