"""The conditioning methods `behavior` (traits, values only) and `behavior_reasoning` (traits with their reasoning)."""

from typing import ClassVar, Literal

from folkmoot.agents.conditioning.base import Base, FitConfig
from folkmoot.agents.prompts import template
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import NOT_DEDUCIBLE, TRAITS, Persona, Trait
from folkmoot.sim.quoting import line, quote


class BehaviorConfig(FitConfig):
    """`behavior` has nothing more to set."""

    name: Literal["behavior"] = "behavior"


class BehaviorReasoningConfig(FitConfig):
    """`behavior_reasoning` has nothing more to set."""

    name: Literal["behavior_reasoning"] = "behavior_reasoning"


class Behavior(Base):
    """The values of the traits that could be deduced."""

    name: ClassVar[str] = "behavior"

    def check(self, persona: Persona) -> None:
        """Needs at least one deduced trait."""
        if not deduced(persona):
            raise ConfigError(
                f"condition {self.name!r}: persona {persona.id!r} has 0 deduced traits, at least 1 of {len(TRAITS)} is "
                "needed; use personas with traits, or condition=base or condition=history"
            )

    def persona_block(self, persona: Persona) -> str:
        """One line a trait, in the order of the dimensions."""
        lines = [self.trait_line(name, trait) for name, trait in deduced(persona)]
        return template(self.name).render(block=quote("\n".join(lines)))

    def trait_line(self, name: str, trait: Trait) -> str:
        """Dimension and values."""
        return f"{name.replace('_', ' ')}: {'; '.join(values(trait))}"


class BehaviorReasoning(Behavior):
    """The values, each with the reasoning behind it."""

    name: ClassVar[str] = "behavior_reasoning"

    def check(self, persona: Persona) -> None:
        """Needs at least one deduced trait that carries its reasoning."""
        super().check(persona)
        if not any(trait.reasoning for _, trait in deduced(persona)):
            raise ConfigError(
                f"condition {self.name!r}: persona {persona.id!r} has 0 traits with reasoning, at least 1 is needed; "
                "use personas with reasoning, or condition=behavior"
            )

    def trait_line(self, name: str, trait: Trait) -> str:
        """Dimension, values, reasoning."""
        reason = line(trait.reasoning)
        return super().trait_line(name, trait) + (f" ({reason})" if reason else "")


def values(trait: Trait) -> list[str]:
    """The allowed values without Not-deducible."""
    return [value for value in trait.values if value != NOT_DEDUCIBLE]


def deduced(persona: Persona) -> list[tuple[str, Trait]]:
    """The traits that have a value, in the order of the dimensions."""
    known = persona.traits
    return [(name, known[name]) for name in TRAITS if name in known and values(known[name])]
