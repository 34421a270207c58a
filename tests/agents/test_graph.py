"""The LangGraph agent, run against a small real activation and view."""

# ruff: noqa: D103 -- helpers of the tests

import asyncio
from pathlib import Path

import pytest
import yaml
from pydantic import TypeAdapter

from folkmoot.agents.build import AgentsConfig, build_agents, make_tools, prompt_limit
from folkmoot.agents.checks import ChecksConfig
from folkmoot.agents.conditioning import ConditionConfig
from folkmoot.agents.graph import ModelAgent, compile_graph
from folkmoot.agents.policy import PlanPolicy
from folkmoot.sim.discussion import OpenThread, Reply
from folkmoot.sim.errors import ConfigError, ModelError
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Abstain, Answer, Refuse

CONFIG = TypeAdapter(ConditionConfig)
ROOT = Path(__file__).resolve().parents[2]
QUIET = ChecksConfig(language="off")
ANSWERS = PlanPolicy({"open": 0.0})


@pytest.fixture
def agent(persona, words):
    """A factory of agents on small settings."""

    def make(condition="base", *, policy=ANSWERS, window=4096, **settings):
        config = AgentsConfig(**{"checks": QUIET, "max_tokens": 100, **settings})
        named = {"name": condition} if isinstance(condition, str) else condition
        tools = make_tools(CONFIG.validate_python(named), words(window), policy, config)
        return ModelAgent(persona, compile_graph(), tools)

    return make


def act(agent, activation, view):
    return asyncio.run(agent.act(activation, view))


def test_a_turn_ends_in_a_reply(agent, turn, view, events):
    """A good text becomes a reply to the planned comment, after one call with the sampling asked for."""
    activation = turn("ada")
    action = act(agent(), activation, view("ada", events))
    assert action == Reply(
        agent="ada",
        based_on=7,
        page="Old Bridge",
        thread="t1",
        parent=3,
        text="I would keep the older figure, with its source.",
    )
    ((messages, sampling),) = activation.calls
    assert [message.role for message in messages] == ["system", "user"]
    assert (sampling.temperature, sampling.max_tokens) == (0.0, 100)


def test_a_new_thread_has_a_title(agent, turn, view, events):
    """An opening takes its title from the first line; a missing one is made and noted."""
    opener = agent(policy=PlanPolicy({"open": 1.0}))
    titled = act(opener, turn("ada", answer=lambda m: "TITLE: Width\nHow wide is it?"), view("ada", events))
    assert titled == OpenThread(agent="ada", based_on=7, page="Old Bridge", title="Width", text="How wide is it?")
    activation = turn("ada", answer=lambda m: "How wide is it?")
    assert act(opener, activation, view("ada", events)).title == "How wide is it"
    assert activation.notes["check"] == {"made_title": True}


def test_silence_makes_no_call(agent, turn, view, events):
    """A plan to abstain ends the turn without a model call."""
    activation = turn("ada")
    action = act(agent(policy=PlanPolicy({"abstain": {"exogenous": 1.0}})), activation, view("ada", events))
    assert action == Abstain(agent="ada", based_on=7, reason="nothing to add")
    assert activation.calls == []


def test_one_repair_then_a_refusal(agent, turn, view, events):
    """A refused text is asked for once more, with the reason; the second refusal is recorded with its reason and text."""
    mended = turn("ada", answer=lambda m: "It is 34 m." if "could not be used: empty" in m[1].content else "")
    assert act(agent(), mended, view("ada", events)).text == "It is 34 m."
    assert len(mended.calls) == 2
    assert mended.notes["check"] == {"reason": "empty"}
    hopeless = turn("ada", answer=lambda m: "As an AI, I can't say.")
    action = act(agent(), hopeless, view("ada", events))
    assert action == Refuse(
        agent="ada", based_on=7, action="Reply", reason="AI talk", thread="t1", text="As an AI, I can't say."
    )
    assert len(hopeless.calls) == 2
    unasked = turn("ada", answer=lambda m: "")
    assert act(agent(checks=ChecksConfig(language="off", repair=False)), unasked, view("ada", events)).reason == "empty"
    assert len(unasked.calls) == 1


def test_a_cut_answer_is_told_to_the_checks(agent, turn, view, events):
    """An answer that ran out of tokens loses its unfinished sentence, noted."""
    activation = turn("ada", answer=lambda m: Answer(text="It is 34 m. The surv", finish="length"))
    assert act(agent(), activation, view("ada", events)).text == "It is 34 m."
    assert activation.notes["check"] == {"mends": ("unfinished sentence",)}


def test_a_prompt_over_the_window_is_refused_uncalled(agent, turn, view, events):
    """What still doesn't fit is a recorded refusal, with the limit in the notes; no call is made."""
    activation = turn("ada")
    action = act(agent(window=150), activation, view("ada", events, article="stone " * 3000))
    assert action.reason == "prompt over window"
    assert activation.calls == []
    assert activation.notes["prompt"]["prompt_limit"] == 2


def test_a_shortened_article_is_noted(agent, turn, view, events):
    """What fitting did stands in the notes of the activation."""
    activation = turn("ada")
    act(agent(), activation, view("ada", events, article="stone " * 5000))
    assert activation.notes["prompt"]["article_chars"] == 30_000


