"""The one place where model calls are made: kept answers, shared ones, and the tries of the others (`tries.py`).

Each try is reported, so that the caller can record it.
"""

from collections.abc import Awaitable, Callable, Sequence
from copy import copy

import msgspec

from folkmoot.agents.llm.base import PoolConfig
from folkmoot.agents.llm.cache import AnswerCache, call_key
from folkmoot.agents.llm.counters import Counters
from folkmoot.agents.llm.scoring import joined, parted
from folkmoot.agents.llm.sharing import Sharing
from folkmoot.agents.llm.tries import OnAttempt, Result, Tries, attempt
from folkmoot.agents.llm.vision import IMAGE_TOKENS, image_digests
from folkmoot.sim.call_records import Attempt
from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Answer, LabelScores, LanguageModel, Message, PrefixScorer, Sampling
from folkmoot.sim.together import together
from folkmoot.sim.vision import Image, VisionModel


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
        self._scope = f"{model.name} {scope}"
        self._tries = Tries(model.name, config or PoolConfig(), seed, self.counters)
        self._sharing = Sharing()

    def apart(self) -> "Pool":
        """The same backend with counters of its own: one set of slots, rate limits, kept answers and calls in flight.

        Closing one of the two closes the backend of both.
        """
        other = copy(self)
        other.counters = Counters()
        other._tries = self._tries.counted_by(other.counters)  # noqa: SLF001 -- of the copy
        return other

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

        return await self._answer(call, messages, (), sampling, seed, on_attempt or _unheard)

    @property
    def sees(self) -> bool:
        """Whether the backend takes images, as far as is known."""
        return isinstance(self.model, VisionModel) and self.model.sees

    async def look(
        self,
        messages: Sequence[Message],
        images: Sequence[Image],
        sampling: Sampling,
        seed: int,
        on_attempt: OnAttempt | None = None,
    ) -> Answer:
        """One completion about images; kept by what they hold, limited as `generate` is.

        Raises:
            ModelError: as `generate` does, or the backend takes text alone.
        """
        model = self.model
        if not isinstance(model, VisionModel):
            raise ModelError(f"{self.name} reads text alone; take llm=server or llm=litellm with a model that sees")

        def call() -> Awaitable[Answer]:
            return model.look(messages, images, sampling, seed)

        return await self._answer(call, messages, images, sampling, seed, on_attempt or _unheard)

    async def _answer(
        self,
        call: Callable[[], Awaitable[Answer]],
        messages: Sequence[Message],
        images: Sequence[Image],
        sampling: Sampling,
        seed: int,
        note: OnAttempt,
    ) -> Answer:
        """The kept answer, the one that an equal call in flight brings, or the call's own."""

        def tokens() -> int:
            return self.model.count_tokens(messages) + len(images) * IMAGE_TOKENS + sampling.max_tokens

        if self.cache is None or not self.cache.keeps(sampling):
            return await self._tries(call, tokens, seed, note)
        greedy = sampling.temperature == 0
        key = call_key(self._scope, messages, sampling, None if greedy else seed, image_digests(images))
        if (kept := self.cache.get(key, Answer)) is not None:
            return self._from_cache(kept, note)

        async def ask(tell: OnAttempt) -> Answer:
            answer = await self._tries(call, tokens, seed, tell)
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
        def tokens() -> int:
            return self.model.count_tokens(messages) + 1

        if self.cache is None:
            return await self._tries(call, tokens, seed, note)
        exact, sampled = (call_key(self._scope, messages, tuple(labels), s) for s in (None, seed))
        kept = self.cache.get(exact, LabelScores) or self.cache.get(sampled, LabelScores)
        if kept is not None:
            return self._from_cache(kept, note)
        scores = await self._tries(call, tokens, seed, note)
        self._keep(sampled if scores.sampled else exact, scores)
        return scores

    async def close(self) -> None:
        """Close the cache and the backend."""
        if self.cache is not None:
            self.cache.close()
        await self.model.close()

    def _from_cache(self, kept: Result, note: OnAttempt) -> Result:
        self.counters.calls += 1
        self.counters.cached += 1
        free = _free(kept)
        note(attempt(free, 0))
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
        note(attempt(free, 0))
        return free


def _unheard(_: Attempt) -> None:
    """Where nobody records."""


def _free(result: Result) -> Result:
    """The same result as one that took no time and no money here."""
    return msgspec.structs.replace(result, latency=0.0, cost=0.0)
