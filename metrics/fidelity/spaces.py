"""Label spaces: what aligned, indeterminate and opposite mean for one persona, dimension by dimension.

The persona enters an evaluation through these texts only (PRISM, section 3 and appendix B.3).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from folkmoot.metrics.fidelity.cues import Cues, persona_cues, profile_cues
from folkmoot.metrics.fidelity.wording import BIG_FIVE, DIMENSIONS, LEVELS, wording
from folkmoot.sim.errors import ConfigError, did_you_mean
from folkmoot.sim.persona import Persona
from folkmoot.sim.quoting import line

_OTHER = {"high": "low", "low": "high"}


@dataclass(frozen=True, slots=True)
class LabelSpace:
    """The label texts of a persona.

    Attributes:
        language: of the texts.
        texts: dimension -> texts of A (aligned), B (indeterminate) and C (opposite or outside).
        persona: the persona in words, for the ablation that shows it in the prompt as well.
    """

    language: str
    texts: Mapping[str, tuple[str, str, str]]
    persona: str = ""


class NoCues(ConfigError):
    """A persona says nothing that a response could be held against."""


def trait_space(trait: str, level: str, language: str = "en", persona: str = "") -> LabelSpace:
    """A trait-polarity persona: A is the polarity, C the opposite polarity of the same trait.

    Args:
        trait: one of the Big Five.
        level: "high" or "low".
        language: of the texts.
        persona: in words.

    Raises:
        ConfigError: an unknown trait, level or language.

    >>> trait_space("openness", "high").texts["linguistic_style"][2]
    'The wording is plain, concrete and conventional.'
    """
    words = wording(language)
    if trait not in BIG_FIVE:
        raise ConfigError(f"unknown trait {trait!r}; {did_you_mean(trait, BIG_FIVE)}")
    if level not in LEVELS:
        raise ConfigError(f"level={level!r} of {trait}; {did_you_mean(level, LEVELS)}")
    target, opposite = words.traits[trait][level], words.traits[trait][_OTHER[level]]
    texts = {d: (target[d], words.dimensions[d].mixed, opposite[d]) for d in DIMENSIONS}
    return LabelSpace(language, texts, persona)


def cue_space(cues: Cues, language: str = "en", persona: str = "") -> LabelSpace:
    """An open-ended persona: A holds its cues, C cues outside it (those of its traits' other values where it has any).

    Raises:
        NoCues: a dimension has none.
    """
    words, texts = wording(language), {}
    for dimension in DIMENSIONS:
        inside = [line(cue) for cue in cues.inside.get(dimension, ())]
        if not inside:
            raise NoCues(
                f"0 cues for {dimension} in the persona {persona[:60]!r}, at least 1 is needed: "
                "give it a profile or behavioural traits"
            )
        said = words.dimensions[dimension]
        outside = [line(cue) for cue in cues.outside.get(dimension, ())]
        other = said.inside.format(cues="; ".join(outside)) if outside else said.outside.format(cues="; ".join(inside))
        texts[dimension] = (said.inside.format(cues="; ".join(inside)), said.mixed, other)
    return LabelSpace(language, texts, persona)


def profile_space(profile: str, language: str = "en") -> LabelSpace:
    """The label space of a profile in prose; raises as `cue_space` does."""
    return cue_space(profile_cues(profile, language), language, profile)


def persona_space(persona: Persona) -> LabelSpace:
    """The label space of a Talk-page persona, in its language; raises as `cue_space` does."""
    return cue_space(persona_cues(persona), persona.language, persona.profile)
