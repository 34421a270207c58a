"""A thin client for OpenAI-compatible servers: chat completions and their top log-probabilities."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from urllib.parse import urlsplit

import aiohttp
import msgspec
from pydantic import Field, field_validator

from folkmoot.agents.llm.base import BackendConfig
from folkmoot.agents.llm.remote import estimated_tokens, final, key_from, transient
from folkmoot.agents.llm.toplabels import top_scores
from folkmoot.agents.llm.vision import chat
from folkmoot.sim.errors import ConfigError, ModelError, TransientModelError
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling
from folkmoot.sim.vision import Image

SHOWN = 200
"""Characters of a server's error text that are repeated in ours."""


class ServerConfig(BackendConfig):
    """Settings of the client.

    Attributes:
        url: base address, up to and including /v1.
        model: name that the server knows the model by.
        api_key_env: NAME of the environment variable that holds the key; "" for none. Never the key itself.
        window: context window in tokens.
        top_logprobs: how many tokens' log-probabilities the server gives at most.
        deterministic: the server promises equal answers to equal requests, at any load.
        extra: further fields of the request body.
    """

    backend: Literal["server"] = "server"
    url: str = "http://127.0.0.1:8000/v1"
    model: str = "default"
    api_key_env: str = ""
    window: int = Field(default=8192, gt=0)
    top_logprobs: int = Field(default=20, ge=1)
    deterministic: bool = False
    extra: dict[str, Any] = Field(default_factory=dict)

    @field_validator("url")
    @classmethod
    def _http(cls, url: str) -> str:
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"llm.url={url!r} isn't an http address; give one such as http://127.0.0.1:8000/v1")
        return url.rstrip("/")


class _Top(msgspec.Struct):
    token: str
    logprob: float


class _Token(msgspec.Struct):
    top_logprobs: list[_Top] = []


class _Logprobs(msgspec.Struct):
    content: list[_Token] | None = None


class _Said(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Said
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


_decode = msgspec.json.Decoder(_Completion).decode
_encode = msgspec.json.Encoder().encode


class ServerModel:
    """A model behind an OpenAI-compatible server.

    Args:
        config: its settings.

    Raises:
        ModelMissing: the named environment variable isn't set.

    Attributes:
        sees: always: whether the model takes images only the server knows.
    """

    sees = True

    def __init__(self, config: ServerConfig) -> None:
        self._config = config
        self._headers = {"Content-Type": "application/json"} | _authorization(config.api_key_env)
        self._session: aiohttp.ClientSession | None = None

    @property
    def name(self) -> str:
        """Backend, model and the server's host: the same name may stand for another model elsewhere."""
        return f"server/{self._config.model}@{urlsplit(self._config.url).hostname}"

    @property
    def repeatable(self) -> bool:
        """What the configuration promises."""
        return self._config.deterministic

    @property
    def window(self) -> int:
        """Context window in tokens."""
        return self._config.window

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """An upper estimate: a third of the characters, and eight for each message's frame."""
        return estimated_tokens(messages)

    async def generate(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Answer:
        """One chat completion.

        Raises:
            TransientModelError: 408, 409, 429, 5xx, a time-out, a broken connection or an unreadable answer.
            ModelError: any other refusal.
        """
        return await self.look(messages, (), sampling, seed)

    async def look(self, messages: Sequence[Message], images: Sequence[Image], sampling: Sampling, seed: int) -> Answer:
        """One chat completion about images, sent in the request; raises as `generate` does."""
        body = self._body(messages, sampling.temperature, sampling.max_tokens, seed, images)
        if sampling.top_p < 1:
            body["top_p"] = sampling.top_p
        if sampling.stop:
            body["stop"] = sampling.stop
        completion = await self._post(body)
        choice, usage = completion.choices[0], completion.usage or _Usage()
        return Answer(
            text=choice.message.content or "",
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            finish=choice.finish_reason or "stop",
        )

    async def label_logprobs(self, messages: Sequence[Message], labels: Sequence[str], seed: int) -> LabelScores:
        """Log-probabilities of the labels' first tokens among the server's top ones.

        Raises:
            ModelError: as `generate` does; the server gives no log-probabilities; two labels begin alike.
        """
        body = self._body(messages, 0.0, 1, seed)
        body |= {"logprobs": True, "top_logprobs": self._config.top_logprobs}
        completion = await self._post(body)
        logprobs = completion.choices[0].logprobs
        if not logprobs or not logprobs.content or not logprobs.content[0].top_logprobs:
            raise ModelError(
                f"{self.name}: the server gave no log-probabilities; use a backend that does, or llm=litellm"
            )
        top = [(entry.token, entry.logprob) for entry in logprobs.content[0].top_logprobs]
        return top_scores(top, labels, self.name, (completion.usage or _Usage()).prompt_tokens)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _body(
        self,
        messages: Sequence[Message],
        temperature: float,
        new: int,
        seed: int,
        images: Sequence[Image] = (),
    ) -> dict[str, Any]:
        return {
            "model": self._config.model,
            "messages": chat(messages, images),
            "temperature": temperature,
            "max_tokens": new,
            "seed": seed,
        } | self._config.extra

    async def _post(self, body: Mapping[str, Any]) -> _Completion:
        if self._session is None:
            # The pool bounds calls and time; the session only keeps connections.
            connector, timeout = aiohttp.TCPConnector(limit=0), aiohttp.ClientTimeout(total=None)
            self._session = aiohttp.ClientSession(connector=connector, timeout=timeout)
        url = f"{self._config.url}/chat/completions"
        try:
            async with self._session.post(url, data=_encode(body), headers=self._headers) as response:
                data = await response.read()
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise TransientModelError(
                f"{self.name}: no answer from {self._config.url} ({type(error).__name__}: {error}); "
                "is the server running?"
            ) from error
        if response.status != 200:  # noqa: PLR2004 -- HTTP's "OK"
            raise self._refusal(response.status, response.headers, data)
        try:
            completion = _decode(data)
        except msgspec.MsgspecError as error:
            raise TransientModelError(f"{self.name}: unreadable answer {data[:SHOWN]!r} ({error})") from error
        if not completion.choices:
            raise TransientModelError(f"{self.name}: an answer without a choice: {data[:SHOWN]!r}")
        return completion

    def _refusal(self, status: int, headers: Mapping[str, str], data: bytes) -> ModelError:
        text = f"{self.name}: HTTP {status} from {self._config.url}: {_hidden(data, self._headers)}"
        if transient(status):
            return TransientModelError(text, _seconds(headers.get("Retry-After")))
        return final(status, text)


def _authorization(variable: str) -> dict[str, str]:
    key = key_from(variable)
    return {"Authorization": f"Bearer {key}"} if key else {}


def _hidden(data: bytes, headers: Mapping[str, str]) -> str:
    """The beginning of an error text; a key that the server repeats is taken out."""
    text = data.decode("utf-8", "replace")
    key = headers.get("Authorization", "").removeprefix("Bearer ")
    return (text.replace(key, "***") if key else text)[:SHOWN]


def _seconds(retry_after: str | None) -> float | None:
    """The header's seconds; its other form, a date, is left to our own pauses."""
    try:
        return max(0.0, float(retry_after)) if retry_after else None
    except ValueError:
        return None
