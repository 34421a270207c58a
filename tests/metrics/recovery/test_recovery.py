"""The recovery monitor beside a made-up feed: what it reads, what it counts, and that its control tells the truth."""

import asyncio
import json

import pytest

from folkmoot.metrics.clock import PublishClock
from folkmoot.metrics.profile.counting import SCOPES
from folkmoot.metrics.profile.profiler import Profiler
from folkmoot.metrics.profile.timelines import WORDLESS, User, as_posts
from folkmoot.metrics.records import AlarmRaised, Point
from folkmoot.metrics.recovery.config import RecoveryMonitorConfig
from folkmoot.metrics.recovery.ledger import Ledger
from folkmoot.metrics.recovery.live import RecoveryFeed
from folkmoot.metrics.recovery.made import MadeProfile
from folkmoot.metrics.recovery.page import recovery_page
from folkmoot.metrics.recovery.report import joined, rows, section, sentences, warnings
from folkmoot.metrics.tallies import Counting
from folkmoot.sim.errors import ConfigError, ModelError
from folkmoot.sim.feed import PostCreated
from folkmoot.sim.persona import DOMAINS, Interests
from folkmoot.sim.protocols import Answer

DAY = 86_400_000
NAMES = tuple(f"person{k}" for k in range(8))


def interests(k):
    """Two lasting and one new interest in three domains; nobody else's."""
    mine = [DOMAINS[(k + j) % 7] for j in range(3)]
    return Interests(
        stable={d: (f"{d} lasting {k}", f"{d} old {k}") for d in mine}, recent={mine[0]: (f"{mine[0]} new {k}",)}
    )


GOLD = {name: interests(k) for k, name in enumerate(NAMES)}


class Oracle:
    """A model that reads the name in a timeline's posts and answers with a profile of that name's."""

    name, repeatable, window = "oracle", True, 100_000

    def __init__(self, profile=GOLD.get, slow=0.0, broken=lambda _: False):
        self.asked, self._profile, self._slow, self._broken = [], profile, slow, broken

    def count_tokens(self, messages):
        """A token a word."""
        return sum(len(message.content.split()) for message in messages)

    async def generate(self, messages, sampling, seed):
        """The profile, as JSON."""
        text = messages[1].content
        name = next(name for name in NAMES if f"I am {name}" in text)
        self.asked.append((name, text))
        await asyncio.sleep(self._slow)
        if self._broken(name):
            raise ModelError("the worker is gone")
        found = self._profile(name)
        if found is None:
            return Answer(text="I'd rather not say.")
        domains = {d: {"stable": found.stable.get(d, ()), "recent": found.recent.get(d, ())} for d in DOMAINS}
        return Answer(text=json.dumps(domains))


def post(seq, who, *, origin="simulated", time=None, **facts):
    """A post of one of them."""
    when = 20_000 * DAY + seq * 60_000 if time is None else time
    given = {"text": f"So {seq}, I am {who}."} | facts
    return PostCreated(
        seq=seq, time=when, actor=who, community="town", origin=origin, thread=str(seq), language="en", **given
    )


def people(count=8, posts=5):
    """Users with real timelines."""
    made = []
    for name in NAMES[:count]:
        real = [post(k, name, origin="recorded", text=f"Really, I am {name}, {k}.") for k in range(posts)]
        made.append(User("town", name, "en", tuple(as_posts(real)), GOLD[name]))
    return made


def talk(n, names=NAMES, **facts):
    """Posts in turn."""
    return [post(seq, names[seq % len(names)], **facts) for seq in range(n)]


def watch(events, model=None, who=None, *, pause=lambda _: False, capacity=4096, **settings):
    """A feed after all events, with its records and profiles."""
    records, made = [], []
    config = RecoveryMonitorConfig(**{"every_posts": 16, "draws": 50, "match": "exact"} | settings)
    profiler = Profiler(config, model or Oracle(), seed=7, skip_failures=True)
    feed = RecoveryFeed(
        config, people() if who is None else who, profiler, counting=Counting(community="town"), seed=7,
        on_publish=records.append, on_made=made.append, capacity=capacity, reread=lambda first: iter(events[first:]),
    )  # fmt: skip

    async def run():
        async with feed:
            for event in events:
                feed.committed((event,))
                if pause(event.seq):
                    await asyncio.sleep(0.001)
            await feed.finish()

    asyncio.run(run())
    return feed, records, made


