"""What becomes of each act on a feed, and for which reason one is refused."""

import pytest

from folkmoot.environments.social_feed import rules as why
from folkmoot.environments.social_feed.feed import SocialFeed
from folkmoot.sim.discussion import Reply
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import ActionRefused, Intervention
from folkmoot.sim.feed import (
    Follow,
    Followed,
    Like,
    Mute,
    PostCreated,
    Publish,
    Quote,
    Reacted,
    Repost,
    Respond,
    Standing,
    Unfollow,
)
from folkmoot.sim.protocols import Alert, Intervene, Record


def play(feed, *actions):
    """All events of these acts, one a second."""
    events = []
    for action in actions:
        events += feed.apply(action, 1000 * len(events), len(events))
    return events


def by(agent, kind, based_on=99, **fields):
    """An act on the newest version."""
    return kind(agent=agent, based_on=based_on, **fields)


POST = by("ben", Publish, text="The mill turns.")


@pytest.mark.parametrize(
    ("before", "action", "reason"),
    [
        ([], by("ada", Like, post=0), why.UNKNOWN_POST),
        ([POST], by("ada", Respond, post=7, text="Yes."), why.UNKNOWN_POST),
        ([POST], by("ada", Like, post=0, based_on=0), why.UNSEEN_POST),
        ([POST, by("ada", Like, post=0)], by("ada", Like, post=0), why.ALREADY_LIKED),
        ([POST, by("ada", Repost, post=0)], by("ada", Repost, post=0), why.ALREADY_REPOSTED),
        ([POST, by("cleo", Repost, post=0), by("ada", Like, post=0)], by("ada", Like, post=1), why.ALREADY_LIKED),
        ([], by("ada", Follow, user="ben"), why.ALREADY_FOLLOWING),
        ([], by("ada", Follow, user="ada"), why.OWN_FOLLOW),
        ([], by("ada", Follow, user="nobody"), why.UNKNOWN_USER),
        ([], by("ada", Unfollow, user="eve"), why.NOT_FOLLOWING),
        ([], by("ada", Mute, user="ada"), why.OWN_MUTE),
        ([by("ada", Mute, user="ben")], by("ada", Mute, user="ben"), why.ALREADY_MUTED),
        ([POST, by("ada", Mute, user="ben")], by("ada", Quote, post=0, text="Look."), why.MUTED_USER),
        ([by("ada", Mute, user="eve")], by("ada", Follow, user="eve"), why.MUTED_USER),
        ([], by("ada", Publish, text=" \n"), why.EMPTY_TEXT),
        ([], by("ada", Publish, text="x" * 501), "text over 500 characters"),
        ([POST], by("ada", Quote, post=0, text=""), why.EMPTY_TEXT),
        ([by("", Intervene, name="ban", value='{"user": "ada"}')], by("ada", Like, post=0), why.BANNED),
    ],
)
def test_a_refused_act_has_its_reason(make, before, action, reason):
    """The rule that an act breaks is named, the same each time."""
    (*_, event) = play(make(), *before, action)
    assert isinstance(event, ActionRefused)
    assert (event.reason, event.action, event.actor) == (reason, type(action).__name__, "ada")


def test_acts_on_a_repost_are_acts_on_its_post(make):
    """A reply, a like, a quote and a repost of a repost all count for the post that it passes on."""
    feed = make()
    _, repost, reply, like, quote, again = play(
        feed,
        POST,
        by("cleo", Repost, post=0),
        by("ada", Respond, post=1, text="Yes."),
        by("dara", Like, post=1),
        by("eve", Quote, post=1, text="Look."),
        by("eve", Repost, post=1),
    )
    assert (repost.of, repost.form, repost.text) == (0, "repost", "")
    assert (reply.parent, reply.thread, reply.form) == (0, "p0", "reply")
    assert (like.post, quote.of, quote.thread, again.of) == (0, 0, "p4", 0)
    assert feed.view("ada", 0).standing(1) == feed.view("ada", 0).standing(0) == Standing(1, 1, 2, 1)


def test_who_is_alerted(make):
    """A reply calls its author, a quote and a mention their users; a like and a repost nobody; watchers if asked for."""
    feed = make(watchers=1)
    events = play(
        feed,
        by("cleo", Publish, text="Kites, @dara @cleo @nobody"),
        by("dara", Respond, post=0, text="Yes, @ada!"),
        by("eve", Quote, post=0, text="Look, @cleo"),
        by("eve", Repost, post=0),
        by("eve", Like, post=0),
    )
    alerts = [list(feed.alerts(event)) for event in events]
    assert alerts[0] == [Alert("dara", "mention"), Alert("ben", "watch")]
    assert alerts[1] == [Alert("cleo", "reply"), Alert("ada", "mention")]
    assert alerts[2:] == [[Alert("cleo", "mention")], [], []]


