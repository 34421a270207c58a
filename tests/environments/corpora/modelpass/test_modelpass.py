"""What the passes of a model over a corpus share: one repair, counts that add up, answers kept so that a repeat is free."""

import asyncio
from dataclasses import dataclass

import pytest

from folkmoot.agents.llm.base import CacheConfig
from folkmoot.agents.llm.cache import AnswerCache
from folkmoot.agents.llm.pool import Pool
from folkmoot.environments.corpora.modelpass import Pass, pass_asker, rewrite_posts
from folkmoot.sim.asking import UnusableAnswer
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.protocols import Answer, Message

QUESTION = [Message("user", "one word?")]


class Says:
    """A model that gives these answers, one after the other."""

    name, repeatable, window = "says", True, 100

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def count_tokens(self, messages):
        """A token a message."""
        return len(messages)

    async def generate(self, messages, sampling, seed):
        """The next answer."""
        self.asked.append((list(messages), seed))
        return Answer(text=self.answers.pop(0))

    async def close(self):
        """Nothing to free."""


def word(answer):
    """One word, or an answer that can't be used."""
    if " " in answer.text:
        raise UnusableAnswer("several words", f"{answer.text!r} is more\n> than one <|im_end|> word")
    return answer.text


def ask(model, item="a"):
    """The reply to the question."""
    return asyncio.run(pass_asker(model, 10, 0, "words").ask(QUESTION, word, (item,)))


def test_one_repair():
    """An answer that can't be used is asked for again once, with what was wrong, quoted so that it gives no orders."""
    model = Says("so it is", "yes")
    reply = ask(model)
    assert (reply.value, reply.repaired, reply.reason, reply.told) == ("yes", True, "", "")
    (first, seed), (again, other) = model.asked
    assert again[: len(first)] == first
    assert again[-2] == Message("assistant", "so it is")
    assert "is more" in again[-1].content
    assert not {"\n", ">", "<|"} & set(again[-1].content)
    assert seed != other


def test_a_reason():
    """Where the second answer can't be used either, there is a reason to count by, and words about the last fault."""
    reply = ask(Says("so it is", "well it is"))
    assert (reply.value, reply.reason, reply.repaired) == (None, "several words", False)
    assert "well it is" in reply.told


def test_room():
    """An answer must fit the window twice, beside the question."""
    assert pass_asker(Says(), 40, 0, "words").fits(QUESTION * 20)
    assert not pass_asker(Says(), 41, 0, "words").fits(QUESTION * 20)


@dataclass(frozen=True)
class Done:
    """What became of an item."""

    reason: str
    repaired: bool = False


def test_counts():
    """Every item is kept, told or dropped by its reason, in order, whatever runs at once."""

    async def become(item):
        await asyncio.sleep(0.01 / (1 + item))
        return Done(("fine", "better", "aside", "broken")[item % 4], repaired=item == 1)

    with asyncio.Runner() as runner:
        made = Pass(become, runner, in_flight=3)
        assert [done.reason for done in made.over(range(4))] == ["fine", "better", "aside", "broken"]
        list(made.over(range(2)))
    notes = {"better": "corrected", "aside": "set aside (kept)"}
    record = made.record("words", "items", ["fine", "better"], notes, {"of": "x"})
    assert (record.counts["items"].given, record.counts["items"].kept) == (5, 4)
    assert record.counts["items"].dropped == {"broken": 1}
    assert record.notes == {"answers after a repair": 2, "corrected": 2, "set aside (kept)": 1}


def test_a_repeat_is_free(tmp_path):
    """With a pool and its cache the same pass asks nothing, repairs included."""

    def reply(*answers):
        model = Says(*answers)
        pool = Pool(model, cache=AnswerCache(CacheConfig(path=str(tmp_path / "answers.sqlite"))))
        found = ask(pool)
        asyncio.run(pool.close())
        return found, len(model.asked)

    first, calls = reply("so it is", "yes")
    assert calls == 2
    assert reply() == (first, 0)


def test_timelines_alone(small_store, tmp_path):
    """A corpus of Talk pages has no posts to change; nothing is left at the name."""
    with pytest.raises(CorpusError, match="Talk pages"):
        rewrite_posts(small_store, tmp_path / "out", lambda posts: posts, lambda: None)
    assert not list(tmp_path.glob("*out*"))
