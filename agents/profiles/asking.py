"""One question to a model: fitted to its window, repaired once, or a reason why it has no answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from folkmoot.agents.profiles.answers import UnusableAnswer, json_object
from folkmoot.agents.profiles.prompts import reading_prompt
from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Answer, LanguageModel, Message, Sampling
from folkmoot.sim.quoting import line
from folkmoot.sim.rng import integer

Read = TypeVar("Read")

FAILED = "the model failed"
TOO_LONG = "too long for the model's window"


@dataclass(frozen=True, slots=True)
class Reply(Generic[Read]):
    """What came of a question: `value`, or None and the `reason`; `repaired` where the second answer was taken."""

    value: Read | None
    reason: str = ""
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks one model.

    Attributes:
        model: who is asked; in a pool with a cache every answer is kept, so that asking again is free.
        max_tokens: of an answer.
        seed: names the calls' seeds; at temperature 0 it changes nothing.
        skip_failures: count a call that failed for good, instead of raising.
    """

    model: LanguageModel
    max_tokens: int
    seed: int
    skip_failures: bool = False

    def fits(self, messages: Sequence[Message]) -> bool:
        """Whether the answer has room beside these messages and, where it must be repaired, another answer."""
        return self.model.count_tokens(messages) + 2 * self.max_tokens <= self.model.window

    async def ask(
        self, messages: Sequence[Message], read: Callable[[Answer], Read], path: tuple[str, str]
    ) -> Reply[Read]:
        """An answer that `read` accepts, the second try included.

        Args:
            messages: that fit.
            read: makes a value of an answer, or raises UnusableAnswer.
            path: (task, user): names the calls' seeds.

        Raises:
            ModelError: a call failed for good, unless `skip_failures`.
        """
        try:
            answer = await self._call(messages, (*path, 0))
            try:
                return Reply(read(answer))
            except UnusableAnswer as fault:
                first = fault
            again = [*messages, Message("assistant", answer.text), _repair(first)]
            return Reply(read(await self._call(again, (*path, 1))), repaired=True)
        except UnusableAnswer as fault:
            return Reply(None, fault.reason)
        except ModelError:
            if not self.skip_failures:
                raise
            return Reply(None, FAILED)

    async def _call(self, messages: Sequence[Message], path: tuple[str | int, ...]) -> Answer:
        sampling = Sampling(temperature=0.0, max_tokens=self.max_tokens)
        return await self.model.generate(messages, sampling, integer(self.seed, "reading", *path))


def _repair(fault: UnusableAnswer) -> Message:
    return Message("user", reading_prompt("repair").render(reason=line(str(fault))[:300]))


def read_object(answer: Answer) -> dict[str, object]:
    """The JSON object of an answer."""
    return json_object(answer.text, finished=answer.finish != "length")
