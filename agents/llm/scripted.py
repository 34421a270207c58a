"""The scripted model: deterministic, persona-aware, with settable latency and failures.

It ships for users' own tests: same request, same answer, on every machine, without any weights.

>>> import asyncio
>>> from folkmoot.sim.protocols import Message, Sampling
>>> model = ScriptedModel(ScriptedConfig(language="en"))
>>> prompt = [Message("system", "Tone: Confrontational"), Message("user", "Thread title: The bridge")]
>>> first = asyncio.run(model.generate(prompt, Sampling(), seed=1))
>>> first == asyncio.run(model.generate(prompt, Sampling(), seed=1))
True
>>> from folkmoot.agents.llm.phrases import intent
>>> intent(first.text, "en") is not None
True
"""

import asyncio
import logging
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate
from math import exp, log
from time import perf_counter
from typing import Literal, TypeVar

from pydantic import Field

from folkmoot.agents.llm import cues, extraction, picturing, posting, recognition, tasks
from folkmoot.agents.llm.base import BackendConfig
from folkmoot.agents.llm.phrases import ACTS, LANGUAGES, Bank, Phrase, bank
from folkmoot.agents.llm.remote import CHARS_PER_TOKEN, estimated_tokens
from folkmoot.sim.errors import ModelError, TransientModelError
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling
from folkmoot.sim.rng import digest, uniform
from folkmoot.sim.vision import Image

logger = logging.getLogger(__name__)

Thing = TypeVar("Thing")

SENTENCES = {-1: (0.75, 0.95), 0: (0.35, 0.75), 1: (0.05, 0.35)}
"""Length of the persona's comments -> cumulative shares of one and two sentences; the rest has three."""

UNWANTED = {-1: 5, 0: 0, 1: 1}
"""Mood -> the sentiment that such a person doesn't voice."""

CITES = 0.5
"""How often who cites frequently takes a sentence that cites, where there is one."""

JUNK = (
    "",
    "As an AI language model, I cannot take part in this discussion.",
    "]]{{{ 0x7f 0x7f ==== &&& {{{{",
)
"""What `garbage_rate` yields: nothing, AI talk, noise."""


class ScriptedConfig(BackendConfig):
    """Settings of the scripted model.

    Attributes:
        language: ISO 639-1 code to answer in; "" reads it from the prompt.
        latency_s: mean seconds that an answer takes; 0 answers at once.
        latency_jitter: each latency is uniform in latency_s * (1 - jitter .. 1 + jitter).
        transient_rate: chance that a try fails so that another try may help.
        permanent_rate: chance that a call fails for good.
        garbage_rate: chance of an empty, AI-talk or noise answer.
        window: context window in (estimated) tokens.
    """

    backend: Literal["scripted"] = "scripted"
    language: str = ""
    latency_s: float = Field(default=0.0, ge=0)
    latency_jitter: float = Field(default=0.0, ge=0, le=1)
    transient_rate: float = Field(default=0.0, ge=0, lt=1)
    permanent_rate: float = Field(default=0.0, ge=0, le=1)
    garbage_rate: float = Field(default=0.0, ge=0, le=1)
    window: int = Field(default=32_768, gt=0)


