"""Any provider through LiteLLM, loaded only when asked for (its import takes seconds, a call milliseconds)."""

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from math import log
from typing import Any, Literal

from pydantic import Field

from folkmoot.agents.llm.base import BackendConfig
from folkmoot.agents.llm.remote import estimated_tokens, final, key_from, transient
from folkmoot.agents.llm.toplabels import top_scores
from folkmoot.agents.llm.vision import chat
from folkmoot.sim.errors import ModelError, ModelMissing, TransientModelError
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling
from folkmoot.sim.rng import integer
from folkmoot.sim.together import together
from folkmoot.sim.vision import Image

SAMPLE_TOKENS = 8
"""Length of a sampled label answer."""


class LiteLLMConfig(BackendConfig):
    """Settings of a provider's model.

    Attributes:
        model: LiteLLM's name for it, e.g. "openai/gpt-4o-mini".
        api_base: address of an OpenAI-compatible server; "" for the provider's own.
        api_key_env: NAME of the environment variable that holds the key; "" for the provider's usual one.
        window: context window in tokens.
        top_logprobs: how many tokens' log-probabilities the provider gives at most; 0 if it gives none.
        label_samples: answers drawn for label scores where there are no log-probabilities.
    """

    backend: Literal["litellm"] = "litellm"
    model: str = "openai/gpt-4o-mini"
    api_base: str = ""
    api_key_env: str = ""
    window: int = Field(default=128_000, gt=0)
    top_logprobs: int = Field(default=20, ge=0)
    label_samples: int = Field(default=20, ge=1)


class LiteLLMModel:
    """A provider's model.

    Args:
        config: its settings.

    Raises:
        ModelMissing: LiteLLM isn't installed, or the named environment variable isn't set.
    """

    repeatable = False

    def __init__(self, config: LiteLLMConfig) -> None:
        if find_spec("litellm") is None:
            raise ModelMissing("llm=litellm needs LiteLLM; run: pip install litellm")
        self._config = config
        self._library: Any = None
        self._key = key_from(config.api_key_env)

    @property
    def name(self) -> str:
        """Backend and model."""
        return f"litellm/{self._config.model}"

    @property
    def window(self) -> int:
        """Context window in tokens."""
        return self._config.window

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """An upper estimate: a third of the characters, and eight for each message's frame."""
        return estimated_tokens(messages)

    async def generate(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Answer:
        """One completion, with the provider's price.

        Raises:
            TransientModelError: rate limits, time-outs, 5xx, broken connections.
            ModelError: any other refusal.
        """
        return await self.look(messages, (), sampling, seed)

    @property
    def sees(self) -> bool:
        """Not if LiteLLM knows the model as one that reads text alone; an own server's model is up to the server."""
        names = (self._config.model, self._config.model.partition("/")[2])
        known = [] if self._config.api_base else list(filter(None, map(self._load().model_cost.get, names)))
        return not known or any(entry.get("supports_vision") for entry in known)

    async def look(self, messages: Sequence[Message], images: Sequence[Image], sampling: Sampling, seed: int) -> Answer:
        """One completion about images, sent in the request; raises as `generate` does."""
        more: dict[str, Any] = {"stop": list(sampling.stop)} if sampling.stop else {}
        if sampling.top_p < 1:
            more["top_p"] = sampling.top_p
        response = await self._ask(chat(messages, images), sampling.temperature, sampling.max_tokens, seed, **more)
        choice = response.choices[0]
        return Answer(
            text=choice.message.content or "",
            prompt_tokens=response.usage.prompt_tokens,
            completion_tokens=response.usage.completion_tokens,
            finish=choice.finish_reason or "stop",
            cost=_cost(response),
        )

    async def label_logprobs(self, messages: Sequence[Message], labels: Sequence[str], seed: int) -> LabelScores:
        """The provider's log-probabilities of the labels' first tokens, or else frequencies of sampled answers.

        Sampled: log((count + 1/2) / (samples + labels/2)), so that a label never drawn keeps a finite score.
        """
        if self._config.top_logprobs:
            response = await self._ask(
                chat(messages), 0.0, 1, seed, logprobs=True, top_logprobs=self._config.top_logprobs
            )
            if top := _top(response):
                return top_scores(top, labels, self.name, response.usage.prompt_tokens, _cost(response))
        return await self._sampled(messages, labels, seed)

    async def close(self) -> None:
        """LiteLLM keeps its connections by itself; close them."""
        if self._library is not None:
            await self._library.close_litellm_async_clients()

    async def _sampled(self, messages: Sequence[Message], labels: Sequence[str], seed: int) -> LabelScores:
        draws = range(self._config.label_samples)
        sampling = Sampling(temperature=1.0, max_tokens=SAMPLE_TOKENS)
        answers = await together(
            self.generate(messages, sampling, integer(seed, "label sample", draw)) for draw in draws
        )
        said = [answer.text.strip() for answer in answers]
        whole = len(said) + len(labels) / 2
        counts = [sum(_names(text, label, labels) for text in said) for label in labels]
        return LabelScores(
            logprobs=tuple(log((count + 0.5) / whole) for count in counts),
            sampled=True,
            prompt_tokens=sum(answer.prompt_tokens for answer in answers),
            cost=sum(answer.cost for answer in answers),
        )

    async def _ask(
        self, messages: Sequence[Mapping[str, Any]], temperature: float, new: int, seed: int, **more: Any
    ) -> Any:
        library = self._load()
        if self._config.api_base:
            more["api_base"] = self._config.api_base
        if self._key:
            more["api_key"] = self._key
        from openai import OpenAIError

        try:
            return await library.acompletion(
                model=self._config.model,
                messages=messages,
                temperature=temperature,
                max_tokens=new,
                seed=seed,
                num_retries=0,
                drop_params=True,
                **more,
            )
        except OpenAIError as error:
            raise self._translated(error) from None  # the cause's own text may hold the key

    def _translated(self, error: Any) -> ModelError:
        status = getattr(error, "status_code", None) or 0
        text = f"{self.name}: {type(error).__name__}: {error}"
        if self._key:
            text = text.replace(self._key, "***")
        if transient(status) or "Connection" in type(error).__name__:
            return TransientModelError(text)
        return final(status, text)

    def _load(self) -> Any:
        if self._library is None:
            os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it fetches a price list
            import litellm

            litellm.telemetry = False
            litellm.suppress_debug_info = True
            self._library = litellm
        return self._library


def _top(response: Any) -> list[tuple[str, float]]:
    logprobs = getattr(response.choices[0], "logprobs", None)
    content = getattr(logprobs, "content", None)
    return [(entry.token, entry.logprob) for entry in content[0].top_logprobs] if content else []


def _cost(response: Any) -> float:
    return float(response._hidden_params.get("response_cost") or 0.0)  # noqa: SLF001 -- where LiteLLM documents it


def _names(text: str, label: str, labels: Sequence[str]) -> bool:
    """Whether the answer begins with this label and with no longer one."""
    return text.startswith(label) and not any(text.startswith(other) for other in labels if len(other) > len(label))
