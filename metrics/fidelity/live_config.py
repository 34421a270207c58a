"""Settings of the fidelity monitor."""

from pydantic import Field, field_validator

from folkmoot.agents.llm.build import LLMConfig
from folkmoot.metrics.alarms import Alarm
from folkmoot.sim.errors import ConfigError, did_you_mean
from folkmoot.sim.persona import TRAITS, Attributes, Frozen, Persona

ATTRIBUTES = tuple(sorted(name for name, field in Attributes.model_fields.items() if field.default == "unknown"))
"""Attributes of one value, by which people can be grouped."""


_BESIDE = {
    "every_comments", "window", "share", "swap_share", "batch", "draws", "level", "group_by", "false_alarms", "horizon",
    "worst", "alarms", "evaluator",
}  # fmt: skip
"""What doesn't shape a score: when and how it is told, how many are drawn, and who is asked (compared by name)."""


class FidelityMonitorConfig(Frozen):
    """Scores what people say in a run against their personas (PRISM, section on running simulations).

    Attributes:
        every_comments: publish every so many simulated texts (and at each simulated day).
        window: scored texts that the windowed numbers look back on; 0: none.
        share: of the texts that are scored, drawn text by text from a stream of their own; the share is always told.
        swap_share: of the scored texts that are also held against another person's persona.
        context: earlier texts of the thread that the evaluator sees.
        permutations: label orders a prompt is asked in, 1 to 6.
        batch: texts scored together.
        draws: of the bootstrap.
        level: of the intervals.
        group_by: one of the behavioural traits, or an attribute of one value such as gender; "": no groups.
        false_alarms: chance that a run without any drift raises an alarm at all, over all charts together.
        horizon: scored texts a chart up to which that holds.
        worst: agents in the table of those most out of character.
        alarms: thresholds; one with `stop` makes the run wait for the scores at its publish points.
        evaluator: a backend of its own; None: the run's model.
    """

    every_comments: int = Field(default=50, ge=1)
    window: int = Field(default=100, ge=0)
    share: float = Field(default=1.0, gt=0, le=1)
    swap_share: float = Field(default=1.0, ge=0, le=1)
    context: int = Field(default=3, ge=0)
    permutations: int = Field(default=1, ge=1, le=6)
    batch: int = Field(default=8, ge=1)
    draws: int = Field(default=200, ge=10)
    level: float = Field(default=0.95, gt=0, lt=1)
    group_by: str = "tone_management"
    false_alarms: float = Field(default=0.05, gt=0, lt=1)
    horizon: int = Field(default=500, ge=1)
    worst: int = Field(default=5, ge=0)
    alarms: tuple[Alarm, ...] = ()
    evaluator: LLMConfig | None = None

    @field_validator("group_by")
    @classmethod
    def _known(cls, name: str) -> str:
        known = ("", *TRAITS, *ATTRIBUTES)
        if name not in known:
            raise ConfigError(f"group_by={name!r} is neither a trait nor an attribute; {did_you_mean(name, known)}")
        return name

    def asked(self) -> dict[str, object]:
        """Settings that shape a text's score or the control's: runs that differ in one of them don't compare."""
        return self.model_dump(mode="json", exclude=_BESIDE)

    def group_of(self, persona: Persona) -> str:
        """The group that a persona belongs to; "" where there are no groups."""
        if not self.group_by:
            return ""
        if self.group_by in ATTRIBUTES:
            return str(getattr(persona.attributes, self.group_by))
        trait = persona.traits.get(self.group_by)
        return " + ".join(trait.values) if trait and trait.values else "unknown"
