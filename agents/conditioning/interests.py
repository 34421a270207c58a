"""The conditioning method `interests`: what the author posts about, lastingly and of late (SocialPersona)."""

from typing import ClassVar, Literal

from folkmoot.agents.conditioning.base import Base, FitConfig
from folkmoot.agents.prompts import template
from folkmoot.sim.persona import DOMAINS, Domain, Interests, Persona
from folkmoot.sim.quoting import line, quote

LATELY = "lately"
"""Stands before the interests of late in a domain's line."""


class InterestsConfig(FitConfig):
    """`interests` has nothing more to set."""

    name: Literal["interests"] = "interests"


class ByInterests(Base):
    """Stable and recent tags, a line a domain; of who has none, nothing."""

    name: ClassVar[str] = "interests"

    def bare(self, persona: Persona) -> bool:
        """Whether there is no tag."""
        return not interest_lines(persona.interests)

    def persona_block(self, persona: Persona) -> str:
        """One line a domain, in the order of the domains."""
        return (
            ""
            if self.bare(persona)
            else template("interests").render(block=quote("\n".join(interest_lines(persona.interests))))
        )


def interest_lines(interests: Interests) -> list[str]:
    """The domains that have a tag.

    >>> interest_lines(Interests(stable={"pets": ("cats",)}, recent={"pets": ("a new kitten",), "gaming": ("chess",)}))
    ['gaming: lately chess', 'pets: cats; lately a new kitten']
    """
    return [f"{domain.replace('_', ' ')}: {words}" for domain in DOMAINS if (words := _domain(interests, domain))]


def _domain(interests: Interests, domain: Domain) -> str:
    stable, recent = (", ".join(map(line, side.get(domain, ()))) for side in (interests.stable, interests.recent))
    return "; ".join(part for part in (stable, f"{LATELY} {recent}" if recent else "") if part)
