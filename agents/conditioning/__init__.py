"""Persona and scene to messages: the five conditioning methods of Wiki-Talkie, and three more."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from folkmoot.agents.conditioning.act_planned import ActPlanned, ActPlannedConfig
from folkmoot.agents.conditioning.base import Base, BaseConfig
from folkmoot.agents.conditioning.behavior import Behavior, BehaviorConfig, BehaviorReasoning, BehaviorReasoningConfig
from folkmoot.agents.conditioning.compose import Prompt
from folkmoot.agents.conditioning.fit import Fit
from folkmoot.agents.conditioning.history import Earlier, EarlierConfig, History, HistoryConfig
from folkmoot.agents.conditioning.interests import ByInterests, InterestsConfig
from folkmoot.agents.conditioning.profile import Profile, ProfileConfig
from folkmoot.agents.conditioning.retrieval import Retrieval, RetrievalConfig
from folkmoot.agents.conditioning.scene import Recalled, Scene, SceneComment
from folkmoot.sim.errors import ConfigError, did_you_mean
from folkmoot.sim.persona import Persona

Condition = Base
"""What a conditioning method offers: `name`, `check(persona)`, `bare(persona)`, `messages(persona, scene, fit)`."""

ConditionConfig = Annotated[
    BaseConfig
    | ProfileConfig
    | BehaviorConfig
    | BehaviorReasoningConfig
    | HistoryConfig
    | RetrievalConfig
    | ActPlannedConfig
    | InterestsConfig,
    Field(discriminator="name"),
]
"""The config group `condition`."""

__all__ = [
    "CONDITIONS",
    "Condition",
    "ConditionConfig",
    "Fit",
    "Prompt",
    "Recalled",
    "Scene",
    "SceneComment",
    "check_personas",
    "make_condition",
]

CONDITIONS = ("base", "profile", "behavior", "behavior_reasoning", "history", "retrieval", "act_planned", "interests")
"""Names of the methods."""


_EARLIER: dict[type[EarlierConfig], type[Earlier]] = {
    HistoryConfig: History,
    RetrievalConfig: Retrieval,
    ActPlannedConfig: ActPlanned,
}


def check_personas(method: Condition, personas: Sequence[Persona]) -> None:
    """Make sure that a method can be used for a community.

    Raises:
        ConfigError: a persona lacks what it needs, or there is nothing to show of anybody.
    """
    for persona in personas:
        method.check(persona)
    if personas and all(method.bare(persona) for persona in personas):
        raise ConfigError(
            f"condition {method.name!r}: 0 of {len(personas)} personas have {method.name}, at least 1 is needed; use "
            f"personas with {method.name} (a profile pipeline makes them), or condition=history or condition=base"
        )


def make_condition(config: ConditionConfig) -> Condition:
    """The method that a config names.

    Raises:
        ConfigError: no method of that name.
    """
    for kind, method in _EARLIER.items():
        if isinstance(config, kind):
            return method(config)
    plain: dict[str, type[Base]] = {
        "base": Base,
        "profile": Profile,
        "behavior": Behavior,
        "behavior_reasoning": BehaviorReasoning,
        "interests": ByInterests,
    }
    if config.name not in plain:
        raise ConfigError(f"condition {config.name!r} isn't known; {did_you_mean(config.name, CONDITIONS)}")
    return plain[config.name](config)
