"""What a prompt tells the scripted model: language, topic, persona.

A real model reads such things from the prompt too; so conditions differ in what is said, not only in name.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp
from typing import NamedTuple

from folkmoot.agents.llm.phrases import ACTS, LANGUAGES, bank, safe_topic
from folkmoot.sim.protocols import Message
from folkmoot.sim.rng import uniform

Weights = Mapping[str, float]

USUAL: Weights = dict(zip(ACTS, (1.6, 1.7, 0.9, 0.7, 0.8, 2.0, 1.0, 1.2, 0.8, 0.5), strict=True))
"""Relative frequency of the acts where the prompt says nothing of the persona."""

TRAIT_EFFECTS: Mapping[str, Weights] = {
    "Neutral and procedural": {"INFORM": 1.5, "REPORT": 1.4},
    "Conciliatory and polite": {"POSITIVE": 2.5, "PARTIAL": 1.6, "NEGATIVE": 0.3},
    "Firm and directive": {"REQUEST": 2.0, "NEGATIVE": 1.3},
    "Confrontational": {"NEGATIVE": 4.0, "CRITIQUE": 2.5, "POSITIVE": 0.2},
    "Actively seeks compromise": {"PARTIAL": 3.0, "POSITIVE": 1.4},
    "Willing to compromise with conditions": {"PARTIAL": 2.5},
    "Defends position until consensus shifts": {"NEGATIVE": 1.8},
    "Prioritizes enforcement over consensus": {"REPORT": 1.8, "NEGATIVE": 1.4},
    "Explicit endorsement with reasoning": {"POSITIVE": 1.5, "INFORM": 1.3},
    "Brief affirmation": {"POSITIVE": 1.5},
    "Conditional agreement": {"PARTIAL": 2.0},
    "Agreement with modification proposal": {"REQUEST": 1.3, "PARTIAL": 1.5},
    "Clarification-seeking": {"ASK": 3.0},
    "Policy-based objection": {"CRITIQUE": 1.6, "REFERENCE": 1.5},
    "Assertion of violation": {"CRITIQUE": 2.0, "NEGATIVE": 1.5},
    "Compromise-oriented": {"PARTIAL": 1.8},
    "De-escalation-focused": {"POSITIVE": 1.5, "NEGATIVE": 0.5},
    "Personal knowledge or expertise claims": {"INFORM": 2.0},
    "Citation of Wikipedia policies or guidelines": {"REFERENCE": 1.8},
    "External reliable sources": {"REFERENCE": 2.5},
    "Article text excerpts or diffs": {"CRITIQUE": 1.4},
    "Proposes specific edits": {"REQUEST": 2.0},
    "Performs edits and reports them": {"REPORT": 3.0, "COMMIT": 1.8},
    "Requests others to edit": {"REQUEST": 2.2},
    "Recommends reverts or closures": {"REQUEST": 1.5, "NEGATIVE": 1.3},
    "Question-led structure": {"ASK": 2.5},
    "Action-oriented closings": {"COMMIT": 1.6, "REQUEST": 1.3},
}
"""Trait value (of `sim.persona.TRAITS`), found as text in the prompt -> factors on the acts' weights."""

WARM = ("Conciliatory and polite", "De-escalation-focused", "Polite or hedging language")
COLD = ("Confrontational", "Assertion of violation", "Assertive or directive language")

NAMES = {
    "English": "en",
    "German": "de",
    "Deutsch": "de",
    "Spanish": "es",
    "español": "es",
    "French": "fr",
    "français": "fr",
    "Italian": "it",
    "italiano": "it",
    **{name: name.lower() for name in ("Portuguese", "Dutch", "Polish", "Russian", "Swedish", "Turkish", "Japanese")},
}
"""Language names as prompts write them -> code; a name in lower case where there is no phrase bank."""

