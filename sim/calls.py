"""Model calls, recorded beside the log and answered from the record on a re-run.

A call is recorded under (agent, activation, call, attempt). On a re-run the prompt's hash is checked,
never used as the key: another prompt under the same key means that the run took another way.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from folkmoot.sim.call_records import Attempt, CallRecord, Key, Known, encode, prompt_hash, read_known
from folkmoot.sim.errors import ModelError, ReplayMismatch
from folkmoot.sim.log import Appender, repair_tail
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling
from folkmoot.sim.rng import integer

DUE: ContextVar[int] = ContextVar("due", default=0)
"""Simulated time at which the current turn commits; a pool gives its slots to the earliest first."""


class ModelPool(Protocol):
    """What makes the calls: retries, limits and time-outs are its business."""

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, seed: int, on_attempt: Callable[[Attempt], None]
    ) -> Answer:
        """One completion; raises ModelError past its retries."""

    async def label_logprobs(
        self, messages: Sequence[Message], labels: Sequence[str], seed: int, on_attempt: Callable[[Attempt], None]
    ) -> LabelScores:
        """Scores of the labels; raises ModelError past its retries."""


class NoModel:
    """The pool of a replay: every call must be in the record."""

    async def generate(self, *_: object) -> Answer:
        """Refuse."""
        raise ReplayMismatch("the record holds no answer to this call; a replay makes none: use `folkmoot resume`")

    async def label_logprobs(self, *_: object) -> LabelScores:
        """Refuse."""
        raise ReplayMismatch("the record holds no scores for this call; a replay makes none: use `folkmoot resume`")


Result = TypeVar("Result", Answer, LabelScores)


class Caller:
    """Answers calls: from the record where there is one, else through the pool, recording each attempt.

    Args:
        pool: makes the calls that aren't recorded.
        path: calls.jsonl; None records nothing (benchmarks of the bare kernel).
        seed: the run's seed; every call gets its own from (seed, agent, activation, call).
        final_failures: record a failure past the retries as final (`on_failure=abstain`).
        keep_prompts: write the prompts into the record.
        read_only: a replay; the file isn't opened for writing.
        branched: the record is another run's, which this one leaves at some event: where it has another prompt, the
            call is made anew. Up to that event the log itself is compared.

    Attributes:
        replayed: answers taken from the record so far; `replayed_tokens` (prompt and completion) and
            `replayed_cost` (US dollars) are what they had cost when they were made.
        notice: what had to be repaired, in words.
    """

    def __init__(
        self,
        pool: ModelPool,
        path: Path | None,
        seed: int,
        *,
        final_failures: bool = False,
        keep_prompts: bool = True,
        read_only: bool = False,
        branched: bool = False,
    ) -> None:
        self._pool = pool
        self._branched = branched
        self._seed = seed
        self._final = final_failures
        self._keep = keep_prompts
        self.notice = repair_tail(path) if path and not read_only else None
        self._known = read_known(path) if path else {}
        self._out = Appender(path) if path and not read_only else None
        self.replayed = 0
        self.replayed_tokens = 0
        self.replayed_cost = 0.0

    async def generate(self, key: Key, messages: Sequence[Message], sampling: Sampling) -> Answer:
        """One completion.

        Raises:
            ModelError: the call failed past its retries.
            ReplayMismatch: the recorded call had another prompt.
        """
        return await self._answered(
            key,
            messages,
            sampling,
            lambda record: record.answer,
            lambda seed, note: self._pool.generate(messages, sampling, seed, note),
        )

    async def label_logprobs(self, key: Key, messages: Sequence[Message], labels: Sequence[str]) -> LabelScores:
        """Scores of the labels; raises as `generate` does."""
        return await self._answered(
            key,
            messages,
            labels,
            lambda record: record.scores,
            lambda seed, note: self._pool.label_logprobs(messages, labels, seed, note),
        )

    async def _answered(
        self,
        key: Key,
        messages: Sequence[Message],
        extra: object,
        part: Callable[[Known], Result | None],
        ask: Callable[[int, Callable[[Attempt], None]], Awaitable[Result]],
    ) -> Result:
        """The record's answer, where it holds one, else the pool's."""
        hashed = prompt_hash(messages, extra)
        record = self._recorded(key, hashed)
        known = None if record is None else part(record)
        if known is not None:
            self._count(known)
            return known
        seed = integer(self._seed, *key)
        note, done = self._recorder(key, hashed, seed, messages)
        try:
            result = await ask(seed, note)
        except ModelError as error:
            done(str(error))
            raise
        done(None)
        return result

    def _recorded(self, key: Key, hashed: str) -> Known | None:
        record = self._known.pop(key, None)
        if record is None or (self._branched and record.prompt != hashed):
            return None
        if record.prompt != hashed:
            raise ReplayMismatch(
                f"call {key[2]} of activation {key[1]} of {key[0]!r} asked with prompt {hashed}, "
                f"the record holds {record.prompt}; prompts, config or corpus have changed since"
            )
        self.replayed += 1
        if record.error is not None:
            raise ModelError(record.error)
        return record

    def _count(self, known: Answer | LabelScores) -> None:
        self.replayed_tokens += known.prompt_tokens + getattr(known, "completion_tokens", 0)
        self.replayed_cost += known.cost

    def _recorder(
        self, key: Key, hashed: str, seed: int, messages: Sequence[Message]
    ) -> tuple[Callable[[Attempt], None], Callable[[str | None], None]]:
        """Collects attempts; writes each as soon as the next one (or the end) shows whether it was the last."""
        waiting: list[Attempt] = []

        def write(attempt: Attempt, *, final: bool) -> None:
            if self._out is None:
                return
            self._out.write(
                encode(
                    CallRecord(
                        agent=key[0],
                        activation=key[1],
                        call=key[2],
                        attempt=attempt.number,
                        prompt=hashed,
                        seed=seed,
                        answer=attempt.answer,
                        scores=attempt.scores,
                        error=attempt.error,
                        final=final,
                        latency=round(attempt.latency, 6),
                        messages=tuple(messages) if self._keep else None,
                    )
                )
                + b"\n"
            )

        def note(attempt: Attempt) -> None:
            if waiting:
                write(waiting.pop(), final=False)
            if attempt.error is None:
                write(attempt, final=False)
            else:
                waiting.append(attempt)

        def done(error: str | None) -> None:
            if waiting:
                last = waiting.pop()
                final = self._final and error is not None
                write(msgspec.structs.replace(last, error=error or last.error), final=final)

        return note, done

    def sync(self) -> None:
        """Force the records to the disk: before the log's events that rest on them."""
        if self._out:
            self._out.sync()

    def close(self) -> None:
        """Sync and close; may be called twice."""
        if self._out:
            self._out.close()
