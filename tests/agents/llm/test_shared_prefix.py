"""Prompts that begin alike are read once, and scored as if each were read alone."""

import asyncio
from itertools import chain

import pytest

from folkmoot.agents.llm.base import CacheConfig
from folkmoot.agents.llm.cache import AnswerCache
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.scoring import shared_prefix
from folkmoot.sim.protocols import LabelScores, Message, PrefixScorer

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


@pytest.mark.embedded
def test_labels_shared_between_prompts_keep_their_own_scores(torch_model):
    """Prompts that share nothing are given the very same label tokens: each still gets its own scores, long labels too."""
    chats = [(Message("user", f"{word}?"),) for word in ("One", "Quite", "Zebra")]

    async def main():
        ids = [torch_model._chat.prompt(chat) for chat in chats]
        tails = [one[3:] for one in ids]
        labels = [torch_model._chat.plain(label) for label in LABELS]
        await torch_model.label_logprobs(chats[0], LABELS, 1)
        decoder = torch_model._decoder
        together = decoder.label_logprobs(tails, [labels] * len(tails))
        alone = [decoder.label_logprobs([one], [labels])[0] for one in tails]
        return together, alone

    together, alone = asyncio.run(main())
    for one, other in zip(together, alone, strict=True):
        assert one == pytest.approx(other, abs=1e-4)


def test_every_prompt_keeps_a_token_of_its_own():
    """The shared part never swallows a whole prompt, since a label is read off after its last token."""
    assert shared_prefix([[1, 2, 3]]) == 2
    assert shared_prefix([[1], [1, 2]]) == 0
    assert shared_prefix([[1, 2, 9, 4], [1, 2, 3], [1, 2, 5, 6, 7]]) == 2


class Counting:
    """A backend that scores by the length of prompt and label, and counts what it was asked."""

    name = "counting"
    repeatable = True
    window = 4096

    def __init__(self):
        self.calls = []

    def count_tokens(self, messages):
        """Characters."""
        return sum(len(message.content) for message in messages)

    async def label_logprobs(self, messages, labels, seed):
        """Minus the lengths."""
        self.calls.append(len(labels))
        values = tuple(-float(len(messages[-1].content) + len(label)) for label in labels)
        return LabelScores(logprobs=values, censored=(len(labels) - 1,), prompt_tokens=3, cost=0.5)

    async def close(self):
        """Nothing to free."""


class CountingGroups(Counting):
    """The same, and it takes groups."""

    async def label_logprobs_many(self, prompts, labels, seed):
        """All prompts in one call."""
        return [await self.label_logprobs(prompt, labels, seed) for prompt in prompts]


@pytest.mark.parametrize("backend", [Counting, CountingGroups])
def test_pool_scores_groups_and_keeps_them(backend, tmp_path):
    """The pool gives each prompt of a group its own scores, books tokens and money once, and asks again for nothing kept."""
    chats = GROUPS["alike"]

    async def main():
        model = backend()
        cache = AnswerCache(CacheConfig(path=str(tmp_path / "answers.sqlite")))
        pool = Pool(model, cache=cache)
        first = await pool.label_logprobs_many(chats, LABELS, 1)
        asked = list(model.calls)
        again = await pool.label_logprobs_many(chats, LABELS, 1)
        spent = pool.cost
        await pool.close()
        return first, again, asked == list(model.calls), spent

    first, again, kept, spent = asyncio.run(main())
    for chat, scores in zip(chats, first, strict=True):
        assert scores.logprobs == tuple(-float(len(chat[-1].content) + len(label)) for label in LABELS)
        assert scores.censored == (2,)
    assert [s.logprobs for s in again] == [s.logprobs for s in first]
    assert kept
    assert spent == 1.0
    assert sum(s.prompt_tokens for s in first) == 6
