"""The prompt of every method on a hand-written persona, as it stands in a file."""

# ruff: noqa: D103 -- each test's law is its docstring where it has one; fixtures say what they are
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from folkmoot.agents.conditioning import CONDITIONS, ConditionConfig, Fit, Recalled, Scene, make_condition
from folkmoot.agents.conditioning.scene import shown

GOLDEN = Path(__file__).parent / "golden"
CONFIG = TypeAdapter(ConditionConfig)
ROOMY = Fit(100_000, lambda messages: 0)


def scene_of(persona, events, **changes) -> Scene:
    recalled = tuple(Recalled(item.title, item.comments) for item in persona.history[:2])
    plain = Scene(
        author=persona.id,
        language="en",
        now=1_714_910_400_000,
        page="Old Bridge",
        article="The '''Old Bridge''' spans the river.\n\nIt is 38 m long.",
        title="How long is it?",
        comments=shown(events),
        answered=2,
        recalled=recalled,
        acts=("ASK", "POSITIVE"),
    )
    return plain._replace(**changes)


def written(prompt) -> str:
    return "\n".join(f"--- {message.role}\n{message.content}" for message in prompt.messages) + "\n"


@pytest.mark.parametrize("opens", [False, True], ids=["reply", "open"])
@pytest.mark.parametrize("name", CONDITIONS)
def test_each_method_writes_the_prompt_of_its_golden_file(name, opens, persona, events, request):
    """A method's messages on a fixed persona and scene are those of golden/NAME-reply.txt and NAME-open.txt, letter by letter."""
    changes = {"comments": (), "answered": None, "title": ""} if opens else {}
    if name != "act_planned":
        changes["acts"] = ()
    prompt = make_condition(CONFIG.validate_python({"name": name})).messages(
        persona, scene_of(persona, events, **changes), ROOMY
    )
    file = GOLDEN / f"{name}-{'open' if opens else 'reply'}.txt"
    assert written(prompt) == file.read_text(encoding="utf-8")
    assert prompt.fits


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_method_shows_only_its_own_persona_data(name, persona, events):
    """Profile, traits, reasoning and history each appear under the methods that the paper gives them to, and nowhere else."""
    text = written(
        make_condition(CONFIG.validate_python({"name": name})).messages(
            persona, scene_of(persona, events, acts=()), ROOMY
        )
    )
    assert ("retired surveyor" in text) == (name == "profile")
    assert ("Short, concise comments" in text) == name.startswith("behavior")
    assert ("She thanks before she objects" in text) == (name == "behavior_reasoning")
    assert ("Earlier words 0.0" in text) == (name in ("history", "retrieval"))
    assert "Too few comments" not in text
