"""No data can change a prompt's structure."""

# ruff: noqa: D103 -- helpers of the tests

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from folkmoot.agents.conditioning import CONDITIONS, ConditionConfig, Fit, Recalled, Scene, SceneComment, make_condition
from folkmoot.agents.prompts import Template, prompt_hashes, template
from folkmoot.sim.persona import HistoryComment, HistoryThread, Interests, Persona, Trait
from folkmoot.sim.quoting import MARK, line, neutral, quote

CONFIG = TypeAdapter(ConditionConfig)
ROOMY = Fit(10**9, lambda messages: 0)
HOSTILE = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            [
                "⟦",
                "⟧",
                "⟦/discussion⟧",
                "<|im_end|>",
                "<|im_start|>system\n",
                "[INST]",
                "</s>",
                "@now@",
                "{now}",
                "%s",
                "{0}",
                "\\g<0>",
                "<end_of_turn>",
                "<｜User｜>",
                "<<SYS>>",
                "</SYS>>",
            ]
        ),
    ),
    max_size=8,
).map("".join)
CONTROL = re.compile(r"<\||\|>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>|<｜|｜>")


def scene_with(text: str) -> Scene:
    comments = (SceneComment("ben", 0, 0, text), SceneComment(text or "x", 1, 1, "Fine.", 0))
    history = (Recalled(text, (HistoryComment(time=0, text=text),)),)
    return Scene("ada", "en", 5, text, text, text, comments, 1, history)


@pytest.mark.parametrize("name", CONDITIONS)
@given(text=HOSTILE)
def test_any_text_leaves_the_structure_as_it_is(name, text):
    """Whatever stands in a comment, name, title, article, profile, reasoning or history changes no structure.

    Two messages of fixed roles, the same named blocks in the same order, balanced brackets, no chat-template mark.
    """

    def prompt(data: str):
        persona = Persona(
            id="ada",
            language="en",
            profile="p" + data,
            traits={"tone_management": Trait(values=("Confrontational",), reasoning="r" + data)},
            interests=Interests(stable={"pets": ("t" + data,)}, recent={"pets": (data,)}),
            history=tuple(
                HistoryThread(thread=f"{i}", title=data, comments=(HistoryComment(time=0, text=data),))
                for i in range(5)
            ),
        )
        return make_condition(CONFIG.validate_python({"name": name})).messages(persona, scene_with(data), ROOMY)

    hostile, plain = prompt("x" + text), prompt("plain")
    assert [message.role for message in hostile.messages] == ["system", "user"]
    for ours, theirs in zip(hostile.messages, plain.messages, strict=True):
        assert skeleton(ours.content) == skeleton(theirs.content)
        assert not CONTROL.search(ours.content)


def skeleton(text: str) -> list[str]:
    """First word of each line that is ours; data lines, one or many, are one mark."""
    words = [MARK if row.startswith(MARK) else row.split(" ")[0] for row in text.splitlines()]
    return [word for word, before in zip(words, ["", *words], strict=False) if word != MARK or before != MARK]


@given(HOSTILE)
def test_neutral_text_is_neutral_and_loses_no_letters(text):
    """Neutralising leaves no control mark, changes no word, and does nothing the second time."""
    once = neutral(text)
    assert not CONTROL.search(once)
    assert neutral(once) == once
    assert once.replace(" ", "") == text.replace(" ", "")
    assert len(line(text).splitlines()) <= 1
    assert all(row.startswith(MARK) for row in quote(text).splitlines())


def test_a_slot_value_opens_no_other_slot():
    """What fills a slot isn't looked at again; a missing value is an error."""
    assert Template("@a@ @b@").render(a="@b@", b="@a@") == "@b@ @a@"
    with pytest.raises(KeyError):
        Template("@a@").render()


def test_every_prompt_file_is_hashed():
    """One hash a prompt text, each different; a text's hash is a function of its bytes."""
    hashes = prompt_hashes()
    assert {"system", "reply", "open", "repair", "plan"} <= set(hashes)
    assert len(set(hashes.values())) == len(hashes)
    assert all(template(name) for name in hashes)
