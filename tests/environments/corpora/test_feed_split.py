"""Laws of splitting a feed: three parts by time, none of which knows the reference."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.feed_split import is_feed, parted, split_feed
from folkmoot.environments.corpora.splits import SplitSettings
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.feed import Followed, PostCreated, Reacted, Unfollowed
from folkmoot.sim.persona import Interests, Persona

DAY = 86_400_000
COMMON = {"community": "en", "origin": "recorded"}
LONG = "These are more than eight words which somebody has posted twice by mistake."


def post(seq, day, actor="ada", text=None, **more):
    """A post at the beginning of a day."""
    fields = {"thread": f"c{seq}", "language": "en", "text": f"Post {seq}." if text is None else text, **more}
    return PostCreated(seq=seq, time=round(day * DAY), actor=actor, **fields, **COMMON)


def corpus(*events, personas=()) -> Corpus:
    """A corpus of these events."""
    return Corpus("en", "en", "UTC", {}, events, {persona.id: persona for persona in personas}, "0", remembering=False)


def days(count=20):
    """A post a day, of two people by turns."""
    return [post(seq, seq, "ada" if seq % 2 else "ben") for seq in range(count)]


@given(st.floats(0.1, 0.9), st.floats(0.5, 30))
def test_the_parts_are_disjoint_in_time(fraction, opening):
    """Law: openings and memories lie before the instant, the reference at it or after; all posts are in one side."""
    whole = corpus(*days(30))
    parts = split_feed(whole, SplitSettings(fraction=fraction, opening_days=opening))
    past, opened, later = (f(whole) for f in (parts.history_events, parts.opening_events, parts.reference_events))
    assert all(event.time < parts.instant for event in past)
    assert all(event.time >= parts.instant for event in later)
    assert len(past) + len(later) == 30
    assert set(opened) <= set(past)
    assert all(c.time < parts.instant for p in parts.personas.values() for t in p.history for c in t.comments)


def test_openings_bring_what_they_answer_and_its_likes():
    """Law: a run starts from the posts of the last days, all that they answer or pass on, and likes of these by then."""
    events = [
        *days(10),
        post(10, 9.5, "ben", form="reply", parent=1),
        post(11, 9.6, "ada", form="repost", of=2, text=""),
        Reacted(seq=12, time=round(9.7 * DAY), actor="ada", post=1, **COMMON),
        Reacted(seq=13, time=round(9.8 * DAY), actor="ada", post=4, **COMMON),
        Reacted(seq=14, time=40 * DAY, actor="ben", post=1, **COMMON),
        *(post(seq, seq) for seq in range(15, 23)),
    ]
    parts = split_feed(corpus(*events), SplitSettings(opening_days=6.2))
    assert [event.seq for event in parts.first_events(corpus(*events))] == [1, 2, 9, 10, 11, 12]


def test_follows_are_those_of_the_instant():
    """Law: who follows whom is what stands at the instant, in order of following; what comes later isn't known."""
    rows = [
        (Followed, 0, "ben"),
        (Followed, 1, "cleo"),
        (Unfollowed, 2, "ben"),
        (Followed, 3, "dan"),
        (Followed, 19, "eve"),
    ]
    acts = [
        kind(seq=20 + n, time=day * DAY, actor="ada", user=user, **COMMON) for n, (kind, day, user) in enumerate(rows)
    ]
    whole = corpus(*days(), *acts)
    assert split_feed(whole).follows(whole) == [("ada", "cleo"), ("ada", "dan")]


def test_what_is_said_again_is_not_the_reference():
    """Law: a long text that stands before the instant leaves the reference, counted."""
    whole = corpus(*days(10), post(10, 10, text=LONG), *[post(n, n) for n in range(11, 17)], post(17, 17, text=LONG))
    parts = split_feed(whole, SplitSettings(fraction=0.7))
    assert 17 not in {event.seq for event in parts.reference_events(whole)}
    assert sum(parts.losses.values()) == 1


def test_people_keep_what_the_corpus_tells_of_them():
    """Law: interests are kept, own posts are remembered, rates are posts a day; who hasn't posted is counted out."""
    known = Persona(id="ada", language="en", interests=Interests(stable={"pets": ("cats",)}))
    whole = corpus(*days(20), personas=(known, Persona(id="silent", language="en")))
    parts = split_feed(whole)
    assert set(parts.personas) == {"ada", "ben"}
    assert parts.personas["ada"].interests == known.interests
    assert parts.personas["ada"].history_size == 6
    assert parts.personas["ada"].rate_per_day == 0.5
    assert parts.losses["users without 1 posts before the instant of the split"] == 1


@pytest.mark.parametrize("by", ["thread", "user"])
def test_a_feed_is_split_by_time_alone(by):
    """Law: another split is refused with the way out."""
    with pytest.raises(ConfigError, match="population=by_time"):
        split_feed(corpus(*days()), SplitSettings(by=by))


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ((), "0 posts, at least 3"),
        (tuple(post(n, 1, "ada" if n % 2 else "ben") for n in range(5)), "of one instant"),
        (tuple(post(n, n) for n in range(9)), "1 users with at least 1 posts"),
    ],
)
def test_too_little_is_told(events, message):
    """Law: a feed that can't be split says what it has and what is needed."""
    with pytest.raises(CorpusError, match=message):
        split_feed(corpus(*events))


def test_a_corpus_is_told_apart_by_its_events():
    """Law: posts make a feed, and `parted` splits each kind its own way."""
    assert is_feed(corpus(*days()))
    assert not is_feed(corpus())
    assert parted(corpus(*days())).before == split_feed(corpus(*days())).before
