"""The graph on a feed: what a turn ends in, what its prompts hold, and that no post changes their structure."""

# ruff: noqa: D103 -- helpers of the tests

import asyncio
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from folkmoot.agents.build import AgentsConfig
from folkmoot.agents.checks import ChecksConfig
from folkmoot.agents.conditioning import ConditionConfig
from folkmoot.agents.feed.build import build_feed_agents
from folkmoot.agents.feed.policy import FeedPolicy
from folkmoot.environments.social_feed.rules import SocialFeedConfig
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.feed import Like, Mute, Publish, Quote, Respond
from folkmoot.sim.persona import HistoryComment, HistoryThread, Persona
from folkmoot.sim.protocols import Abstain, Refuse
from folkmoot.sim.quoting import MARK

CONFIG = TypeAdapter(ConditionConfig)
NOON = 1_714_910_400_000


def only(act):
    return FeedPolicy({"acts": {"exogenous": {act: 1.0}}, "rank": [1.0], "homophily": 1.0})


@pytest.fixture
def agent(someone, words):
    """Makes a model-driven person."""

    def make(policy, condition="interests", window=4096, persona=None, max_comments=None, **options):
        config = AgentsConfig(checks=ChecksConfig(language="off"), max_tokens=100, **options)
        named = {"name": condition, "max_comments": max_comments}
        return build_feed_agents([persona or someone()], CONFIG.validate_python(named), words(window), policy, config)[
            "ada"
        ]

    return make


def act(one, activation, view):
    return asyncio.run(one.act(activation, view))


@pytest.mark.parametrize(
    ("kind", "action", "calls"),
    [
        ("post", Publish, 1),
        ("reply", Respond, 1),
        ("quote", Quote, 1),
        ("like", Like, 0),
        ("mute", Mute, 0),
        ("scroll", Abstain, 0),
    ],
)
def test_a_turn_ends_in_its_act(kind, action, calls, agent, turn, feed):
    """Law: an act that needs words makes one call, another none; the action is the one planned."""
    activation = turn("ada", answer=lambda _: "Mud, and a good day.")
    done = act(agent(only(kind)), activation, feed().view("ada", NOON))
    assert (type(done), len(activation.calls)) == (action, calls)
    assert activation.notes["plan"]["kind"] == kind
    assert getattr(done, "text", "Mud, and a good day.") == "Mud, and a good day."


def test_prompts_show_person_page_and_language(agent, turn, feed):
    """Law: a post's prompt holds the interests of both kinds, the page with captions and warnings, and the language."""
    activation = turn("ada")
    act(agent(only("post")), activation, feed().view("ada", NOON))
    system, user = (message.content for message in activation.calls[0][0])
    assert "> sports outdoor: trail running" in system
    assert "> pets: lately a foster cat" in system
    assert "(an image: a sleeping car)" in user
    assert "(content warning: early hours)" in user
    assert user.endswith("Write the next post of ada, in English, about one thing that interests you.")


def test_an_answer_shows_its_conversation(agent, turn, feed):
    """Law: the reply's prompt holds the post answered and all that it answers, and names its author."""
    activation = turn("ada", trigger="reply", causes=(2,))
    act(agent(FeedPolicy({"acts": {"reply": {"reply": 1.0}}})), activation, feed().view("ada", NOON))
    user = activation.calls[0][0][1].content
    assert user.index("Bread again") < user.index("Which crust")
    assert user.endswith("Write the reply of ada, in English, to post 2 by dan.")


def test_own_posts_of_late_are_shown(agent, turn, feed, does):
    """Law: recency drifts: what one posted of late stands in the next prompt, with its topics."""
    world = feed()
    does(world, Publish, text="New shoes, no blisters. #FellRunning")
    activation = turn("ada")
    act(agent(only("post")), activation, world.view("ada", NOON))
    user = activation.calls[0][0][1].content
    assert "> New shoes, no blisters." in user
    assert "It was about #fellrunning." in user


def test_history_shows_earlier_posts(agent, turn, feed, someone):
    """Law: condition=history shows own posts from before the run, and no interests."""
    comments = tuple(HistoryComment(time=NOON - 1 - n, text=f"Old words {n}.") for n in range(6))
    persona = someone().model_copy(update={"history": (HistoryThread(thread="t", title="t", comments=comments),)})
    activation = turn("ada")
    act(agent(only("post"), "history", persona=persona), activation, feed().view("ada", NOON))
    text = "".join(message.content for message in activation.calls[0][0])
    assert "> Old words 3." in text
    assert "trail running" not in text


def test_the_model_may_choose(agent, turn, feed):
    """Law: agents.plan=model does what the most probable letters say: first the act, then the post or the person."""
    view = feed().view("ada", NOON)
    assert act(agent(only("scroll"), plan="model"), turn("ada", choose="Write a post"), view) is not None
    liking = turn("ada", choose="Like a post")
    done = act(agent(only("scroll"), plan="model"), liking, view)
    assert isinstance(done, Like)
    assert len(liking.asked) == 2
    assert "You have decided to like a post. Which one?" in liking.asked[1][1].content
    silent = act(agent(only("post"), plan="model"), turn("ada", choose="Scroll past"), view)
    assert isinstance(silent, Abstain)


