"""A question about one item; in a pool with a cache its answer is kept, so that asking again is free."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from folkmoot.sim.asking import Reply, UnusableAnswer, ask
from folkmoot.sim.protocols import Answer, LanguageModel, Message, Sampling
from folkmoot.sim.quoting import line
from folkmoot.sim.rng import integer

Read = TypeVar("Read")
Generate = Callable[[Sequence[Message], Sampling, int], Awaitable[Answer]]

OBJECT = "the whole JSON object"
LONGEST_FAULT = 300


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks one model about the items of a pass.

    Attributes:
        stage: with an item's id it names the calls' seeds.
        wanted: what the model is to give again where its answer can't be used.
    """

    model: LanguageModel
    stage: str
    seed: int = 0
    wanted: str = OBJECT

    def fits(self, messages: Sequence[Message], tokens: int) -> bool:
        """Whether an answer of so many tokens and the one that may repair it fit the window beside the question."""
        return self.model.count_tokens(messages) + 2 * tokens <= self.model.window

    async def ask(
        self,
        item: str,
        messages: Sequence[Message],
        tokens: int,
        read: Callable[[Answer], Read],
        generate: Generate | None = None,
    ) -> Reply[Read]:
        """An answer that `read` accepts, asked for again once.

        Args:
            item: its id.
            messages: the question.
            tokens: of an answer, at most.
            read: makes a value of an answer, or raises UnusableAnswer.
            generate: how the model is asked; None: by its `generate`.

        Raises:
            ModelError: the call failed for good.
        """
        made = generate or self.model.generate

        async def call(asked: Sequence[Message], number: int) -> Answer:
            return await made(asked, Sampling(max_tokens=tokens), integer(self.seed, self.stage, item, number))

        return await ask(call, messages, read, self._again)

    def _again(self, fault: UnusableAnswer) -> Message:
        told = line(str(fault))[:LONGEST_FAULT].replace(">", " ")
        return Message("user", f"That cannot be used: {told}. Give {self.wanted} again, corrected, nothing else.")