class ScriptedModel:
    """A language model that composes comments from a phrase bank.

    Args:
        config: its settings.
        seed: names its random streams; another seed, another model.
    """

    repeatable = True
    name = "scripted"
    sees = True

    def __init__(self, config: ScriptedConfig | None = None, seed: int = 0) -> None:
        self._config = config or ScriptedConfig()
        self._seed = seed
        self._tries: Counter[int] = Counter()
        self.fallbacks: Counter[str] = Counter()
        """Languages without a phrase bank that were asked for -> answers given in English instead."""

    @property
    def window(self) -> int:
        """Context window in estimated tokens."""
        return self._config.window

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """An upper estimate: a third of the characters, and eight for each message's frame."""
        return estimated_tokens(messages)

    async def generate(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Answer:
        """One answer, a pure function of (model seed, messages, seed).

        Raises:
            TransientModelError: at `transient_rate`; asked again, the same call gets a new draw.
            ModelError: at `permanent_rate`.
        """
        return await self._given(messages, sampling, seed, lambda: self._answer(messages, seed))

    async def look(self, messages: Sequence[Message], images: Sequence[Image], sampling: Sampling, seed: int) -> Answer:
        """A caption fixed by the images' bytes, whatever they show; raises as `generate` does."""
        return await self._given(messages, sampling, seed, lambda: picturing.caption(images))

    async def _given(
        self, messages: Sequence[Message], sampling: Sampling, seed: int, say: Callable[[], str]
    ) -> Answer:
        start = perf_counter()
        text = self._garbage(seed)
        text, finish = _cut(say() if text is None else text, sampling)
        answer = Answer(
            text=text,
            prompt_tokens=self.count_tokens(messages),
            completion_tokens=len(text) // CHARS_PER_TOKEN + 1,
            finish=finish,
        )
        await self._wait(seed, start)
        self._fail(seed)
        return answer

    async def label_logprobs(self, messages: Sequence[Message], labels: Sequence[str], seed: int) -> LabelScores:
        """Pseudo log-probabilities: fixed by prompt and label, some 2 % of the mass left to other words."""
        start = perf_counter()
        prompt = _digest(messages)
        logits = [4 * uniform(self._seed, "label", prompt, label) for label in labels]
        norm = log(sum(exp(x) for x in logits)) - log(0.98)
        await self._wait(seed, start)
        self._fail(seed)
        return LabelScores(logprobs=tuple(x - norm for x in logits), prompt_tokens=self.count_tokens(messages))

    async def close(self) -> None:
        """Nothing to free."""

    async def _wait(self, seed: int, start: float) -> None:
        """Sleep until the call has taken its latency, counted from its start."""
        config = self._config
        if config.latency_s:
            swing = 2 * uniform(self._seed, "latency", seed) - 1 if config.latency_jitter else 0.0
            latency = config.latency_s * (1 + config.latency_jitter * swing)
            await asyncio.sleep(max(0.0, start + latency - perf_counter()))

    def _fail(self, seed: int) -> None:
        config = self._config
        if config.permanent_rate and uniform(self._seed, "permanent", seed) < config.permanent_rate:
            raise ModelError(
                f"scripted: call {seed} fails for good (permanent_rate={config.permanent_rate}); "
                "set llm.permanent_rate=0 to have no such failures"
            )
        if config.transient_rate:
            number = self._tries[seed]
            if uniform(self._seed, "transient", seed, number) < config.transient_rate:
                self._tries[seed] += 1
                raise TransientModelError(
                    f"scripted: try {number} of call {seed} fails (transient_rate={config.transient_rate}); "
                    "another try may succeed"
                )
            self._tries.pop(seed, None)

    def _garbage(self, seed: int) -> str | None:
        rate = self._config.garbage_rate
        if not rate or uniform(self._seed, "garbage", seed) >= rate:
            return None
        return JUNK[int(uniform(self._seed, "junk", seed) * len(JUNK))]

    def _language(self, messages: Sequence[Message]) -> str:
        code = self._config.language or cues.language(messages)
        if code in LANGUAGES:
            return code
        if code not in self.fallbacks:
            logger.warning("scripted: no phrases for language %r, answering in English", code)
        self.fallbacks[code] += 1
        return "en"

    def _answer(self, messages: Sequence[Message], seed: int) -> str:
        if not messages:
            raise ModelError("scripted: no messages; give at least one user message")
        draw = _Draws(self._seed, seed, _digest(messages))
        last = cues.scene(messages)
        words = bank(self._language(messages))
        task = tasks.read(last)
        if task.kind == "labels":
            return tasks.name_labels(last, words.language, draw())
        if task.kind == "choice":
            return draw.pick(task.options)
        if task.kind in READ:
            return READ[task.kind](last, words.language)
        if task.kind in {"post", "answer"}:
            return posting.post(messages, words, draw, answers=task.kind == "answer")
        return _talk(task.kind, messages, words, draw)


class _Draws:
    """The uniform draws of one call, one after the other: 32 bits each, four from a digest."""

    def __init__(self, *path: int | str) -> None:
        self._path = path
        self._count = 0
        self._block = b""

    def __call__(self) -> float:
        place = self._count % 4
        if not place:
            self._block = digest(0, "scripted", *self._path, self._count)
        self._count += 1
        return (int.from_bytes(self._block[4 * place : 4 * place + 4], "little") + 0.5) * 2.0**-32

    def pick(self, group: Sequence[Thing]) -> Thing:
        """One of the group, all alike."""
        return group[int(self() * len(group))]


def _talk(kind: tasks.Kind, messages: Sequence[Message], words: Bank, draw: _Draws) -> str:
    """A title, a thread or a comment of a Talk page."""
    topic = cues.topic(cues.scene(messages), words.language)
    if kind == "title":
        return words.fill(draw.pick(words.titles), topic)
    comment = _comment(messages, words, topic, draw)
    if kind == "thread":
        return f"TITLE: {words.fill(draw.pick(words.titles), topic)}\n{comment}"
    return comment


def _comment(messages: Sequence[Message], words: Bank, topic: str, draw: _Draws) -> str:
    block = messages[0].content if len(messages) > 1 else messages[0].content[:4000]
    who = cues.persona(block)
    weights = cues.with_history(who.weights, cues.scene(messages))
    sums = list(accumulate(weights[act] for act in ACTS))
    number = bisect(SENTENCES[who.length], draw()) + 1
    chosen: list[Phrase] = []
    for _ in range(number):
        act = ACTS[bisect(sums, draw() * sums[-1], hi=len(ACTS) - 1)]
        chosen.append(_pick_phrase(words.phrases[act], who, chosen, draw))
    policy = int(draw() * len(words.policies))
    sentences = [words.fill(phrase.text, topic, policy + k) for k, phrase in enumerate(chosen)]
    smile = " \N{SLIGHTLY SMILING FACE}" if who.smiles else ""
    if who.bullets and number > 1:
        return "\n".join(f"* {sentence}" for sentence in sentences) + smile
    return " ".join(sentences) + smile


def _pick_phrase(group: Sequence[Phrase], who: cues.Persona, used: Sequence[Phrase], draw: _Draws) -> Phrase:
    """A phrase not used yet, in the persona's mood; who cites often takes one with a policy every other time."""
    unwanted = UNWANTED[who.mood]
    fit = [phrase for phrase in group if phrase.sentiment != unwanted and phrase not in used]
    citing = [phrase for phrase in fit if "{policy}" in phrase.text] if who.cites else []
    return draw.pick(citing if citing and draw() < CITES else fit)


READ: Mapping[tasks.Kind, Callable[[str, str], str]] = {
    "profile": extraction.profile,
    "traits": lambda prompt, _: extraction.traits(prompt),
    "revision": lambda prompt, _: extraction.revision(prompt),
    "interests": lambda prompt, _: recognition.profile(prompt),
    "signs": lambda prompt, _: recognition.signs(prompt),
    "selection": lambda prompt, _: recognition.selection(prompt),
    "signals": lambda prompt, _: recognition.signals(prompt),
    "calibration": lambda prompt, _: recognition.calibration(prompt),
    "same": lambda prompt, _: recognition.same(prompt),
    "verdict": lambda prompt, _: recognition.verdict(prompt),
    "response": lambda prompt, _: recognition.response(prompt),
}
"""Tasks that are read off the prompt -> what answers them, from (prompt, language)."""


def _cut(text: str, sampling: Sampling) -> tuple[str, str]:
    limit = sampling.max_tokens * CHARS_PER_TOKEN
    return (text[:limit], "length") if len(text) > limit else (text, "stop")


def _digest(messages: Sequence[Message]) -> str:
    text = "\0".join(f"{message.role}\1{message.content}" for message in messages)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
