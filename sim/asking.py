"""A question whose answer must be usable: read strictly, asked for again once with what was wrong, or a reason."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Answer, LanguageModel, Message, Sampling
from folkmoot.sim.rng import integer

Read = TypeVar("Read")
Call = Callable[[Sequence[Message], int], Awaitable[Answer]]
"""(messages, number of the try) -> the answer."""

Generate = Callable[[Sequence[Message], Sampling, int], Awaitable[Answer]]
"""(messages, sampling, seed) -> the answer."""

TOO_LONG = "too long for the model's window"
FAILED = "the model failed"


class UnusableAnswer(ValueError):
    """An answer can't be used; `reason` is a class of faults to count by, the message says more to the model."""

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message or reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Reply(Generic[Read]):
    """What came of a question.

    Attributes:
        value: None where no answer could be used.
        reason: why there is none.
        repaired: the second answer was taken.
        told: what was wrong with the last answer, in words; "" where there is a value.
    """

    value: Read | None
    reason: str = ""
    repaired: bool = False
    told: str = ""


async def ask(
    call: Call,
    messages: Sequence[Message],
    read: Callable[[Answer], Read],
    repair: Callable[[UnusableAnswer], Message],
) -> Reply[Read]:
    """An answer that `read` accepts, the second try included.

    Args:
        call: asks the model.
        messages: the question.
        read: makes a value of an answer, or raises UnusableAnswer.
        repair: tells the model what was wrong.

    Raises:
        ModelError: the call failed for good.
    """
    answer = await call(messages, 0)
    try:
        return Reply(read(answer))
    except UnusableAnswer as fault:
        again = [*messages, Message("assistant", answer.text), repair(fault)]
    try:
        return Reply(read(await call(again, 1)), repaired=True)
    except UnusableAnswer as fault:
        return Reply(None, fault.reason, told=str(fault))


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks one model; in a pool with a cache every answer is kept, so that asking again is free.

    Attributes:
        model: who is asked.
        max_tokens: of an answer.
        seed: names the calls' seeds, with the stage and a question's path; at temperature 0 it changes nothing.
        stage: what the questions are for.
        repair: tells the model what was wrong.
        skip_failures: count a call that failed for good, instead of raising.
    """

    model: LanguageModel
    max_tokens: int
    seed: int
    stage: str
    repair: Callable[[UnusableAnswer], Message]
    skip_failures: bool = False

    def fits(self, messages: Sequence[Message]) -> bool:
        """Whether the answer has room beside these messages and, where it must be repaired, another answer."""
        return self.model.count_tokens(messages) + 2 * self.max_tokens <= self.model.window

    async def ask(
        self,
        messages: Sequence[Message],
        read: Callable[[Answer], Read],
        path: tuple[str, ...],
        generate: Generate | None = None,
    ) -> Reply[Read]:
        """An answer that `read` accepts, the second try included.

        Args:
            messages: that fit.
            read: makes a value of an answer, or raises UnusableAnswer.
            path: of the question: an item, or a task and a user.
            generate: how the model is asked; None: by its `generate`.

        Raises:
            ModelError: a call failed for good, unless `skip_failures`.
        """
        made, sampling = generate or self.model.generate, Sampling(max_tokens=self.max_tokens)

        async def call(asked: Sequence[Message], number: int) -> Answer:
            return await made(asked, sampling, integer(self.seed, self.stage, *path, number))

        try:
            return await ask(call, messages, read, self.repair)
        except ModelError:
            if not self.skip_failures:
                raise
            return Reply(None, FAILED)