def test_a_target_is_answered_where_it_stands(agent, turn, view, events):
    """Teacher-forced, the agent replies to the last real comment whatever the policy would draw."""
    opener = agent(policy=PlanPolicy({"open": 1.0, "abstain": {"exogenous": 1.0}}))
    action = act(opener, turn("ada", trigger="target", causes=(2,)), view("ada", events))
    assert (action.parent, action.causes) == (2, (2,))


def test_the_model_may_plan(agent, turn, view, events):
    """The option whose letter is the most probable is what the turn does, after one scoring call."""
    first = turn("ada", choose="Answer comment 3 by ben")
    assert act(agent(plan="model"), first, view("ada", events)).parent == 3
    opening = turn("ada", choose="Open a new thread")
    assert isinstance(act(agent(plan="model"), opening, view("ada", events)), OpenThread)
    silent = turn("ada", choose="Say nothing")
    assert act(agent(plan="model"), silent, view("ada", events)).reason == "chose to say nothing"
    assert (len(silent.asked), len(silent.calls)) == (1, 0)


def test_a_failed_call_fails_the_turn(agent, turn, view, events):
    """A model error passes through the graph as it is."""

    def fail(messages):
        raise ModelError("the model is gone")

    with pytest.raises(ModelError, match="gone"):
        act(agent(), turn("ada", answer=fail), view("ada", events))


def test_hundred_turns_at_once_do_not_mix(persona, words, turn, view, events):
    """One graph serves all agents at once: each turn ends in its own agent's action with its own text."""
    tools = make_tools(CONFIG.validate_python({"name": "base"}), words(), ANSWERS, AgentsConfig(checks=QUIET))
    graph = compile_graph()

    async def all_at_once():
        agents = [ModelAgent(persona.model_copy(update={"id": f"a{i}"}), graph, tools) for i in range(100)]
        turns = [turn(f"a{i}", answer=lambda m, i=i: f"It is {i} m.") for i in range(100)]
        return await asyncio.gather(
            *(agent.act(activation, view(agent.id, events)) for agent, activation in zip(agents, turns, strict=True))
        )

    assert [(action.agent, action.text) for action in asyncio.run(all_at_once())] == [
        (f"a{i}", f"It is {i} m.") for i in range(100)
    ]


def test_building_refuses_who_lacks_data(persona, words):
    """Building names the persona, the value, the bound and the way out; duplicates and an impossible window are refused."""
    config = AgentsConfig(checks=QUIET)
    bare = Persona(id="bo", language="en")
    for name, match in (
        ("profile", "0 known"),
        ("behavior", "0 deduced"),
        ("behavior_reasoning", "0 deduced"),
        ("history", "0 earlier"),
    ):
        with pytest.raises(ConfigError, match=f"'bo' has .*{match}"):
            build_agents([persona, bare], CONFIG.validate_python({"name": name}), words(), ANSWERS, config)
    base = CONFIG.validate_python({"name": "base"})
    assert list(build_agents([persona, bare], base, words(), ANSWERS, config)) == ["ada", "bo"]
    with pytest.raises(ConfigError, match="'ada'"):
        build_agents([persona, persona], base, words(), ANSWERS, config)
    with pytest.raises(ConfigError, match="reserve 1072 tokens, which leaves -1048 of the model's window of 24"):
        build_agents([persona], base, words(24), ANSWERS, config)


def test_the_prompt_limit_is_the_lower_bound():
    """The window less the reserved tokens, or the condition's bound where that is lower."""
    assert prompt_limit(CONFIG.validate_python({"name": "base"}), 2048, 1024) == 1024
    assert prompt_limit(CONFIG.validate_python({"name": "base", "max_prompt_tokens": 700}), 2048, 1024) == 700


@pytest.mark.parametrize("kind", ["rules", "waiting"])
def test_agents_without_a_graph(kind, persona, words, turn, view, events):
    """The rule-driven agent acts at once without a call; the waiting one makes one call; both follow the policy."""
    base = CONFIG.validate_python({"name": "base"})
    agent = build_agents([persona], base, words(), ANSWERS, AgentsConfig(kind=kind))["ada"]
    activation = turn("ada")
    result = agent.act(activation, view("ada", events))
    action = asyncio.run(_awaited(result)) if kind == "waiting" else result
    assert isinstance(action, Reply)
    assert action.parent == 3
    assert len(activation.calls) == (1 if kind == "waiting" else 0)


@pytest.mark.parametrize("file", sorted((ROOT / "conf" / "condition").glob("*.yaml")), ids=lambda file: file.stem)
def test_condition_files_have_exactly_the_models_fields(file):
    """Each YAML of the group validates, names its file, and lists every field."""
    data = yaml.safe_load(file.read_text())
    config = CONFIG.validate_python(data)
    assert set(data) == set(type(config).model_fields)
    assert file.stem in {data["name"], f"{data['name']}_page"}  # history_page: other defaults for raw pages


@pytest.mark.parametrize("file", sorted((ROOT / "conf" / "agents").glob("*.yaml")), ids=lambda file: file.stem)
def test_agents_files_have_exactly_the_models_fields(file):
    """Each YAML of the group validates, names its file, and lists every field; the defaults are those of the model."""
    data = yaml.safe_load(file.read_text())
    assert set(data) == set(AgentsConfig.model_fields)
    assert set(data["checks"]) == set(ChecksConfig.model_fields)
    assert AgentsConfig.model_validate(data) == AgentsConfig(kind=file.stem)


async def _awaited(result):
    return await result
