"""What an open-ended profile says of a person's character, as short cues for the label texts.

Cues come from the lines that state a personality, from the part on the way of speaking, and from the eight
Talk-page traits, whose values each language words in its own way (`phrases`); where a profile has none of these,
its first sentences are the cues.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from folkmoot.metrics.fidelity.wording import DIMENSIONS, phrases
from folkmoot.sim.persona import NOT_DEDUCIBLE, TRAITS, Persona

MOST_CUES = 4
"""Cues in one label text, at most."""

MOST_WORDS = 24
"""Words of one label text's cues, at most: label texts of a prompt stay short beside what they judge."""

TRAIT_DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "task_framing": ("editing_behavior", "informing_strategy", "policy_usage"),
    "interpersonal_stance": (
        "tone_management",
        "consensus_orientation",
        "disagreement_strategy",
        "agreement_strategy",
    ),
    "linguistic_style": ("writing_style",),
}
"""Which Talk-page traits speak of which dimension."""

_PERSONALITY = re.compile(
    r"^[ \t*#-]*(?:personality|character|persönlichkeit|charakter|personalidad|carácter|personnalité|caractère"
    r"|personalità|carattere)(?: traits?)?[ \t*]*[:\uff1a][ \t*]*(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_STYLE = re.compile(
    r"^[ \t*#-]*(?:(?:dialogue|speech|speaking|talking|writing|language)[ -]?(?:style|manner)|sprachstil|redeweise"
    r"|estilo(?: de (?:diálogo|habla))?|style(?: de (?:dialogue|langue))?|stile(?: di (?:dialogo|lingua))?)"
    r"[ \t*]*[:\uff1a][ \t]*\n?[ \t]*(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_BETWEEN = re.compile(r"\s*(?:[,;/\u3001\uff0c]\s*(?:and|und|y|e|et)?\s*|\s(?:and|und|y|e|et)\s)\s*", re.IGNORECASE)
_SELF = re.compile(r"I\b")
_SENTENCE = re.compile(r"(?<=[.!?\u3002])\s+")


@dataclass(frozen=True, slots=True)
class Cues:
    """Cues by dimension.

    Attributes:
        inside: dimension -> what the person is.
        outside: dimension -> what the person isn't, where the profile tells it (the other values of a trait).
    """

    inside: Mapping[str, tuple[str, ...]]
    outside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def profile_cues(profile: str, language: str = "en") -> Cues:
    r"""Cues of a profile in prose or in headed parts, in its language; empty where it says nothing.

    >>> profile_cues("Age: 14\nPersonality: Gentle, shy and kind\nDialogue Style:\nSpeaks softly.").inside[
    ...     "linguistic_style"
    ... ]
    ('gentle', 'shy', 'kind', 'speaks softly')
    """
    character = [cue for match in _PERSONALITY.finditer(profile) for cue in _BETWEEN.split(match[1])]
    style = [sentence for match in _STYLE.finditer(profile) for sentence in _SENTENCE.split(match[1])[:1]]
    if not character and not style:
        character = _SENTENCE.split(" ".join(profile.split()))[:2]
    common = _short(character, language)
    worded = _short([*common, *style], language)
    return Cues({d: worded if d == "linguistic_style" else common for d in DIMENSIONS})


def persona_cues(persona: Persona) -> Cues:
    """Cues of a Talk-page persona, in its language: its traits where it has them, else its profile."""
    language = persona.language
    fallback = profile_cues(persona.profile, language)
    inside, outside = {}, {}
    for dimension in DIMENSIONS:
        named = [t for t in TRAIT_DIMENSIONS[dimension] if _values(persona, t)]
        own = [(t, v) for t in named for v in _values(persona, t)]
        others = [(t, v) for t in named for v in TRAITS[t] if v not in persona.traits[t].values]
        inside[dimension] = _said(own, language) or fallback.inside[dimension]
        if said := _said(others, language):
            outside[dimension] = said
    return Cues(inside, outside)


def _values(persona: Persona, trait: str) -> list[str]:
    found = persona.traits.get(trait)
    return [value for value in found.values if value != NOT_DEDUCIBLE] if found else []


def _said(values: Iterable[tuple[str, str]], language: str) -> tuple[str, ...]:
    """Values of traits in the language's own words."""
    words = phrases(language)
    return _short((words[trait][value] for trait, value in values), language)


def _short(cues: Iterable[str], language: str) -> tuple[str, ...]:
    """The first different cues, tidy, within `MOST_CUES` and `MOST_WORDS`; a first cue that is too long is cut."""
    kept: list[str] = []
    room = MOST_WORDS
    for cue in cues:
        words = cue.strip(" \t*_.").split()
        tidy = " ".join([*(_inner(word, language) for word in words[:1]), *words[1:MOST_WORDS]])
        if not words or tidy in kept:
            continue
        if len(kept) == MOST_CUES or (len(words) > room and kept):
            break
        kept.append(tidy)
        room -= len(words)
    return tuple(kept)


def _inner(word: str, language: str) -> str:
    """A cue's first word as it stands within a sentence: German nouns, abbreviations and "I" stay as they are."""
    kept = language == "de" or any(map(str.isupper, word[1:])) or (language == "en" and _SELF.match(word))
    return word if kept else word[:1].lower() + word[1:]