@pytest.fixture(scope="module")
def known():
    """Everybody shows what they are, and the evaluator sees it."""
    return watch(talk(40))


def test_an_oracle_recovers_everything(known):
    """Law: where the evaluator gives the true profile, every F1 is 1 on both sides, and the control separates."""
    feed, records, _ = known
    last = records[-1].values
    for name in ("f1", "stable", "recent", "active", "precision", "recall"):
        assert last[f"recovery.{name}"] == last[f"recovery.real.{name}"] == last[f"recovery.{name}.low"] == 1
    assert last["recovery.swap.f1"] == 0
    assert last["recovery.margin.f1.low"] == 1
    assert (last["recovery.n"], last["recovery.f1.n"], last["recovery.posts"], last["recovery.gap.f1"]) == (8, 8, 40, 0)
    found = section(feed)
    assert found["verdict"] == "tell their authors' interests from other people's"
    assert found["sides"]["same_size"]["numbers"]["f1"]["value"] == 1
    assert any("tag F1 1.00 [1.00, 1.00]" in line and "40 posts of the run" in line for line in sentences(found))


def test_an_evaluator_that_says_the_same_of_all_is_told():
    """Law: where the profiles have nothing to do with the posts the control says that they don't tell people apart."""
    constant = Interests(stable={d: tuple(f"{d} lasting {k}" for k in range(8)) for d in DOMAINS})
    found = section(watch(talk(40), Oracle(lambda _: constant))[0])
    assert found["verdict"] == "don't tell their authors' interests from other people's"
    margin = found["sides"]["simulated"]["margin"]["f1"]
    assert margin["low"] <= 0 <= margin["high"]


def test_another_persons_profile_scores_low():
    """Law: agents that show a neighbour's interests recover next to nothing, while the real timelines still do."""

    class Mixed(Oracle):
        """Sees the neighbour in what is posted in the run."""

        async def generate(self, messages, sampling, seed):
            real = "Really" in messages[1].content
            self._profile = (lambda name: GOLD[name]) if real else (lambda name: GOLD[NAMES[NAMES.index(name) - 1]])
            return await super().generate(messages, sampling, seed)

    found = section(watch(talk(40), Mixed(), swaps=7, users_at_once=1)[0])
    assert found["sides"]["simulated"]["numbers"]["f1"]["value"] == 0
    assert found["sides"]["real"]["numbers"]["f1"]["value"] == 1
    assert found["gap"]["f1"]["value"] == -1
    assert found["verdict"] == "fit other people's interests better than their authors'"


def test_points_are_a_function_of_the_log():
    """Law: bursts, pauses, tiny queues, a slow evaluator: the same points and profiles."""
    events = talk(60, names=NAMES[:5])
    paces = [
        (4096, lambda _: False, 0.0), (4096, lambda s: s % 3 == 0, 0.002), (5, lambda _: False, 0.001), (1, lambda s: s % 7 == 0, 0.0)
    ]  # fmt: skip
    seen = [watch(events, Oracle(slow=w), capacity=c, pause=p, every_posts=20)[1:] for c, p, w in paces]
    assert all(one == seen[0] for one in seen)
    assert [(p.n, p.cause) for p in seen[0][0]] == [(20, "comments"), (40, "comments"), (60, "comments")]


