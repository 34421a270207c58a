"""A question whose answer must be usable: read strictly, asked for again once with what was wrong, or a reason."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from folkmoot.sim.protocols import Answer, Message

Read = TypeVar("Read")
Call = Callable[[Sequence[Message], int], Awaitable[Answer]]
"""(messages, number of the try) -> the answer."""

TOO_LONG = "too long for the model's window"


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
