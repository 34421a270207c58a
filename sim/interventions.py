"""What an experimenter changes in a running world, as config: at a time, or right after an event.

Environments know what each does and refuse what they don't know; `sim.protocols.Intervene` carries it.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, field_validator, model_validator

from folkmoot.sim.activity import DAY
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.instants import setting_instant
from folkmoot.sim.persona import Frozen
from folkmoot.sim.protocols import Intervene


class Planned(Frozen):
    """When and where; its kinds say what.

    Attributes:
        at: days since the simulation's start, or an ISO instant.
        after: seq of the event after which it happens, in the same instant; `folkmoot branch` gives it.
        community: in which; "" in all.
    """

    kind: str
    at: float | str | None = None
    after: int | None = Field(default=None, ge=0)
    community: str = ""

    @model_validator(mode="after")
    def _one_moment(self) -> "Planned":
        if (self.at is None) == (self.after is None):
            raise ValueError("give one of at (days since the start, or an ISO instant) and after (seq of an event)")
        return self

    def moment(self, start: int) -> int | None:
        """When, in ms; None where it follows an event.

        Raises:
            ConfigError: a time before the start, or no ISO instant.
        """
        if self.at is None:
            return None
        if isinstance(self.at, float | int):
            time = start + round(self.at * DAY)
        else:
            time = setting_instant("interventions: at", self.at, ", or days")
        if time < start:
            raise ConfigError(f"interventions: at={self.at!r} is before the simulation's start, {_iso(start)}")
        return time


class Inject(Planned):
    """A post, or on a Talk page a thread, in a user's name; `page` and `title` belong to a Talk page."""

    kind: Literal["inject"] = "inject"
    user: str
    text: str
    page: str | None = None
    title: str | None = None


class Ban(Planned):
    """The user's acts are refused from now on."""

    kind: Literal["ban"] = "ban"
    user: str


class Unban(Planned):
    """The user may act again."""

    kind: Literal["unban"] = "unban"
    user: str


class MuteUser(Planned):
    """Nobody is shown the user's posts from now on."""

    kind: Literal["mute"] = "mute"
    user: str


class SwitchRanking(Planned):
    """Home pages are ranked in another way from now on; `ranking` is what `environment.ranking` takes, or a name."""

    kind: Literal["ranking"] = "ranking"
    ranking: dict[str, Any]

    @field_validator("ranking", mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        return {"kind": value} if isinstance(value, str) else value


class ChangeRule(Planned):
    """Rules of the environment (keys of `environment`) have other values from now on."""

    kind: Literal["rule"] = "rule"
    set: dict[str, Any] = Field(min_length=1)


Intervention = Annotated[
    Inject | Ban | Unban | MuteUser | SwitchRanking | ChangeRule,
    Field(discriminator="kind"),
]
"""One entry of the config's `interventions`."""


def action(planned: Planned) -> Intervene:
    """What the environment is asked to apply."""
    value = planned.model_dump(mode="json", exclude={"kind", "at", "after", "community"}, exclude_none=True)
    if isinstance(planned, ChangeRule | SwitchRanking):
        (value,) = value.values()
    return Intervene(agent="", based_on=0, name=planned.kind, value=msgspec.json.encode(value, order="sorted").decode())


def _iso(time: int) -> str:
    return datetime.fromtimestamp(time / 1000, UTC).isoformat(timespec="minutes")
