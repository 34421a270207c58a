"""The whole turn with the scripted model that ships: prompts that a model reads, texts that the checks accept."""

import asyncio

import pytest
from pydantic import TypeAdapter

from folkmoot.agents.build import AgentsConfig, build_agents
from folkmoot.agents.conditioning import ConditionConfig
from folkmoot.agents.llm.scripted import ScriptedConfig, ScriptedModel
from folkmoot.agents.policy import PlanPolicy
from folkmoot.sim.discussion import OpenThread, Reply
from folkmoot.sim.protocols import Refuse

CONFIG = TypeAdapter(ConditionConfig)


def _acts(world, language, model, turns=40, **settings):
    """The actions of some turns of one agent with the scripted model, and the turns."""
    persona, view, turn, events = world
    agents = build_agents(
        [persona],
        CONFIG.validate_python({"name": "base"}),
        model,
        PlanPolicy({"open": 0.25}),
        AgentsConfig(**settings),
    )
    waiting = [turn("ada", number=number) for number in range(turns)]

    async def run():
        results = []
        for number, activation in enumerate(waiting):
            calls = []

            async def generate(messages, sampling, number=number, calls=calls):
                calls.append(messages)
                return await model.generate(messages, sampling, seed=100 * number + len(calls))

            activation.generate = generate
            results.append(await agents["ada"].act(activation, view("ada", events, language=language)))
        return results

    return asyncio.run(run()), waiting


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it"])
def test_scripted_turns_pass_in_five_languages(language, persona, view, turn, events):
    """Nothing that the scripted model writes is refused; openings have their titles; next to nothing is in a foreign language."""
    actions, turns = _acts((persona, view, turn, events), language, ScriptedModel(ScriptedConfig()))
    assert {type(action) for action in actions} == {Reply, OpenThread}
    assert all(len(action.title) > 2 for action in actions if isinstance(action, OpenThread))
    checks = [activation.notes.get("check", {}) for activation in turns]
    assert not any(found.get("made_title") or found.get("reason") for found in checks)
    assert sum("wrong language" in found.get("flags", ()) for found in checks) <= 4


def test_garbage_is_repaired_or_refused_by_name(persona, view, turn, events):
    """A model that answers garbage half of the time: each garbage answer is asked for again; what stays garbage is refused by name."""
    model = ScriptedModel(ScriptedConfig(garbage_rate=0.5))
    actions, turns = _acts((persona, view, turn, events), "en", model, turns=80)
    refused = [action for action in actions if isinstance(action, Refuse)]
    assert 5 < len(refused) < 40
    assert {action.reason for action in refused} <= {"empty", "AI talk"}
    first = [activation.notes.get("check", {}).get("reason") for activation in turns]
    assert sum(reason is not None for reason in first) > len(refused)


def test_the_scripted_model_can_plan(persona, view, turn, events):
    """Plans by the model: every choice is read, and each kind of option is taken at times."""
    actions, turns = _acts((persona, view, turn, events), "en", ScriptedModel(ScriptedConfig()), plan="model")
    assert {type(action).__name__ for action in actions} == {"Reply", "OpenThread", "Abstain"}
    assert not any("plan_unreadable" in activation.notes for activation in turns)
