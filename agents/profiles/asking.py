"""One question to a model: fitted to its window, repaired once, or a reason why it has no answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from folkmoot.agents.profiles.answers import json_object
from folkmoot.agents.profiles.prompts import reading_prompt
from folkmoot.sim.asking import TOO_LONG, Reply, UnusableAnswer, ask
from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Answer, LanguageModel, Message, Sampling
from folkmoot.sim.quoting import line
from folkmoot.sim.rng import integer

__all__ = ["FAILED", "TOO_LONG", "Asker", "Reply", "read_object"]

Read = TypeVar("Read")

FAILED = "the model failed"


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
            return await ask(lambda asked, number: self._call(asked, (*path, number)), messages, read, _repair)
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
