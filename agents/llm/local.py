"""What models in this process share: prompts as tokens that fit the window, exact scores of labels."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

from folkmoot.agents.llm.scoring import Group, Scoring, label_tokens
from folkmoot.agents.llm.stops import cut
from folkmoot.sim.errors import ModelError
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling


class Chat(Protocol):
    """A tokenizer with its chat template."""

    def plain(self, text: str) -> list[int]:
        """Ids of a text, without any control token."""

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """Ids of a conversation up to where the assistant's answer begins."""

    def count(self, messages: Sequence[Message]) -> int:
        """Length of `prompt(messages)`."""

    def text(self, ids: Sequence[int]) -> str:
        """The text of generated ids."""


class LocalModel(ABC):
    """A model in this process.

    Args:
        chat: its tokenizer.
        window: context window in tokens.
        widest: how far llm.window may be raised, in words.
    """

    def __init__(self, chat: Chat, window: int, widest: str) -> None:
        self._chat, self._window, self._widest = chat, window, widest

    @property
    @abstractmethod
    def name(self) -> str:
        """Backend and model."""

    @property
    def window(self) -> int:
        """Context window in tokens."""
        return self._window

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Exact prompt tokens, chat template included."""
        return self._chat.count(messages)

    async def label_logprobs(self, messages: Sequence[Message], labels: Sequence[str], seed: int) -> LabelScores:
        """Exact log-probabilities of the labels' tokens over the whole vocabulary; the seed plays no part."""
        del seed
        ids = self._fitting(messages)
        scores = await self._scored(Scoring(ids, label_tokens(labels, self._chat.plain)))
        return LabelScores(logprobs=scores, prompt_tokens=len(ids))

    async def label_logprobs_many(
        self, prompts: Sequence[Sequence[Message]], labels: Sequence[str], seed: int
    ) -> list[LabelScores]:
        """As `label_logprobs` for each prompt; what they begin with in common is read once."""
        del seed
        ids = [self._fitting(messages) for messages in prompts]
        found = await self._scored(Group(ids, label_tokens(labels, self._chat.plain)))
        return [LabelScores(logprobs=row, prompt_tokens=len(own)) for row, own in zip(found, ids, strict=True)]

    @abstractmethod
    async def _scored(self, item: Scoring | Group) -> Any:
        """Log-probabilities of the labels behind a prompt, or a row of them behind each of several."""

    def _fitting(self, messages: Sequence[Message]) -> list[int]:
        ids = self._chat.prompt(messages)
        if len(ids) >= self.window:
            raise ModelError(
                f"{self.name}: a prompt of {len(ids)} tokens leaves no room in the window of {self.window}; "
                f"shorten it, or raise llm.window ({self._widest})"
            )
        return ids

    def _within(self, sampling: Sampling, ids: Sequence[int]) -> Sampling:
        """The sampling that what is left of the window allows; stops are looked for in the text."""
        limit = min(sampling.max_tokens, self.window - len(ids))
        return Sampling(temperature=sampling.temperature, max_tokens=limit, top_p=sampling.top_p)

    def _answer(self, ids: Sequence[int], made: Sequence[int], finish: str, sampling: Sampling) -> Answer:
        text = cut(self._chat.text(made), sampling.stop)
        return Answer(text=text, prompt_tokens=len(ids), completion_tokens=len(made), finish=finish)
