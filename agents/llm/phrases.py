"""The phrase banks of the scripted model: sentences with known dialog act and sentiment.

One file a language in `phrases/`. A filled slot is always quoted or a wiki link, so `intent` can
read a sentence back exactly: it blanks the slots and looks the sentence up.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

ACTS = ("CRITIQUE", "REQUEST", "REFERENCE", "COMMIT", "REPORT", "INFORM", "ASK", "POSITIVE", "NEGATIVE", "PARTIAL")
"""The ten dialog acts, in the order in which `intent` names them."""

LANGUAGES = ("en", "de", "es", "fr", "it")

TOPIC_CHARS = 60
"""A longer topic is cut at a word."""

_SLOT = re.compile(r"„[^“\n]*“|“[^”\n]*”|«[^»\n]*»|\[\[[^\]\n]*\]\]")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]")
_UNSAFE = re.compile(r"[„“”«»\[\]{}|<>\s]+")
_LEAD = " \t*:#;•-\N{SLIGHTLY SMILING FACE}"


class Phrase(NamedTuple):
    """A sentence, perhaps with the slots {topic} or {policy}; `sentiment` is 1 (very negative) to 5."""

    act: str
    text: str
    sentiment: int


class Bank(NamedTuple):
    """All that the scripted model can say in one language: `phrases` on Talk pages, `feed` on a feed."""

    language: str
    quotes: tuple[str, str]
    fallback_topic: str
    policies: tuple[str, ...]
    titles: tuple[str, ...]
    phrases: Mapping[str, tuple[Phrase, ...]]
    feed: Mapping[str, tuple[Phrase, ...]]
    known: Mapping[str, Phrase]

    def fill(self, text: str, topic: str, policy: int = 0) -> str:
        """The text with its slots filled; `policy` picks one of the policies, modulo their number."""
        opening, closing = self.quotes
        link = f"[[{self.policies[policy % len(self.policies)]}]]"
        return text.replace("{topic}", f"{opening}{topic}{closing}").replace("{policy}", link)


@cache
def bank(language: str) -> Bank:
    """The bank of a language; English for one that has none.

    >>> bank("de").language, bank("pt").language
    ('de', 'en')
    """
    name = language if language in LANGUAGES else "en"
    raw = _read(name)
    phrases, feed = _phrases(raw["acts"]), _phrases(_read("feed")[name])
    return Bank(
        language=name,
        quotes=(raw["quotes"][0], raw["quotes"][1]),
        fallback_topic=raw["fallback_topic"],
        policies=tuple(raw["policies"]),
        titles=tuple(raw["titles"]),
        phrases=phrases,
        feed=feed,
        known={_blank(p.text): p for side in (phrases, feed) for group in side.values() for p in group},
    )


def _read(name: str) -> Any:
    return json.loads((files(__package__) / "phrases" / f"{name}.json").read_text("utf-8"))


def _phrases(raw: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, tuple[Phrase, ...]]:
    return {act: tuple(Phrase(act, text, mark) for text, mark in raw[act]) for act in ACTS}


def slots(text: str) -> list[str]:
    """What stands in the slots of a text, without the marks.

    >>> slots("Please split “Dates”.")
    ['Dates']
    """
    return [found.strip("„“”«»[]") for found in _SLOT.findall(text)]


def safe_topic(topic: str) -> str:
    """A topic that may stand in a slot: one line, no quotes or markup, at most `TOPIC_CHARS` characters.

    >>> safe_topic("The [[bridge]]'s «age»")
    "The bridge 's age"
    """
    clean = _UNSAFE.sub(" ", topic).strip()
    if len(clean) <= TOPIC_CHARS:
        return clean
    return clean[:TOPIC_CHARS].rsplit(" ", 1)[0]


def intent(text: str, language: str) -> tuple[tuple[str, ...], int] | None:
    """Acts and sentiment (1..5) of a text by the scripted model; None if no sentence is from its bank.

    Sentiment is the mean over the recognised sentences, rounded half up.

    >>> intent("I agree with the proposal. Please split “Dates” into history and reception.", "en")
    (('REQUEST', 'POSITIVE'), 4)
    >>> intent("Something else entirely.", "en") is None
    True
    """
    known = bank(language).known
    found = [
        phrase
        for sentence in _SENTENCE.findall(_SLOT.sub("{}", text))
        if (phrase := known.get(sentence.strip(_LEAD))) is not None
    ]
    if not found:
        return None
    said = {phrase.act for phrase in found}
    total = sum(phrase.sentiment for phrase in found)
    return tuple(act for act in ACTS if act in said), (2 * total + len(found)) // (2 * len(found))


def _blank(text: str) -> str:
    return text.replace("{topic}", "{}").replace("{policy}", "{}")
