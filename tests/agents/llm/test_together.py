"""Laws of calls that are made at once."""

import asyncio
import json

import pytest

from folkmoot.agents.llm.litellm_ import LiteLLMConfig, LiteLLMModel
from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Message
from folkmoot.sim.together import together

GOOD = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": "A"}}], "usage": {}})


def test_results_keep_their_order():
    """Whatever order they end in, results stand where their calls stood."""

    async def late(number):
        for _ in range(5 - number):
            await asyncio.sleep(0)
        return number

    assert asyncio.run(together(late(n) for n in range(5))) == list(range(5))
    assert asyncio.run(together([])) == []


@pytest.mark.parametrize("error", [ModelError("no"), ValueError("no")])
def test_the_first_error_is_raised_as_itself_and_ends_the_rest(error):
    """Law: the error isn't wrapped, and when it is raised every other call has ended."""
    ended = []

    async def one(number):
        try:
            if number == 2:
                raise error
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    async def main():
        with pytest.raises(type(error), match="no") as caught:
            await together(one(n) for n in range(5))
        return caught.value, sorted(ended)

    assert asyncio.run(main()) == (error, list(range(5)))


def test_whoever_stops_waiting_ends_all():
    """Law: cancelling the asker cancels the calls; it isn't told as an error of theirs."""
    ended = []

    async def one():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(1)

    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await together(one() for _ in range(3))

    asyncio.run(main())
    assert len(ended) == 3


@pytest.mark.slow
def test_no_drawn_answer_outlives_a_failed_one(bad_server, monkeypatch):
    """Law: where one of the answers drawn for label scores is refused, the others are given up with it."""
    monkeypatch.setenv("FOLKMOOT_TEST_KEY", "key")

    async def main():
        async with bad_server((400, {}, "no", 0), (200, {}, GOOD, 2)) as server:
            config = LiteLLMConfig(
                model="openai/x", api_base=server.url, api_key_env="FOLKMOOT_TEST_KEY", top_logprobs=0, label_samples=4
            )
            model = LiteLLMModel(config)
            with pytest.raises(ModelError, match="400|no"):
                await model.label_logprobs([Message("user", "A or B?")], ("A", "B"), 1)
            left = [task for task in asyncio.all_tasks() if "generate" in task.get_coro().__qualname__]
            await model.close()
        return left

    assert asyncio.run(main()) == []
