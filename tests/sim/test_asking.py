"""Who asks a model: every call has a seed of its own by its path, and a call that failed is raised or counted."""

import asyncio

import pytest

from folkmoot.sim.asking import FAILED, Asker, Reply, UnusableAnswer
from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Answer, Message
from folkmoot.sim.rng import integer


class Notes:
    """A model that answers with the number of the call, or fails; keeps the seeds."""

    name, repeatable, window = "notes", True, 100

    def __init__(self, fails=False):
        self.seeds, self.fails = [], fails

    def count_tokens(self, messages):
        """A token a message."""
        return len(messages)

    async def generate(self, messages, sampling, seed):
        """The next number."""
        if self.fails:
            raise ModelError("gone")
        self.seeds.append(seed)
        return Answer(text=str(len(self.seeds)))

    async def close(self):
        """Nothing to free."""


def second(answer):
    """An even number."""
    if int(answer.text) % 2:
        raise UnusableAnswer("odd")
    return int(answer.text)


def ask(model, *paths, **settings):
    """The replies."""
    asker = Asker(model, 10, 7, "numbers", lambda fault: Message("user", f"not {fault}"), **settings)
    return [asyncio.run(asker.ask([Message("user", "even?")], second, path)) for path in paths]


def test_seeds_follow_the_path():
    """A call's seed is that of the run, the stage, the question's path and the number of the try, whatever was asked before."""
    model = Notes()
    assert ask(model, ("a", "ada"), ("b",)) == [Reply(2, repaired=True), Reply(4, repaired=True)]
    named = [("a", "ada", 0), ("a", "ada", 1), ("b", 0), ("b", 1)]
    assert model.seeds == [integer(7, "numbers", *path) for path in named]


def test_a_call_that_failed_for_good():
    """It is raised, or, where failures are skipped, a reason."""
    with pytest.raises(ModelError, match="gone"):
        ask(Notes(fails=True), ("a",))
    assert ask(Notes(fails=True), ("a",), skip_failures=True) == [Reply(None, FAILED)]