def test_days_are_counted_as_asked():
    """A point at every so many simulated days, at midnight UTC; 0: none; a last one for what is new."""
    events = [post(k, NAMES[k % 8], time=20_000 * DAY + k * DAY // 3) for k in range(30)]

    def points(days):
        return [(p.n, p.cause) for p in watch(events, every_posts=1000, every_days=days)[1]]

    assert points(0) == [(30, "end")]
    assert points(4) == [(12, "day"), (24, "day"), (30, "end")]
    assert len(points(1)) == 10
    clock = PublishClock(Counting(), {"x": 1}, days=3)
    assert clock.new_day(events[0]) is False


def test_an_alarm_that_may_stop_makes_the_run_wait_at_its_points():
    """`committed` asks for a barrier at publish points alone; then the reason names number, value and bound."""
    feed, records, _ = watch([])
    assert not any(feed.committed((one,)) for one in talk(40))
    alarms = [{"metric": "recovery.margin.f1.low", "above": 0.5, "stop": True}]
    config = RecoveryMonitorConfig(every_posts=24, draws=50, match="exact", alarms=alarms)
    feed = RecoveryFeed(config, people(), Profiler(config, Oracle(slow=0.001)), on_publish=records.append)

    async def run():
        async with feed:
            for event in talk(40):
                if feed.committed((event,)):
                    await feed.barrier()
                    return event.seq
        return None

    assert asyncio.run(run()) == 23
    assert feed.stop_reason == "recovery.margin.f1.low = 1 (above 0.5) at comment 24"
    assert [type(one) for one in records] == [Point, AlarmRaised]


def test_an_alarm_on_an_unknown_number_is_refused():
    """Every published number can have an alarm, no other."""
    _, records, _ = watch(talk(40))
    for name in records[-1].values:
        RecoveryMonitorConfig(alarms=[{"metric": name, "above": 1}])
    with pytest.raises(ConfigError, match="did you mean 'recovery.f1'"):
        RecoveryMonitorConfig(alarms=[{"metric": "recovery.f2", "above": 1}])


def test_only_posts_of_the_run_count():
    """Law: openings, injected posts and reposts are no behaviour of the agent; what is passed over is counted."""
    events = [
        *(post(k, NAMES[k % 8], origin="recorded") for k in range(16)),
        *(post(16 + k, NAMES[k % 8], origin="injected") for k in range(8)),
        *(post(24 + k, NAMES[0], text="", form="repost") for k in range(5)),
        *(post(29 + k, "stranger") for k in range(4)),
        *(post(33 + k, NAMES[0]) for k in range(3)),
    ]
    feed, records, made = watch(events)
    assert records[-1].values["recovery.posts"] == 3
    simulated = [one for one in made if one.side == "simulated"]
    assert [(one.user, one.posts) for one in simulated] == [("person0", 3)]
    assert feed.losses == {WORDLESS: 5, "posts of people who aren't asked about": 4}
    assert "recovery: 7 people have fewer than 3 simulated posts" in warnings(section(feed))


def test_a_profile_shows_the_posts_of_the_run_alone():
    """Law: no text from before the run is in the prompt of a simulated side, and every text of the run is."""
    model = Oracle()
    watch(
        [*talk(8, origin="recorded", text="old words, I am person0"), *(post(8 + k, NAMES[0]) for k in range(4))], model
    )
    (text,) = [text for name, text in model.asked if "Really" not in text]
    assert "old words" not in text
    assert all(f"So {8 + k}," in text for k in range(4))


def test_only_people_with_new_posts_are_asked_again():
    """Law: between two points only those who posted are read again; the real timelines are read once."""
    events = [post(k, NAMES[k % 4 if k < 16 else 0]) for k in range(32)]
    _, records, made = watch(events, same_size=False)
    assert len(records) == 2
    assert sum(one.side == "real" for one in made) == 8
    assert [(one.user, one.n) for one in made if one.side == "simulated"] == [
        *((name, 16) for name in NAMES[:4]), ("person0", 32),
    ]  # fmt: skip


def test_as_many_real_posts_are_the_latest():
    """The control for size is made of the latest real posts, as many as were simulated."""
    model = Oracle()
    watch(talk(24), model)
    cut = [text for _, text in model.asked[-8:]]
    assert all(", 4." in text and ", 2." in text and ", 1." not in text for text in cut)


def test_what_cannot_be_read_is_counted_by_reason():
    """An unreadable answer is an empty profile with its reason; a failed call leaves the person out; both are told."""
    model = Oracle(lambda name: None if name == "person1" else GOLD[name], broken=lambda name: name == "person2")
    feed, records, made = watch(talk(40), model)
    found = section(feed)
    mine = found["sides"]["simulated"]
    assert (mine["n"], mine["failed"], mine["unread"]) == (7, 1, {"no JSON object": 1})
    assert mine["numbers"]["recall"]["value"] == pytest.approx(6 / 7)
    assert records[-1].values["recovery.n"] == 7
    said = warnings(found)
    assert "recovery, simulated posts: 1 users without a profile, counted as empty: no JSON object" in said
    assert "recovery, real timelines: 1 users left out: the evaluator failed" in said
    assert sum(one.failed for one in made if one.side == "simulated") == 2  # asked again at the second point


def test_nobody_can_be_scored_without_posts():
    """A run in which nobody posts enough says so, publishes no score and draws no conclusion."""
    feed, records, _ = watch(talk(8))
    found = section(feed)
    assert "recovery.f1" not in records[-1].values
    assert sentences(found)[0].startswith("recovery: 0 of 8 people")
    assert rows(found) == []
    nothing, points, made = watch([], Oracle(slow=0.01))
    assert (points, section(nothing)["scored"]) == ([], 0)
    assert [one.side for one in made] == ["real"] * 8  # the end waits for what is read before the first event


def test_a_verdict_needs_people():
    """Under five people, or without anybody whose interests differ, nothing is concluded."""
    few = section(watch(talk(20, NAMES[:3]), who=people(3))[0])
    assert few["verdict"] == "can't be judged by 3 people: at least 5 are needed"
    alike = [User("town", one.id, "en", one.posts, GOLD["person0"]) for one in people()]
    assert "nobody else whose interests differ" in section(watch(talk(40), who=alike)[0])["verdict"]


def test_swaps_are_even_and_never_ones_own():
    """Law: a profile is held against others' interests alone, and everybody is swapped in equally often."""
    ledger = Ledger(RecoveryMonitorConfig(swaps=3), people(), 3)
    drawn = {user.id: [other.id for other in ledger.others(user)] for user in ledger.people}
    assert all(len(set(others)) == 3 and name not in others for name, others in drawn.items())
    assert all(sum(name in others for others in drawn.values()) == 3 for name in NAMES)


def test_numbers_are_a_recount(known):
    """Precision, recall and F1 equal those counted by hand from the lines that are written."""
    guess = lambda name: Interests(stable={d: GOLD[name].stable.get(d, ("x",))[:1] for d in DOMAINS})  # noqa: E731
    _, records, made = watch(talk(40), Oracle(guess))
    lines = {one.user: one for one in made if one.side == "simulated"}
    hits, mine, real = (sum(one.counts["all"][k] for one in lines.values()) for k in range(3))
    assert (hits, mine, real) == (8 * 3, 8 * 7, 8 * 7)
    assert records[-1].values["recovery.precision"] == pytest.approx(hits / mine, abs=1e-5)
    assert records[-1].values["recovery.f1"] == pytest.approx(2 * hits / (mine + real), abs=1e-5)
    assert set(lines["person0"].counts) == set(lines["person0"].swapped) == set(SCOPES)
    assert isinstance(lines["person0"], MadeProfile)


def test_the_page_shows_hostile_tags_escaped():
    """What a model says and what people are called is escaped on the page; the lowest comes first."""
    bad = Interests(stable={"pets": ("<script>alert(1)</script>",)})
    feed, _, _ = watch(talk(40), Oracle(lambda name: bad if name == "person3" else GOLD[name]))
    page = recovery_page("A & B", section(feed), feed.ledger.made, feed.ledger.scored())
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert page.count("<section>") == 8
    assert page.index("person3") < page.index("person0:")


def test_the_section_is_plain_json_without_tags(known):
    """Law: what goes into summary.json, and so to a tracker, holds no tag and no text of the community."""
    found = section(known[0], {"users with fewer than 3 active domains": 2})
    whole = json.dumps(found, allow_nan=False)
    assert "lasting" not in whole
    assert "I am" not in whole
    summary = joined({"sentences": ["x"], "warnings": []}, found)
    assert (summary["sentences"][0], summary["recovery"]) == ("x", found)
    assert "recovery: 2 users with fewer than 3 active domains" in summary["warnings"]
    assert rows(found)[0] == ("recovery f1", "1.00 [1.00, 1.00]", "1.00 [1.00, 1.00]", "", "")
    assert [row[0] for row in rows(found)][-2:] == ["recovery swap_f1", "recovery margin_f1"]