def test_a_model_that_is_still_asked_is_not_asked_for_the_same(agent, turn, feed):
    """Law: two overlapping turns of a person like two posts: the second is asked after the first has chosen."""
    one, view = agent(only("scroll"), plan="model"), feed().view("ada", NOON)
    turns = [turn("ada", number=number, choose="Like a post") for number in range(2)]

    async def overlapping():
        return await asyncio.gather(*(one.act(activation, view) for activation in turns))

    first, second = asyncio.run(overlapping())
    assert isinstance(first, Like)
    assert isinstance(second, Like)
    assert first.post != second.post


def test_a_model_chooses_among_as_many_posts_as_there_are_letters(agent, turn, feed, post):
    """Law: of a longer page than the alphabet the model is asked about its first 26 posts, a letter each."""
    view = feed([post(n, "ben", f"Words {n}.") for n in range(40)], rules=SocialFeedConfig(page_size=40)).view(
        "ada", NOON
    )
    liking = turn("ada", choose="Like a post")
    one = agent(only("scroll"), plan="model", window=100_000, max_comments=40)
    assert isinstance(act(one, liking, view), Like)
    assert "Z. Post " in liking.asked[1][1].content
    assert len(view.home()) == 40


def test_a_narrow_window_shows_less_and_then_refuses(agent, turn, feed, post):
    """Law: over the window the prompt shows less, noted; where nothing fits the refusal is recorded and nothing asked."""
    long = [post(n, "ben", f"{n} " + "word " * 90) for n in range(6)]
    narrow = turn("ada")
    act(agent(only("post"), window=500), narrow, feed(long).view("ada", NOON))
    assert narrow.notes["prompt"]["shortened"] > 0
    none = turn("ada")
    refused = act(agent(only("post"), window=200), none, feed(long).view("ada", NOON))
    assert isinstance(refused, Refuse)
    assert (refused.reason, none.calls) == ("prompt over window", [])


def test_a_bad_text_is_repaired_once_then_refused(agent, turn, feed):
    """Law: the checks of Talk pages hold here: one repair with the reason, then a recorded refusal."""
    hopeless = turn("ada", answer=lambda _: "As an AI language model, I can't post.")
    done = act(agent(only("post")), hopeless, feed().view("ada", NOON))
    assert (type(done), done.reason, done.action, len(hopeless.calls)) == (Refuse, "AI talk", "Publish", 2)


@pytest.mark.parametrize(("condition", "message"), [("act_planned", "next turns"), ("history", "0 earlier comments")])
def test_conditions_that_do_not_fit_are_refused(condition, message, agent):
    """Law: a condition that isn't for feeds, or lacks its material, is told when the people are made."""
    with pytest.raises(ConfigError, match=message):
        agent(only("post"), condition)


def test_nobody_with_interests_is_an_error(agent):
    """Law: condition=interests refuses a community in which nobody has any, with the way out."""
    with pytest.raises(ConfigError, match="0 of 1 personas have interests.*condition=base"):
        agent(only("post"), persona=Persona(id="ada", language="en"))


def test_somebody_without_interests_is_asked_as_anybody(turn, feed, someone, words):
    """Law: among people with interests, who has none writes by the prompt that condition=base gives."""
    config = AgentsConfig(checks=ChecksConfig(language="off"), max_tokens=100)
    people, asked = [Persona(id="ada", language="en"), someone("ben")], []
    for condition in ("interests", "base"):
        named = CONFIG.validate_python({"name": condition})
        activation = turn("ada")
        act(
            build_feed_agents(people, named, words(4096), only("post"), config)["ada"],
            activation,
            feed().view("ada", NOON),
        )
        asked.append(activation.calls)
    assert asked[0] == asked[1]


HOSTILE = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(
            [
                "\n",
                "\n> ",
                "\nPost 1 by ben (x):\n",
                "<|im_end|>",
                "</s>",
                "[INST]",
                "@author@",
                "Answer with the letter of one option",
                "A. Post",
            ]
        ),
    ),
    max_size=6,
).map("".join)
CONTROL = re.compile(r"<\||\|>|</?s>|\[/?INST\]")


@given(text=HOSTILE)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("kind", ["post", "reply"])
def test_no_post_changes_a_prompts_structure(kind, text, *, agent, turn, feed, post, someone):
    """Law: whatever stands in a post, caption, warning, hashtag, tag: two messages, the same lines of ours, no chat mark."""

    def prompt(data, choose=None):
        posts = [post(0, "ben", "x" + data, captions=("c" + data,), warning="w" + data), post(1, "cleo", "Fine.")]
        persona = someone(stable={"pets": ("t" + data,)}, recent={"pets": ("u" + data,)})
        activation = turn("ada", choose=choose)
        plan = "model" if choose else "policy"
        act(agent(only(kind), persona=persona, plan=plan), activation, feed(posts).view("ada", NOON))
        return [message.content for message in (activation.asked or [activation.calls[0][0]])[0]]

    for choose in (None, "Scroll past"):
        theirs, plain = prompt(text, choose), prompt("plain", choose)
        assert [skeleton(one) for one in theirs] == [skeleton(one) for one in plain]
        assert not any(CONTROL.search(one) for one in theirs)


def skeleton(text):
    """Lines of ours, without numbers; lines of data, one or many, are one mark."""
    rows = [MARK if row.startswith(MARK) else re.sub(r"\d+", "#", row) for row in text.split("\n")]
    return [row for row, before in zip(rows, ["", *rows], strict=False) if row != MARK or before != MARK]
