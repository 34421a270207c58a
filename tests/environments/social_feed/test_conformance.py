"""The feed keeps the contract of every environment, under every ranking and whatever is done."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.check import check_environment, read_feed
from folkmoot.sim.events import ActionRefused
from folkmoot.sim.feed import Follow, Like, Mute, Publish, Quote, Repost, Respond, Unfollow
from folkmoot.sim.protocols import Abstain, Intervene

RANKINGS = ("chronological", "popular", "interest", "engagement", "random")

ACTIONS = [
    Publish(agent="ben", based_on=0, text="The mill turns. @ada"),
    Respond(agent="ada", based_on=1, post=0, text="It does."),
    Like(agent="cleo", based_on=2, post=0),
    Like(agent="cleo", based_on=2, post=0),
    Repost(agent="cleo", based_on=4, post=0),
    Repost(agent="cleo", based_on=5, post=0),
    Quote(agent="new", based_on=5, post=4, text="Look, @cleo!"),
    Like(agent="dara", based_on=5, post=6),
    Like(agent="dara", based_on=8, post=6),
    Follow(agent="dara", based_on=9, user="new"),
    Follow(agent="dara", based_on=9, user="dara"),
    Unfollow(agent="ada", based_on=9, user="ben"),
    Unfollow(agent="ada", based_on=9, user="ben"),
    Mute(agent="ada", based_on=9, user="cleo"),
    Respond(agent="ada", based_on=9, post=6, text=""),
    Abstain(agent="ada", based_on=9, reason="scrolled past"),
    Publish(agent="ada", based_on=9, text="x" * 501),
    Unfollow(agent="dara", based_on=9, user="new"),
    Follow(agent="dara", based_on=9, user="new"),
    Intervene(agent="", based_on=0, name="inject", value='{"user": "eve", "text": "Free kites!"}'),
    Intervene(agent="", based_on=0, name="inject", value='{"user": "eve", "text": ""}'),
    Intervene(agent="", based_on=0, name="mute", value='{"user": "ben"}'),
    Intervene(agent="", based_on=0, name="ban", value='{"user": "ada"}'),
    Publish(agent="ada", based_on=25, text="Banned."),
    Intervene(agent="", based_on=0, name="ranking", value='{"kind": "popular", "like": 3}'),
    Intervene(agent="", based_on=0, name="rule", value='{"page_size": 2}'),
    Intervene(agent="", based_on=0, name="rule", value='{"ranking": {"kind": "random"}}'),
    Intervene(agent="", based_on=0, name="unban", value='{"user": "ada"}'),
    Publish(agent="ada", based_on=30, text="Back."),
    Intervene(agent="", based_on=0, name="close", value=""),
]


@pytest.mark.parametrize("kind", RANKINGS)
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_every_ranking_keeps_the_contract(make, kind, share):
    """Acts of every kind, refused ones too, pass all checks, whatever the ranking and the share from outside."""
    check_environment(lambda: make(ranking={"kind": kind}, out_of_network=share, page_size=3), ACTIONS, read_feed)


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_random_acts_keep_the_contract(make, actions, data):
    """Whatever users do, in any order, on whatever version, the contract holds."""
    kind = data.draw(st.sampled_from(RANKINGS))
    rules = {"ranking": {"kind": kind}, "candidates": data.draw(st.integers(1, 6)), "watchers": 2}
    check_environment(lambda: make(**rules), data.draw(actions), read_feed)


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_the_state_goes_through_json(make, actions, data):
    """After any acts, the state of a restored feed is the state, and its page is the page."""
    feed, again = make(ranking={"kind": "popular"}), make(ranking={"kind": "popular"})
    for seq, action in enumerate(data.draw(actions)):
        feed.apply(action, 1000 * seq, seq)
    again.restore(json.loads(json.dumps(feed.state())))
    assert again.state() == feed.state()
    for user in ("ada", "new", "nobody"):
        assert again.view(user, 10**6).home() == feed.view(user, 10**6).home()


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_refusal_changes_nothing_but_the_version(make, actions, data):
    """A refused act leaves every column as it was."""
    feed = make()
    for seq, action in enumerate(data.draw(actions)):
        before = feed.state()
        (event,) = feed.apply(action, 1000 * seq, seq)
        if isinstance(event, ActionRefused):
            assert feed.state() == {**before, "version": before["version"] + 1}