def test_the_text_is_marked_up(make):
    """Hashtags, links and known users of a text stand in its event."""
    (event,) = play(make(), by("ada", Publish, text="#Mill by @ben: https://example.org/a. @nobody"))
    assert (event.hashtags, event.links, event.mentions) == (("Mill",), ("https://example.org/a",), ("ben",))


def recorded(seq, kind=PostCreated, **fields):
    """A recorded event, as an action."""
    event = kind(seq=seq, time=5, actor="ben", community="town", origin="recorded", **fields)
    return Record(agent="ben", based_on=0, event=event)


def text(seq, **fields):
    """A recorded post."""
    return recorded(seq, thread="p6", text="Old.", language="en", **fields)


def test_recorded_events_keep_their_time_and_point_to_their_own(make):
    """Numbers of the corpus become numbers of the log; what points to nothing is refused; new ids avoid theirs."""
    feed = make()
    events = play(
        feed,
        text(70),
        text(71, parent=70, form="reply"),
        recorded(72, Reacted, post=71),
        recorded(73, Followed, user="ada"),
        text(74, of=9, form="quote"),
        text(70),
        by("ada", Publish, text="New."),
    )
    assert [event.time for event in events[:4]] == [5] * 4
    assert (events[1].parent, events[2].post, events[3].user) == (0, 1, "ada")
    assert [event.reason for event in events[4:6]] == [why.UNKNOWN_POST, why.TAKEN_EVENT]
    assert feed.view("ben", 0).followees() == ["cleo", "ada"]
    assert [event.thread for event in events[:2]] == ["p6", "p6"]
    assert events[6].thread == "p6*"


def test_teacher_forced_mode_takes_records_alone(make):
    """An agent's own act is a program's mistake there; so is another environment's action anywhere."""
    feed = make(teacher_forced=True)
    with pytest.raises(RuleError, match="teacher-forced"):
        feed.apply(POST, 0, 0)
    assert isinstance(play(feed, text(70))[0], PostCreated)
    with pytest.raises(RuleError, match="can't apply"):
        make().apply(Reply(agent="ada", based_on=0, page="Mill", thread="t0", parent=0, text="Hm."), 0, 0)


@pytest.mark.parametrize(
    ("users", "follows", "message"),
    [
        (["ada", "ada"], [], "name each user once"),
        (["ada"], [("ada", "ada")], "follows themself"),
        (["ada", "ben"], [("ada", "cleo")], "there is no user 'cleo'"),
        (["ada", "ben"], [("ada", "ben"), ("ada", "ben")], "twice"),
    ],
)
def test_a_graph_that_cant_be_is_an_error(users, follows, message):
    """Users named twice, unknown users, loops and doubled edges are named before anybody acts."""
    with pytest.raises(RuleError, match=message):
        SocialFeed("town", "en", users, follows)


def test_rankings_by_interest_want_an_encoder():
    """Without an encoder they are refused at the start, and when the ranking is switched."""
    with pytest.raises(RuleError, match="encoder"):
        SocialFeed("town", "en", ["ada"], rules=type(SocialFeed("t", "en", []).rules)(ranking={"kind": "interest"}))
    event, _ = play(
        SocialFeed("town", "en", ["ada"]),
        by("", Intervene, name="ranking", value='{"kind": "interest"}'),
        by("", Intervene, name="ranking", value='{"kind": "popular"}'),
    )
    assert isinstance(event, ActionRefused)


def test_interventions_hold_from_their_version_on(make):
    """A view made before keeps its ranking, its page size and the posts of users muted since."""
    feed = make(out_of_network=1.0)
    play(feed, by("dara", Publish, text="mill"), by("dara", Publish, text="owl"), by("eve", Publish, text="kite"))
    before = feed.view("ada", 0)
    for seq, (name, value) in enumerate([("mute", '{"user": "eve"}'), ("rule", '{"page_size": 1}')], 3):
        (event,) = feed.apply(by("", Intervene, name=name, value=value), 0, seq)
        assert isinstance(event, Intervention)
    assert [item.post.seq for item in before.home()] == [2, 1, 0]
    assert [item.post.seq for item in feed.view("ada", 0).home()] == [1]


def test_an_injected_post_is_published_at_once(make):
    """It gives the intervention and the post that it caused, which calls on those it mentions."""
    feed = make()
    change, post = play(feed, by("", Intervene, name="inject", value='{"user": "spam", "text": "Kites, @ada!"}'))
    assert (change.origin, post.origin, post.actor, post.causes) == ("injected", "injected", "spam", (0,))
    assert list(feed.alerts(post)) == [Alert("ada", "mention")]
    assert [event.seq for event in feed.view("ada", 0).notices(5)] == [1]
