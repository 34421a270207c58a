"""The tries of a call: slots, rate limits, retries, time-outs; each try is counted and reported."""

import asyncio
from collections.abc import Awaitable, Callable
from copy import copy
from time import perf_counter
from typing import TypeVar

import msgspec

from folkmoot.agents.llm.base import PoolConfig
from folkmoot.agents.llm.counters import Counters
from folkmoot.agents.llm.limits import RateLimit
from folkmoot.agents.llm.slots import Slots
from folkmoot.sim.call_records import Attempt
from folkmoot.sim.errors import FolkmootError, ModelError, TransientModelError
from folkmoot.sim.protocols import Answer, LabelScores
from folkmoot.sim.rng import uniform

OnAttempt = Callable[[Attempt], None]
Result = TypeVar("Result", Answer, LabelScores)


class Tries:
    """Makes the calls of one backend.

    A finished call gives its slot back, and the next waiting call starts, before anything else is done with the answer.

    Args:
        name: of the backend.
        config: its limits.
        seed: names the stream of retry pauses.
        counters: what the calls use is added to them.
    """

    def __init__(self, name: str, config: PoolConfig, seed: int, counters: Counters) -> None:
        self._name, self._config, self._seed, self._counters = name, config, seed, counters
        self._slots = Slots(config.concurrency)
        self._rate = RateLimit(config.requests_per_minute, config.tokens_per_minute)

    def counted_by(self, counters: Counters) -> "Tries":
        """The same slots and rate limits, counted elsewhere."""
        other = copy(self)
        other._counters = counters  # noqa: SLF001 -- of the copy
        return other

    async def __call__(
        self, call: Callable[[], Awaitable[Result]], tokens: Callable[[], int], seed: int, note: OnAttempt
    ) -> Result:
        """The result, after as many tries as it takes and the limits allow.

        Args:
            call: one try.
            tokens: prompt and longest completion; asked only where tokens are limited.
            seed: of the call.
            note: is told of each try.

        Raises:
            ModelError: every try failed, or one failed for good.
        """
        size = tokens() if self._rate.counts_tokens else 0
        number = 0
        while True:
            result, error = await self._try(call, size, number, note)
            if result is not None:
                self._counters.calls += 1
                return result
            assert error is not None
            pause = self.pause(error, number, seed)
            if pause is None:
                self._counters.calls += 1
                self._counters.failed_calls += 1
                raise _final(self._name, error, number + 1)
            self._counters.retries += 1
            await self._wait(asyncio.sleep(pause))
            number += 1

    def pause(self, error: ModelError, number: int, seed: int) -> float | None:
        """Seconds from a failed try to the next; None where there is none."""
        config = self._config
        if not isinstance(error, TransientModelError) or number >= config.retries:
            return None
        asked = error.retry_after_s or 0.0
        if asked > config.retry_after_max_s:
            return None
        limit = min(config.backoff_max_s, config.backoff_s * 2.0**number)
        self._rate.hold(asked)
        return max(asked, limit * (1 + uniform(self._seed, "backoff", seed, number)) / 2)

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
            self._counters.cancelled += 1
            raise
        except TimeoutError:
            error = TransientModelError(f"{self._name}: no answer within pool.timeout_s={self._config.timeout_s} s")
        except ModelError as known:
            error = known
        except FolkmootError:
            raise
        except Exception as unknown:  # noqa: BLE001 -- the pool is where any library's error becomes ours
            error = _translated(self._name, unknown)
        finally:
            latency = perf_counter() - start
            self._counters.in_flight -= 1
            self._slots.release()
        try:
            await asyncio.sleep(0)  # the next waiting call starts here
        finally:
            result = self._book(result, error, latency, number, note)
        return result, error

    def _enter(self) -> None:
        counters = self._counters
        counters.in_flight += 1
        counters.most_in_flight = max(counters.most_in_flight, counters.in_flight)

    async def _wait(self, something: Awaitable[object]) -> None:
        self._counters.waiting += 1
        try:
            await something
        finally:
            self._counters.waiting -= 1

    def _book(
        self, result: Result | None, error: ModelError | None, latency: float, number: int, note: OnAttempt
    ) -> Result | None:
        counters = self._counters
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
        note(attempt(result, number))
        return result


def attempt(result: Answer | LabelScores, number: int) -> Attempt:
    """The record of a try that went well."""
    if isinstance(result, Answer):
        return Attempt(number=number, answer=result, latency=result.latency)
    return Attempt(number=number, scores=result, latency=result.latency)


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
