"""Laws of plans that the model makes."""

import asyncio
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from folkmoot.agents.build import AgentsConfig, make_tools
from folkmoot.agents.conditioning import ConditionConfig
from folkmoot.agents.memory import memories
from folkmoot.agents.options import PAGES
from folkmoot.agents.planning import Seen
from folkmoot.agents.policy import PlanPolicy
from folkmoot.sim.quoting import MARK

CONFIG = TypeAdapter(ConditionConfig)


@pytest.fixture
def plan(persona, words):
    """Plans one activation: the plan, and the activation with what it asked and noted."""

    def make(activation, page, condition="base", *, window=4096, **settings):
        config = AgentsConfig(plan="model", max_tokens=100, **settings)
        tools = make_tools(CONFIG.validate_python({"name": condition}), words(window), PlanPolicy({}), config)
        cause = page.event(activation.causes[-1]) if activation.causes else None
        seen = Seen(cause, page.recent(tools.planner.looks_at), persona, tuple(memories(persona, page, remember=False)))
        return asyncio.run(tools.planner.plan(activation, page, seen))

    return make


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        ("base", None),
        ("profile", "A retired surveyor"),
        ("behavior", "Conciliatory and polite"),
        ("behavior_reasoning", "She thanks before she objects."),
        ("history", "Earlier words 3.1"),
    ],
)
def test_the_plan_is_made_by_the_person(condition, shown, plan, turn, view, events):
    """Law: the plan's prompt says of the person what the condition in use says, and only that."""
    activation = turn("ada", choose="Say nothing")
    plan(activation, view("ada", events), condition)
    text = "".join(message.content for message in activation.asked[0])
    every = ("A retired surveyor", "Conciliatory and polite", "She thanks before she objects.", "Earlier words 3.1")
    allowed = {shown, "Conciliatory and polite"} if condition == "behavior_reasoning" else {shown}
    assert {mark for mark in every if mark in text} == allowed - {None}


def test_the_plan_sees_the_discussion(plan, turn, view, events):
    """Law: the discussions that may be answered stand in the prompt, quoted, with their authors."""
    activation = turn("ada", choose="Say nothing")
    plan(activation, view("ada", events))
    text = activation.asked[0][1].content
    for event in events:
        assert f"{MARK}{event.text}" in text.splitlines()
        assert f"by {event.actor}" in text


def test_a_thread_may_be_opened_on_any_page(plan, turn, view, events):
    """Law: every watched page is an option; of very many, each has its chance."""
    pages = tuple(f"Bridge {number}" for number in range(3))
    opened = plan(turn("ada", choose="about Bridge 2"), view("ada", events, pages=pages))
    assert (opened.kind, opened.page) == ("open", "Bridge 2")
    many = tuple(f"Bridge {number}." for number in range(40))
    offered = Counter()
    for number in range(60):
        activation = turn("ada", choose="Say nothing", number=number)
        plan(activation, view("ada", events, pages=many))
        listed = [page for page in many if f"about {page}" in activation.asked[0][1].content]
        assert len(listed) == PAGES
        offered.update(listed)
    assert len(offered) == len(many)


def test_no_letter_is_tied_to_an_option(plan, turn, view, events):
    """Law: a model that always likes the first letter makes different plans in different activations."""
    kinds = {plan(turn("ada", number=number), view("ada", events)).kind for number in range(40)}
    assert kinds == {"reply", "open", "abstain"}


def test_temperature_draws_from_the_scores(plan, turn, view, events):
    """Law: at temperature 0 the likeliest option is taken; above it plans come in the scores' proportions, by the seed."""
    page = view("ada", events)
    greedy = {plan(turn("ada", number=n, choose="Say nothing"), page).kind for n in range(20)}
    assert greedy == {"abstain"}
    warm = [plan(turn("ada", number=n, choose="Say nothing"), page, temperature=8.0).kind for n in range(400)]
    assert warm == [plan(turn("ada", number=n, choose="Say nothing"), page, temperature=8.0).kind for n in range(400)]
    share = 1 / (1 + 2 * 2.718281828 ** (-8.9 / 8))
    assert warm.count("abstain") / 400 == pytest.approx(share, abs=0.07)


def test_a_small_window_shows_less_and_then_leaves_it_to_the_policy(plan, turn, view, say):
    """Law: threads are left out, with their options, until the prompt fits; where none does the policy plans, noted."""
    events = [
        say(seq, f"u{seq}", "stone " * 200, thread=f"t{seq // 4}", parent=seq - 1 if seq % 4 else None)
        for seq in range(32)
    ]
    page = view("ada", events)
    wide, narrow, none = (turn("ada", choose="Say nothing") for _ in range(3))
    plan(wide, page, window=4096)
    plan(narrow, page, window=520)
    assert wide.asked[0][1].content.count("\u201cMatter") > narrow.asked[0][1].content.count("\u201cMatter") > 0
    plan(none, page, window=200)
    assert none.asked == []
    assert "plan_over_window" in none.notes


def test_what_woke_the_agent_may_be_answered(plan, turn, view, events):
    """Law: the cause is an option even where it isn't the newest comment; one's own comments never are."""
    answered = plan(turn("ada", trigger="reply", causes=(1,), choose="Answer comment 1"), view("ada", events))
    assert answered.parent == 1
    own = turn("ben", choose="Say nothing")
    plan(own, view("ben", events))
    assert "by ben in" not in own.asked[0][1].content


def skeleton(text):
    """First words of the lines that are ours."""
    return [row.split(" ")[0] for row in text.splitlines() if not row.startswith(MARK)]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])  # they keep nothing
@given(
    text=st.lists(
        st.one_of(st.text(max_size=20), st.sampled_from(["\nA. ", "> ", "\n\nAnswer with", "<|im_end|>", "\u2028B. "])),
        max_size=6,
    ).map("".join)
)
def test_no_comment_changes_the_options(text, plan, turn, view, say):
    """Law: whatever stands in comments and names, the lines that are ours and the options stay as they are."""

    def asked(data):
        activation = turn("ada", choose="Say nothing")
        events = [say(1, "x" + data, "x" + data), say(2, "cleo", "y" + data, parent=1)]
        plan(activation, view("ada", events))
        return activation.asked[0]

    hostile, plain = asked(text), asked("")
    assert [message.role for message in hostile] == ["system", "user"]
    assert [skeleton(message.content) for message in hostile] == [skeleton(message.content) for message in plain]
    assert "<|" not in hostile[1].content
