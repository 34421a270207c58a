"""LiteLLM against a real OpenAI-compatible server."""

import asyncio

import pytest

from folkmoot.agents.llm.litellm_ import LiteLLMConfig, LiteLLMModel
from folkmoot.sim.errors import ModelError, ModelMissing, TransientModelError
from folkmoot.sim.protocols import LanguageModel, Message, Sampling

pytestmark = pytest.mark.slow
PROMPT = [Message("system", "You answer briefly."), Message("user", "Answer with one letter. A) ant B) cat")]


def test_completes_and_scores(llama, key, patient):
    """Answers, log-probabilities and, where there are none, sampled frequencies come through LiteLLM."""

    async def main():
        config = LiteLLMConfig(model="openai/smollm2", api_base=llama, api_key_env=key)
        model = patient(LiteLLMModel(config))
        assert isinstance(model.model, LanguageModel)
        answer = await model.generate(PROMPT, Sampling(max_tokens=6), 1)
        exact = await model.label_logprobs(PROMPT, ("A", "B"), 1)
        blind = patient(LiteLLMModel(config.model_copy(update={"top_logprobs": 0, "label_samples": 6})))
        sampled = await blind.label_logprobs(PROMPT, ("A", "B", "elephant"), 1)
        again = await blind.label_logprobs(PROMPT, ("A", "B", "elephant"), 1)
        await model.close()
        return answer, exact, sampled, again

    answer, exact, sampled, again = asyncio.run(main())
    assert answer.text
    assert answer.prompt_tokens > 20
    assert answer.cost == 0
    assert exact.logprobs[0] > exact.logprobs[1]
    assert not exact.sampled
    assert sampled.sampled
    assert sampled.logprobs[2] < sampled.logprobs[0]
    assert again.logprobs == sampled.logprobs


def test_errors_are_sorted_and_hide_the_key(llama, bad_server, monkeypatch):
    """A refused key is final, a broken server transient; no text holds the key."""
    monkeypatch.setenv("FOLKMOOT_WRONG", "wrong-secret-1234")

    async def main():
        model = LiteLLMModel(LiteLLMConfig(model="openai/x", api_base=llama, api_key_env="FOLKMOOT_WRONG"))
        with pytest.raises(ModelError) as refused:
            await model.generate(PROMPT, Sampling(), 1)
        async with bad_server((500, {}, "wrong-secret-1234", 0)) as server:
            model = LiteLLMModel(LiteLLMConfig(model="openai/x", api_base=server.url, api_key_env="FOLKMOOT_WRONG"))
            with pytest.raises(TransientModelError) as broken:
                await model.generate(PROMPT, Sampling(), 1)
        await model.close()
        return refused.value, broken.value

    refused, broken = asyncio.run(main())
    assert not isinstance(refused, TransientModelError)
    assert "wrong-secret" not in f"{refused!r}{broken!r}"


def test_missing_key_names_the_variable(monkeypatch):
    """Without the named variable the backend refuses to be built."""
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(ModelMissing, match="NO_SUCH_KEY"):
        LiteLLMModel(LiteLLMConfig(api_key_env="NO_SUCH_KEY"))