_FREQUENT = {
    "en": ("the", "and", "of", "is"),
    "de": ("der", "und", "die", "ist"),
    "es": ("el", "los", "que", "una"),
    "fr": ("les", "des", "est", "une"),
    "it": ("il", "che", "della", "di"),
}
_LABELLED = re.compile(
    r"\W*(thread|section|heading|title|topic|subject|discussion|article|page)[a-z ]{0,12}[:=]+\s*(\S.*)", re.IGNORECASE
)
_HEADING = re.compile(r"\s*==+\s*(.+?)\s*==+\s*$")
_WRITE_IN = re.compile(r"\b(?:write|answer|reply) in \w+", re.IGNORECASE)
_THANKS = ("hank", "anke", "erci", "racias", "razie")
_TAIL = 600
_QUOTED = 4000


class Persona(NamedTuple):
    """How the person of a prompt talks.

    Attributes:
        weights: relative frequency of each act.
        length: -1 short, 0 usual, 1 long comments.
        mood: -1 cold, 0 neutral, 1 warm.
        bullets, smiles, cites: style flags.
    """

    weights: Weights
    length: int
    mood: int
    bullets: bool
    smiles: bool
    cites: bool


@lru_cache(maxsize=4096)
def persona(block: str) -> Persona:
    """The persona of a prompt's persona block; cached, because an agent's block stays the same."""
    weights = {act: weight * exp(uniform(0, "persona", act, block) - 0.5) for act, weight in USUAL.items()}
    for value, factors in TRAIT_EFFECTS.items():
        if value in block:
            for act, factor in factors.items():
                weights[act] *= factor
    return Persona(
        weights=weights,
        length=("Long, detailed comments" in block) - ("Short, concise comments" in block),
        mood=any(value in block for value in WARM) - any(value in block for value in COLD),
        bullets="Bullet-pointed structure" in block,
        smiles="Includes emojis or informal symbols" in block,
        cites="Frequent explicit citation" in block,
    )


def with_history(weights: Weights, text: str) -> Weights:
    """Weights moved by what the prompt quotes: questions, links, thanks and exclamations."""
    text = text[-_QUOTED:]
    size = max(len(text), 500) / 1000
    marks = {
        "ASK": text.count("?"),
        "REFERENCE": text.count("[[") + text.count("http"),
        "NEGATIVE": text.count("!"),
        "POSITIVE": sum(text.count(word) for word in _THANKS),
    }
    return {act: weight * (1 + min(1.0, marks.get(act, 0) / (4 * size))) for act, weight in weights.items()}


def scene(messages: Sequence[Message]) -> str:
    """The message that shows the scene: the last one, or the first user message where the model is asked again."""
    if len(messages) > 2 and messages[-2].role == "assistant":  # noqa: PLR2004 -- scene, answer, request to repair
        return next((message.content for message in messages if message.role == "user"), "")
    return messages[-1].content if messages else ""


def language(messages: Sequence[Message]) -> str:
    """The language to answer in: the one named last in the instruction, or else in the system message.

    Where none is named, the one of the scene's most frequent words. May be a name such as
    "portuguese": then there is no bank for it.
    """
    last = scene(messages)
    return _named(last[-_TAIL:]) or (_told(messages[0].content) if messages else "") or _by_words(last)


def _named(text: str) -> str:
    places = [(text.rfind(name), name) for name in NAMES if name in text]
    return NAMES[max(places)[1]] if places else ""


@lru_cache(maxsize=4096)
def _told(system: str) -> str:
    order = _WRITE_IN.search(system)
    return _named(order[0] if order else system)


def _by_words(text: str) -> str:
    words = Counter(text[-4 * _TAIL :].lower().split())
    votes = {code: sum(words[w] for w in frequent) for code, frequent in _FREQUENT.items()}
    return max(LANGUAGES, key=votes.__getitem__)


def topic(text: str, code: str) -> str:
    """What the talk is about: the thread's title, else the article's, else "this section" in that language."""
    article = ""
    for line in text.splitlines():
        if ":" in line[:32] or line.startswith("=="):
            found = _LABELLED.match(line)
            if found and found[1].lower() in ("article", "page"):
                article = article or safe_topic(found[2])
            elif found or (found := _HEADING.match(line)):
                return safe_topic(found[found.lastindex or 0]) or bank(code).fallback_topic
    return article or bank(code).fallback_topic
