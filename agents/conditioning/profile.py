"""The conditioning method `profile`: who the author is, as the user page tells it."""

from typing import ClassVar, Literal

from folkmoot.agents.conditioning.base import Base, FitConfig
from folkmoot.agents.prompts import template
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import Attributes, Persona
from folkmoot.sim.quoting import line, neutral, quote


class ProfileConfig(FitConfig):
    """`profile` has nothing more to set."""

    name: Literal["profile"] = "profile"


class Profile(Base):
    """The profile text and the attributes that are known."""

    name: ClassVar[str] = "profile"

    def check(self, persona: Persona) -> None:
        """Needs a profile text or a known attribute."""
        if not persona.profile and not known(persona.attributes):
            raise ConfigError(
                f"condition 'profile': persona {persona.id!r} has an empty profile and 0 known attributes, "
                "at least 1 is needed; use personas with profiles, or condition=base or condition=history"
            )

    def persona_block(self, persona: Persona) -> str:
        """Profile text, then one line an attribute."""
        lines = [neutral(persona.profile)] if persona.profile else []
        lines += [f"{label}: {value}" for label, value in known(persona.attributes)]
        return template("profile").render(block=quote("\n".join(lines)))


def known(attributes: Attributes) -> list[tuple[str, str]]:
    """Label and value of each attribute that isn't unknown or empty, in the order of the record.

    >>> known(Attributes(gender="woman", hobbies=("chess", "tea")))
    [('gender', 'woman'), ('hobbies', 'chess, tea')]
    """
    pairs: list[tuple[str, str]] = []
    for field in Attributes.model_fields:
        value = getattr(attributes, field)
        text = ", ".join(value) if isinstance(value, tuple) else str(value)
        if value is not None and text not in ("", "unknown"):
            pairs.append((field.replace("_", " "), line(text)))
    return pairs
