"""The words of evaluation prompts and label texts, one data file a language."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from folkmoot.agents.prompts import file_hashes
from folkmoot.sim.errors import ConfigError, did_you_mean

DIMENSIONS = ("task_framing", "interpersonal_stance", "linguistic_style")
"""What a response is judged by (PRISM, section 3): what it makes of the situation, how it meets others, its wording."""

LABELS = ("A", "B", "C")
"""Aligned with the persona; mixed, weak or indeterminate; opposite or outside the persona."""

BIG_FIVE = ("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")
"""The traits of trait-polarity personas."""

LEVELS = ("high", "low")
"""Their two polarities."""

_HOME = files("folkmoot.metrics.fidelity") / "wording"
_PHRASES = files("folkmoot.metrics.fidelity") / "phrases"

FALLBACK = "en"
"""Whose phrases stand where a language has words but no phrases."""


class DimensionWording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One dimension: what to look at, label B, and labels A and C around a profile's cues."""

    name: str
    question: str
    mixed: str
    inside: str
    outside: str


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All words of one language; `traits[trait][level][dimension]` is the label text of that polarity."""

    intro: str
    context: str
    nothing: str
    response: str
    persona: str
    options: str
    answer: str
    dimensions: Mapping[str, DimensionWording]
    traits: Mapping[str, Mapping[str, Mapping[str, str]]]


def languages() -> tuple[str, ...]:
    """Languages that have words, sorted."""
    return tuple(sorted(entry.name.removesuffix(".json") for entry in _HOME.iterdir() if entry.name.endswith(".json")))


@cache
def wording(language: str) -> Wording:
    """The words of a language.

    Raises:
        ConfigError: there is no file for it.
    """
    if language not in languages():
        raise ConfigError(
            f"no evaluation prompts in {language!r}; {did_you_mean(language, languages())}; "
            "another language is another file in metrics/fidelity/wording/"
        )
    return msgspec.json.decode((_HOME / f"{language}.json").read_bytes(), type=Wording)


@cache
def phrases(language: str) -> Mapping[str, Mapping[str, str]]:
    """The Talk-page traits' values in a language's own words, for its label texts: trait -> value -> phrase.

    A language without a file in metrics/fidelity/phrases/ gets those of `FALLBACK`.
    """
    own = _PHRASES / f"{language}.json"
    found = own if language in languages() and own.is_file() else _PHRASES / f"{FALLBACK}.json"
    return msgspec.json.decode(found.read_bytes(), type=dict[str, dict[str, str]])


def wording_hashes() -> dict[str, str]:
    """`wording_LANGUAGE`, `phrases_LANGUAGE`, `judge_NAME` -> 16 hex digits over the file, for the manifest."""
    here = Path(__file__).parent
    words = file_hashes(here / "wording", "*.json", "wording_") | file_hashes(here / "phrases", "*.json", "phrases_")
    return words | file_hashes(here / "prompts", prefix="judge_")
