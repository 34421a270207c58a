"""The one place where model calls are made: limits, retries, time-outs, counters.

A finished call gives its slot back, and the next waiting call starts, before anything else is done
with the answer. Each try is reported, so that the caller can record it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter
from typing import TypeVar

import msgspec

from folkmoot.agents.llm.base import PoolConfig
from folkmoot.agents.llm.cache import AnswerCache, call_key
from folkmoot.agents.llm.counters import Counters
from folkmoot.agents.llm.limits import RateLimit
from folkmoot.agents.llm.scoring import joined, parted
from folkmoot.agents.llm.sharing import Sharing
from folkmoot.agents.llm.slots import Slots
from folkmoot.sim.calls import Attempt
from folkmoot.sim.errors import FolkmootError, ModelError, TransientModelError
from folkmoot.sim.protocols import Answer, LabelScores, LanguageModel, Message, PrefixScorer, Sampling
from folkmoot.sim.rng import uniform
from folkmoot.sim.together import together

OnAttempt = Callable[[Attempt], None]
Result = TypeVar("Result", Answer, LabelScores)


class Pool:
    """Makes the calls of one backend; itself a LanguageModel, so others can be given it as one.

    Args:
        model: the backend.
        config: its limits.
        seed: names the stream of retry pauses.
        cache: kept answers; None where a backend costs nothing.
        scope: what else shapes the backend's answers (its settings): a part of the cache's keys.
    """

    def __init__(
        self,
        model: LanguageModel,
        config: PoolConfig | None = None,
        seed: int = 0,
        cache: AnswerCache | None = None,
        scope: str = "",
    ) -> None:
        self.model = model
        self.counters = Counters()
        self.cache = cache
        self._config = config or PoolConfig()
        self._seed = seed
        self._scope = f"{model.name} {scope}"
        self._slots = Slots(self._config.concurrency)
        self._rate = RateLimit(self._config.requests_per_minute, self._config.tokens_per_minute)
        self._sharing = Sharing()

    @property
    def name(self) -> str:
        """The backend's name."""
        return self.model.name

    @property
    def repeatable(self) -> bool:
        """The backend's promise."""
        return self.model.repeatable

    @property
    def window(self) -> int:
        """The backend's context window in tokens."""
        return self.model.window

    @property
    def tokens(self) -> int:
        """Tokens used so far, for budgets."""
        return self.counters.tokens

    @property
    def cost(self) -> float:
        """US dollars used so far, for budgets."""
        return self.counters.cost

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Prompt tokens by the backend's count."""
        return self.model.count_tokens(messages)

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, seed: int, on_attempt: OnAttempt | None = None
    ) -> Answer:
        """One completion, after as many tries as it takes and the limits allow.

        Raises:
            ModelError: every try failed, or one failed for good.
        """

        def call() -> Awaitable[Answer]:
            return self.model.generate(messages, sampling, seed)

        note = on_attempt or _unheard
        if self.cache is None or not self.cache.keeps(sampling):
            return await self._tries(call, messages, sampling.max_tokens, seed, note)
        greedy = sampling.temperature == 0
        key = call_key(self._scope, messages, sampling, None if greedy else seed)
        if (kept := self.cache.get(key, Answer)) is not None:
            return self._from_cache(kept, note)

        async def ask(tell: OnAttempt) -> Answer:
            answer = await self._tries(call, messages, sampling.max_tokens, seed, tell)
            self._keep(key, answer)
            return answer

        return await self._shared(key, ask, note) if greedy else await ask(note)

    async def label_logprobs(
        self, messages: Sequence[Message], labels: Sequence[str], seed: int, on_attempt: OnAttempt | None = None
    ) -> LabelScores:
        """Scores of the labels; raises as `generate` does."""

        def call() -> Awaitable[LabelScores]:
            return self.model.label_logprobs(messages, labels, seed)

        return await self._scores(call, messages, labels, seed, on_attempt or _unheard)

    async def label_logprobs_many(
        self, prompts: Sequence[Sequence[Message]], labels: Sequence[str], seed: int
    ) -> list[LabelScores]:
        """Scores of the labels after each prompt: one call where the backend reads a shared beginning once."""
        model = self.model
        if not isinstance(model, PrefixScorer):
            return await together(self.label_logprobs(prompt, labels, seed) for prompt in prompts)

        def call() -> Awaitable[LabelScores]:
            return joined(model.label_logprobs_many(prompts, labels, seed))

        messages = [message for prompt in prompts for message in prompt]
        scores = await self._scores(call, messages, [*labels, str(len(prompts))], seed, _unheard)
        return parted(scores, len(labels))

    async def _scores(
        self,
        call: Callable[[], Awaitable[LabelScores]],
        messages: Sequence[Message],
        labels: Sequence[str],
        seed: int,
        note: OnAttempt,
    ) -> LabelScores:
        if self.cache is None:
            return await self._tries(call, messages, 1, seed, note)
        exact, sampled = (call_key(self._scope, messages, tuple(labels), s) for s in (None, seed))
        kept = self.cache.get(exact, LabelScores) or self.cache.get(sampled, LabelScores)
        if kept is not None:
            return self._from_cache(kept, note)
        scores = await self._tries(call, messages, 1, seed, note)
        self._keep(sampled if scores.sampled else exact, scores)
        return scores

    async def close(self) -> None:
        """Close the cache and the backend."""
        if self.cache is not None:
            self.cache.close()
        await self.model.close()

    async def _tries(
        self, call: Callable[[], Awaitable[Result]], messages: Sequence[Message], new: int, seed: int, note: OnAttempt
    ) -> Result:
        tokens = self.model.count_tokens(messages) + new if self._rate.counts_tokens else 0
        number = 0
        while True:
            result, error = await self._try(call, tokens, number, note)
            if result is not None:
                self.counters.calls += 1
                return result
            assert error is not None
            pause = self._pause(error, number, seed)
            if pause is None:
                self.counters.calls += 1
                self.counters.failed_calls += 1
                raise _final(self.name, error, number + 1)
            self.counters.retries += 1
            await self._wait(asyncio.sleep(pause))
            number += 1

    async def _try(
        self, call: Callable[[], Awaitable[Result]], tokens: int, number: int, note: OnAttempt
    ) -> tuple[Result | None, ModelError | None]:
        """One try: its result or its error; both are reported, after the slot has gone to the next call."""
        if self._rate.active:
            await self._wait(self._rate.wait(tokens))
        await self._wait(self._slots.acquire())
        self._enter()
        result: Result | None = None
        error: ModelError | None = None
        start = perf_counter()
        try:
            async with asyncio.timeout(self._config.timeout_s):
                result = await call()
        except asyncio.CancelledError:
            self.counters.cancelled += 1
            raise
        except TimeoutError:
            error = TransientModelError(f"{self.name}: no answer within pool.timeout_s={self._config.timeout_s} s")
        except ModelError as known:
            error = known
        except FolkmootError:
            raise
        except Exception as unknown:  # noqa: BLE001 -- the pool is where any library's error becomes ours
            error = _translated(self.name, unknown)
        finally:
            latency = perf_counter() - start
            self.counters.in_flight -= 1
            self._slots.release()
        try:
            await asyncio.sleep(0)  # the next waiting call starts here
        finally:
            result = self._book(result, error, latency, number, note)
        return result, error

    def _enter(self) -> None:
        counters = self.counters
        counters.in_flight += 1
        counters.most_in_flight = max(counters.most_in_flight, counters.in_flight)

    async def _wait(self, something: Awaitable[object]) -> None:
        self.counters.waiting += 1
        try:
            await something
        finally:
            self.counters.waiting -= 1

    def _book(
        self, result: Result | None, error: ModelError | None, latency: float, number: int, note: OnAttempt
    ) -> Result | None:
        counters = self.counters
        counters.attempts += 1
        if result is None:
            counters.failed_attempts += 1
            note(Attempt(number=number, error=str(error), latency=latency))
            return None
        result = msgspec.structs.replace(result, latency=latency)
        counters.prompt_tokens += result.prompt_tokens
        counters.cost += result.cost
        if isinstance(result, Answer):
            counters.completion_tokens += result.completion_tokens
        note(_attempt(result, number))
        return result

    def _pause(self, error: ModelError, number: int, seed: int) -> float | None:
        """Seconds until the next try; None where there is none."""
        config = self._config
        if not isinstance(error, TransientModelError) or number >= config.retries:
            return None
        asked = error.retry_after_s or 0.0
        if asked > config.retry_after_max_s:
            return None
        limit = min(config.backoff_max_s, config.backoff_s * 2.0**number)
        self._rate.hold(asked)
        return max(asked, limit * (1 + uniform(self._seed, "backoff", seed, number)) / 2)

    def _from_cache(self, kept: Result, note: OnAttempt) -> Result:
        self.counters.calls += 1
        self.counters.cached += 1
        free = _free(kept)
        note(_attempt(free, 0))
        return free

    def _keep(self, key: str, result: Answer | LabelScores) -> None:
        if self.cache is not None:
            self.cache.put(key, result)

    async def _shared(self, key: str, ask: Callable[[OnAttempt], Awaitable[Answer]], note: OnAttempt) -> Answer:
        """Equal greedy prompts in flight make one call; the first caller's record holds its tries."""
        answer, first = await self._sharing.call(key, lambda: ask(note))
        if first:
            return answer
        self.counters.calls += 1
        self.counters.shared += 1
        free = _free(answer)
        note(_attempt(free, 0))
        return free


def _unheard(_: Attempt) -> None:
    """Where nobody records."""


def _attempt(result: Answer | LabelScores, number: int) -> Attempt:
    if isinstance(result, Answer):
        return Attempt(number=number, answer=result, latency=result.latency)
    return Attempt(number=number, scores=result, latency=result.latency)


def _free(result: Result) -> Result:
    """The same result as one that took no time and no money here."""
    return msgspec.structs.replace(result, latency=0.0, cost=0.0)


def _translated(name: str, error: Exception) -> ModelError:
    text = f"{name}: {type(error).__name__}: {error}"
    return TransientModelError(text) if isinstance(error, ConnectionError) else ModelError(text)


def _final(name: str, error: ModelError, tries: int) -> ModelError:
    if not isinstance(error, TransientModelError):
        return error
    wait = f"; it asked to wait {error.retry_after_s:g} s" if error.retry_after_s else ""
    final = ModelError(f"{name}: gave up after {tries} tries{wait}; the last one said: {error}")
    final.__cause__ = error
    return final
