"""A language model as annotator: labels out, separated by commas; anything else is a counted parse failure.

The model sees the thread's title, up to two preceding comments and the target (Wiki-Talkie paper, section on dialog
acts); prompts are ours, in prompts/. Community text is quoted line by line: nothing in it can end the quotation.
"""

import re
import sys
from collections.abc import Sequence
from copy import copy
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from string import Template
from typing import Self

from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS, Counted, Labels, in_order
from folkmoot.sim.protocols import LanguageModel, Message, Sampling, Utterance
from folkmoot.sim.quoting import quote
from folkmoot.sim.rng import integer
from folkmoot.sim.together import together

_SAMPLING = Sampling(temperature=0.0, max_tokens=48)
_LONGEST = 6_000
_LONGEST_BEFORE = 1_500


class _Prompted(Counted):
    """Args: model: asked once an utterance, all of a batch at once; the model's own pool bounds what is in flight."""

    name: str
    prompt: str
    labels: tuple[str, ...]
    context = 2

    def __init__(self, model: LanguageModel) -> None:
        super().__init__()
        self._model = model

    def reading(self, width: int | None) -> Self:
        """The same annotator with so many preceding comments in its prompt; None: all that there are."""
        other = copy(self)
        other.context = sys.maxsize if width is None else width
        return other

    @property
    def version(self) -> str:
        """Model and hash of the prompt."""
        digest = blake2b(prompt(self.prompt).encode(), digest_size=6).hexdigest()
        wider = "" if self.context == type(self).context else f"/context {self.context}"
        return f"1/{digest}/{self._model.name}{wider}"

    async def annotate(self, batch: Sequence[Utterance]) -> list[Labels | None]:
        """Labels, None where the answer wasn't a list of labels.

        Raises:
            ModelError: a call failed past its retries.
        """
        return await together(map(self._one, batch))

    async def _one(self, utterance: Utterance) -> Labels | None:
        messages = [Message("system", prompt(self.prompt)), Message("user", self._shown(utterance))]
        seed = integer(0, self.name, utterance.text.encode("utf-8", "replace").decode())
        answer = await self._model.generate(messages, _SAMPLING, seed)
        labels = self.parse(answer.text)
        if labels is None:
            self.count("parse failure")
        return labels

    def parse(self, answer: str) -> Labels | None:
        """The labels of an answer; None unless it is a list of known labels, in any case, and nothing else."""
        found = [part.strip().strip("\"'`*.").strip() for part in answer.strip().split(",")]
        spelled = {label.lower(): label for label in self.labels}
        named = [spelled.get(re.sub(r"[_\s]+", " ", part).lower()) for part in found]
        known = [label for label in named if label is not None]
        return in_order(known, self.labels) if known and len(known) == len(named) else None

    def _shown(self, utterance: Utterance) -> str:
        before = utterance.context[max(0, len(utterance.context) - self.context) :]
        shown = [f"Thread title:\n{self._quoted(utterance.title, 300)}"]
        shown += [f"Earlier comment:\n{self._quoted(text, _LONGEST_BEFORE)}" for text in before]
        shown.append(f"Comment to label:\n{self._quoted(utterance.text, _LONGEST)}")
        return "\n\n".join([*shown, "Labels:"])

    def _quoted(self, text: str, longest: int) -> str:
        clean = text.encode("utf-8", "replace").decode()
        if len(clean) > longest:
            self.count("text cut for the prompt")
        return quote(clean[:longest])


class PromptedActs(_Prompted):
    """Ten acts by a language model."""

    name = "llm-acts"
    prompt = "acts"
    labels = ACTS


class PromptedSentiment(_Prompted):
    """Five points by a language model; several labels in one answer are a parse failure."""

    name = "llm-sentiment"
    prompt = "sentiment"
    labels = SENTIMENTS

    def parse(self, answer: str) -> Labels | None:
        """The one label of an answer, else None."""
        labels = super().parse(answer)
        return labels if labels is not None and len(labels) == 1 else None


@cache
def prompt(name: str) -> str:
    """A system prompt, with the labels filled in."""
    text = (files("folkmoot.metrics.annotators") / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(acts=", ".join(ACTS), points=", ".join(SENTIMENTS)).strip()
