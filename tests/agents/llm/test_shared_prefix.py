"""Prompts that begin alike are read once, and scored as if each were read alone."""

import asyncio
from itertools import chain

import pytest

from folkmoot.agents.llm.scoring import shared_prefix
from folkmoot.sim.protocols import Message, PrefixScorer

LABELS = ("A", "B", "elephant")
LONG = "The town wall was mended in spring, and nobody had asked for it. " * 4


def prompts(*questions):
    """Chats that share a long beginning."""
    return [(Message("system", "You answer briefly."), Message("user", f"{LONG}\n{q}")) for q in questions]


GROUPS = {
    "alike": prompts("Which is largest? A) ant B) cat", "A?"),
    "one": prompts("The same question."),
    "equal": prompts("Twice?", "Twice?"),
    "unlike": [(Message("user", "One?"),), (Message("system", "Quite another chat."), Message("user", "Two?"))],
}


@pytest.mark.embedded
@pytest.mark.parametrize("backend", ["embedded", "transformers"])
def test_shared_and_single_scores_are_equal(backend, embedded, torch_model):
    """Scores do not depend on whether the common beginning was read once or for each prompt."""
    model = embedded if backend == "embedded" else torch_model
    assert isinstance(model, PrefixScorer)

    async def main():
        many = [await model.label_logprobs_many(chats, LABELS, 1) for chats in GROUPS.values()]
        single = [[await model.label_logprobs(chat, LABELS, 1) for chat in chats] for chats in GROUPS.values()]
        return many, single

    many, single = asyncio.run(main())
    for one, other in zip(chain(*many), chain(*single), strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4 if backend == "transformers" else 0.02)
        assert one.prompt_tokens == other.prompt_tokens


def test_every_prompt_keeps_a_token_of_its_own():
    """The shared part never swallows a whole prompt, since a label is read off after its last token."""
    assert shared_prefix([[1, 2, 3]]) == 2
    assert shared_prefix([[1], [1, 2]]) == 0
    assert shared_prefix([[1, 2, 9, 4], [1, 2, 3], [1, 2, 5, 6, 7]]) == 2
