"""The baselines: holistic judges (Vanilla and CoT, PRISM appendix B.2) and a pairwise judge. Prompts are ours.

A reply without a readable score is counted, never guessed.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Literal, NamedTuple

from folkmoot.metrics.fidelity.evaluator import Item
from folkmoot.metrics.fidelity.evidence import softmax
from folkmoot.metrics.fidelity.fitting import LABEL_ROOM, fitted
from folkmoot.sim.protocols import LanguageModel, Message, Sampling
from folkmoot.sim.quoting import quote
from folkmoot.sim.rng import integer
from folkmoot.sim.together import together

Method = Literal["vanilla", "cot"]
Points = Literal[5, 7]

RUBRICS: Mapping[int, tuple[str, ...]] = {
    5: (
        "clearly out of character",
        "mostly out of character",
        "neither in nor out of character, or impossible to tell",
        "mostly in character",
        "clearly in character",
    ),
    7: (
        "clearly out of character",
        "mostly out of character",
        "rather out of character",
        "neither in nor out of character, or impossible to tell",
        "rather in character",
        "mostly in character",
        "clearly in character",
    ),
}
"""What the points stand for, from 1 on."""

NEW_TOKENS: Mapping[str, int] = {"vanilla": 8, "cot": 320}
"""Room for an answer."""

_ALONE = re.compile(r"^\W*(?:score\W*)?(\d+)(?:\s*/\s*\d+)?\W*$", re.IGNORECASE)
_LAST = re.compile(r"score\W*[:=]\W*(\d+)", re.IGNORECASE)


class Judged(NamedTuple):
    """A judge's score of an item, None where it gave none, how many answers could not be read, and what was cut."""

    score: float | None
    unreadable: int = 0
    cut: str = ""


class Preferred(NamedTuple):
    """How probable it is that the first reply is the better one, and what was cut to fit the window."""

    first: float
    cut: str = ""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How a judge is asked.

    Attributes:
        method: a number at once, or reasons by dimension first.
        points: of the rubric.
        temperature: 0 asks once; above it the mean of `samples` answers counts.
        samples: answers above temperature 0 (the paper: 3 seeds).
        seed: of the run.
    """

    method: Method = "vanilla"
    points: Points = 5
    temperature: float = 0.0
    samples: int = 3
    seed: int = 0


class Judge:
    """A holistic judge.

    Args:
        model: the judge.
        settings: how it is asked.
    """

    def __init__(self, model: LanguageModel, settings: JudgeSettings | None = None) -> None:
        self.model = model
        self.settings = settings or JudgeSettings()
        self._sampling = Sampling(temperature=self.settings.temperature, max_tokens=NEW_TOKENS[self.settings.method])

    async def score(self, items: Sequence[Item]) -> list[Judged]:
        """Scores in [1, points], in order; None where no answer could be read, or the response is empty.

        Raises:
            ModelError: a call failed past its retries.
        """
        return await together(self._one(item) for item in items)

    async def _one(self, item: Item) -> Judged:
        if not item.response.strip():
            return Judged(None)
        system = Message("system", system_prompt(self.settings.method, self.settings.points))
        messages, cut = _fitting(self.model, system, item, (item.response,), _one_reply, self._sampling.max_tokens)
        draws = self.settings.samples if self.settings.temperature > 0 else 1
        answers = await together(
            self.model.generate(messages, self._sampling, integer(self.settings.seed, "judge", item.id, draw))
            for draw in range(draws)
        )
        scores = [read_score(answer.text, self.settings.method, self.settings.points) for answer in answers]
        read = [score for score in scores if score is not None]
        return Judged(math.fsum(read) / len(read) if read else None, len(scores) - len(read), cut)


def read_score(answer: str, method: Method, points: int) -> int | None:
    r"""The score that an answer states; None where it states none, or one out of bounds.

    >>> read_score(" 4.", "vanilla", 5), read_score("I'd say 4 of 5, maybe 3", "vanilla", 5)
    (4, None)
    >>> read_score("Task framing: fits.\nScore: 6", "cot", 7), read_score("Score: 9", "cot", 7)
    (6, None)
    """
    if method == "cot":
        found = _LAST.findall(answer)
        text = found[-1] if found else ""
    else:
        match = _ALONE.match(answer.strip())
        text = match[1] if match else ""
    return int(text) if text and 1 <= int(text) <= points else None


async def prefer(model: LanguageModel, first: Item, second: Item, seed: int = 0) -> Preferred:
    """Probability that a pairwise judge finds the first response more in character, over both orders of display.

    Above 1/2 the first wins; both items have the persona and the context of `first`.
    """
    one, other = await together(_asked(model, first, a, b, seed) for a, b in ((first, second), (second, first)))
    return Preferred((one.first + 1 - other.first) / 2, one.cut or other.cut)


async def _asked(model: LanguageModel, item: Item, shown: Item, beside: Item, seed: int) -> Preferred:
    system = Message("system", _text("pairwise").strip())
    messages, cut = _fitting(model, system, item, (shown.response, beside.response), _two_replies, LABEL_ROOM)
    scores = await model.label_logprobs(messages, ("1", "2"), integer(seed, "pairwise", shown.id, beside.id))
    return Preferred(softmax(scores.logprobs)[0], cut)


def _fitting(
    model: LanguageModel,
    system: Message,
    item: Item,
    responses: tuple[str, ...],
    replies: Callable[[tuple[str, ...]], str],
    room: int,
) -> tuple[list[Message], str]:
    """A judge's prompt within the window, with room for so many tokens of an answer, and what was cut for it."""

    def messages(context: str, responses: tuple[str, ...]) -> list[Message]:
        return [system, Message("user", _shown(item.space.persona, context, replies(responses)))]

    def fits(context: str, responses: tuple[str, ...]) -> bool:
        return model.count_tokens(messages(context, responses)) + room <= model.window

    found = fitted(item.id, item.context, responses, fits)
    return messages(found.context, found.responses), found.cut


def _one_reply(responses: tuple[str, ...]) -> str:
    return f"The reply:\n{quote(responses[0])}"


def _two_replies(responses: tuple[str, ...]) -> str:
    return "\n\n".join(f"Reply {k}:\n{quote(text)}" for k, text in enumerate(responses, 1))


def _shown(persona: str, context: str, replies: str) -> str:
    before = quote(context) if context.strip() else "(nothing was said before)"
    return f"The person:\n{quote(persona)}\n\nThe conversation before the reply:\n{before}\n\n{replies}"


@cache
def system_prompt(method: Method, points: int) -> str:
    """A judge's instructions with their rubric."""
    rubric = "\n".join(f"{k}: {text}" for k, text in enumerate(RUBRICS[points], start=1))
    return Template(_text(method)).substitute(points=points, rubric=rubric).strip()


@cache
def _text(name: str) -> str:
    return (files("folkmoot.metrics.fidelity") / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
