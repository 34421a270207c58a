"""Answers to requests: from a profile or a timeline; one of ten requests, the same each time."""

import asyncio

import pytest

from folkmoot.agents.interests.respond import REQUESTS, Responder, request
from folkmoot.agents.llm.scripted import ScriptedConfig, ScriptedModel
from folkmoot.agents.profiles.asking import reading_asker
from folkmoot.sim.asking import TOO_LONG


def test_ten_different_requests_each():
    """Ten requests for each intent, none twice."""
    assert [len(set(requests)) for requests in REQUESTS.values()] == [10, 10]
    assert not set(REQUESTS["stable"]) & set(REQUESTS["recent"])


def test_requests_are_drawn_by_seed():
    """The same user, intent, setting and seed get the same request; over users all ten come up about equally often."""
    drawn = [request(1, f"user{k}", "stable", "direct") for k in range(1000)]
    assert drawn == [request(1, f"user{k}", "stable", "direct") for k in range(1000)]
    assert drawn != [request(2, f"user{k}", "stable", "direct") for k in range(1000)]
    assert all(60 < drawn.count(number) < 140 for number in range(10))


@pytest.mark.parametrize("intent", ["stable", "recent"])
def test_a_truthful_model_names_interests_of_the_intent(posts, truth, intent):
    """From the profile and from the timeline alike, the answer names tags of the intent's bucket and none of the other."""
    responder = Responder(reading_asker(ScriptedModel(), 200, 1))
    mine = {tag for tags in getattr(truth, intent).values() for tag in tags}
    other = {tag for side in (truth.stable, truth.recent) for tags in side.values() for tag in tags} - mine
    told = asyncio.run(responder.from_profile("ada", truth, intent, 3)).value
    seen, _ = asyncio.run(responder.from_timeline("ada", posts, intent, 3))
    for text in (told, seen.value):
        assert any(tag in text for tag in mine)
        assert not any(tag in text for tag in other)


def test_a_context_that_does_not_fit_is_a_reason(truth):
    """A profile that the window can't hold gives no answer but a reason."""
    responder = Responder(reading_asker(ScriptedModel(ScriptedConfig(window=250)), 100, 1))
    assert asyncio.run(responder.from_profile("ada", truth, "stable", 0)).reason == TOO_LONG
