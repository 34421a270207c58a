"""Laws of the act policy: draws follow the shares, an act is one that can be done, parameters are checked."""

# ruff: noqa: D103 -- helpers of the tests

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.feed.decisions import Decisions
from folkmoot.agents.feed.plan import ACTS, FeedPlan, action
from folkmoot.agents.feed.policy import DEFAULT_ACTS, DEFAULTS, FeedPolicy
from folkmoot.agents.feed.rules import FeedRuleAgent
from folkmoot.agents.feed.taste import Taste
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.events import ActionRefused
from folkmoot.sim.feed import Like, Publish
from folkmoot.sim.protocols import Abstain

NOON = 1_714_910_400_000


def only(act, **more) -> FeedPolicy:
    return FeedPolicy({"acts": {"exogenous": {act: 1.0}}, **more})


def test_draws_follow_the_shares(turn, feed, someone):
    """Law: over many activations, acts that can always be done come as often as their shares say."""
    shares = {"post": 0.5, "scroll": 0.3, "reply": 0.2}
    policy, view, taste = (
        FeedPolicy({"acts": {"exogenous": shares}}),
        feed().view("ada", NOON),
        Taste(someone().interests),
    )
    found = Counter(policy.plan(turn("ada", number=number), view, taste).kind for number in range(2000))
    assert {act: found[act] / 2000 for act in shares} == pytest.approx(shares, abs=0.04)


@pytest.mark.parametrize("act", ACTS)
def test_every_planned_act_is_allowed(act, turn, feed, someone):
    """Law: what the policy plans from a view, the environment of that version does: nothing is refused."""
    world, taste = feed(), Taste(someone().interests)
    for number in range(30):
        activation, view = turn("ada", number=number), feed().view("ada", NOON)
        plan = only(act).plan(activation, view, taste)
        (event,) = feed().apply(action(plan, activation, view.version, "Words."), NOON, 100)
        assert not isinstance(event, ActionRefused), (plan, event)
    assert world.view("ada", NOON).home()


@pytest.mark.parametrize("act", ["like", "repost", "follow", "unfollow", "mute"])
def test_what_is_decided_is_not_decided_again(act, turn, feed, someone):
    """Law: who looks again before an act is done, at a view that doesn't show it yet, never does it a second time."""
    view, taste, decisions = feed().view("ada", NOON), Taste(someone().interests), Decisions()
    plans = [only(act).plan(turn("ada", number=number), view, taste, decisions) for number in range(20)]
    done = [(plan.post, plan.user) for plan in plans if plan.kind == act]
    assert len(done) == len(set(done)) > 0
    assert plans[-1] == ("scroll", -1, "", f"nothing on the page to {act}")


def test_following_again_is_a_new_decision(post):
    """Law: after unfollowing one may follow again; what one person decides is nothing to another."""
    decisions, item = Decisions(), post(0, "ben", "Words.")
    decisions.note("ada", FeedPlan("follow", user="ben"))
    assert decisions.include("ada", "follow", item)
    assert not decisions.include("dan", "follow", item)
    decisions.note("ada", FeedPlan("unfollow", user="ben"))
    assert not decisions.include("ada", "follow", item)


def test_a_repost_is_the_post_it_passes_on(post):
    """Law: who has decided to like a post has decided so for its reposts."""
    decisions = Decisions()
    decisions.note("ada", FeedPlan("like", 0))
    assert decisions.include("ada", "like", post(1, "dan", "", form="repost", of=0))
    assert not decisions.include("ada", "like", post(2, "dan", "Words.", form="quote", of=0))


def test_nothing_to_do_it_to_is_scrolling_past(turn, feed, someone):
    """Law: an act that the page offers nothing for becomes scrolling past, with the reason."""
    view, taste = feed(posts=(), follows=()).view("ada", NOON), Taste(someone().interests)
    for act in set(ACTS) - {"post", "scroll"}:
        plan = only(act).plan(turn("ada"), view, taste)
        assert (plan.kind, plan.reason) == ("scroll", f"nothing on the page to {act}")


def test_interests_draw(turn, feed, someone):
    """Law: the higher the homophily, the oftener a post about one's interests is chosen; at 1 it has no effect."""
    view, taste = feed().view("ada", NOON), Taste(someone().interests)
    flat = {"rank": [0.25] * 4}

    def share(homophily):
        plans = (only("like", homophily=homophily, **flat).plan(turn("ada", number=n), view, taste) for n in range(400))
        return (
            sum(view.event(plan.post).actor == "ben" and "trail" in view.event(plan.post).text for plan in plans) / 400
        )

    assert share(1.0) == pytest.approx(0.25, abs=0.07)
    assert share(5.0) > share(1.0) + 0.2


def test_what_one_posts_of_late_counts_as_an_interest(turn, feed, does, someone):
    """Law: recent interests drift: a hashtag of one's own last posts draws to posts that hold it."""
    taste, policy = Taste(someone().interests), only("like", homophily=1000.0, rank=[0.25] * 4)
    world = feed()
    before = policy.plan(turn("ada"), world.view("ada", NOON), taste).post
    does(world, Publish, text="Baked all day. #sourdough #crust")
    chosen = {policy.plan(turn("ada", number=n), world.view("ada", NOON), taste).post for n in range(60)}
    assert before == 0
    assert chosen == {0, 1, 2}, "the trail, the bread and the question about its crust"


def test_who_is_called_answers_the_call(turn, feed, someone):
    """Law: woken by a reply, the act is done to that post."""
    policy, taste = FeedPolicy({"acts": {"reply": {"reply": 1.0}}}), Taste(someone().interests)
    plan = policy.plan(turn("cleo", trigger="reply", causes=(2,)), feed().view("cleo", NOON), taste)
    assert (plan.kind, plan.post) == ("reply", 2)


def test_a_liked_post_is_not_liked_again(turn, feed, does, someone):
    """Law: a like for what is liked already becomes scrolling past."""
    world, taste = feed(), Taste(someone().interests)
    does(world, Like, post=2)
    plan = FeedPolicy({"acts": {"reply": {"like": 1.0}}}).plan(
        turn("ada", trigger="reply", causes=(2,)), world.view("ada", NOON), taste
    )
    assert (plan.kind, plan.reason) == ("scroll", "like: done already")


@pytest.mark.parametrize("act", ["like", "repost", "follow", "mute"])
def test_what_is_decided_is_not_decided_again_when_called(act, turn, feed, someone):
    """Law: called twice to one post before an act shows, somebody does it once."""
    policy = FeedPolicy({"acts": {"mention": {act: 1.0}}})
    view, taste, decisions = feed(follows=()).view("cleo", NOON), Taste(someone().interests), Decisions()
    calls = [turn("cleo", trigger="mention", causes=(2,), number=number) for number in range(3)]
    plans = [policy.plan(call, view, taste, decisions) for call in calls]
    assert [plan.kind for plan in plans] == [act, "scroll", "scroll"]


@pytest.mark.parametrize("act", ["reply", "quote", "like", "repost", "follow"])
def test_who_is_to_be_muted_is_left_alone(act, turn, feed, someone):
    """Law: a decided mute, not shown yet, keeps somebody from every other act to that author's posts."""
    view, taste, decisions = feed(follows=()).view("ada", NOON), Taste(someone().interests), Decisions()
    for item in view.home():
        decisions.note("ada", FeedPlan("mute", user=item.post.actor))
    plan = only(act).plan(turn("ada"), view, taste, decisions)
    assert plan == ("scroll", -1, "", f"nothing on the page to {act}")


@given(st.floats(0, 1))
def test_scrolling_can_be_set(silent):
    """Law: agents.abstain sets the share of scrolling past; the other acts keep their proportions and all add up to 1."""
    shares = FeedPolicy().with_scrolling({"exogenous": silent}).parameters()["acts"]["exogenous"]
    assert sum(shares.values()) == pytest.approx(1, abs=1e-4)
    assert shares["scroll"] == pytest.approx(silent, abs=1e-6)
    if silent < 0.9:
        usual = DEFAULT_ACTS["exogenous"]
        assert shares["post"] / shares["reply"] == pytest.approx(usual["post"] / usual["reply"], rel=1e-3)


def test_parameters_make_the_same_policy():
    """Law: a policy made from the frozen parameters is the policy."""
    policy = FeedPolicy({"homophily": 2.5})
    assert FeedPolicy.from_parameters(policy.parameters()).parameters() == policy.parameters()
    assert policy.parameters()["rank"] == DEFAULTS["rank"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"hompohily": 2}, "unknown parameter 'hompohily'"),
        ({"acts": {"sometimes": {}}}, "unknown trigger 'sometimes'"),
        ({"acts": {"reply": {"boost": 1.0}}}, "unknown act 'boost'"),
        ({"acts": {"reply": {"like": 0.4}}}, "acts.reply"),
        ({"rank": [0.5, -0.5, 1.0]}, "rank"),
        ({"homophily": 0}, "homophily=0"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    """Law: what isn't a policy is told by name and value."""
    with pytest.raises(ConfigError, match=message):
        FeedPolicy(parameters)


def test_the_rule_driven_person_posts_about_interests(turn, feed, someone):
    """Law: a canned post names an interest; it needs no model and returns its action at once."""
    agent = FeedRuleAgent(someone(), only("post"))
    texts = {agent.act(turn("ada", number=n), feed().view("ada", NOON)).text for n in range(30)}
    assert all("trail running" in text or "a foster cat" in text for text in texts)
    assert len(texts) > 3
    assert isinstance(FeedRuleAgent(someone(), only("scroll")).act(turn("ada"), feed().view("ada", NOON)), Abstain)
