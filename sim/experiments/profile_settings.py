"""Settings of the experiments `profile` and `dialogue` (SocialPersona)."""

from typing import Literal

from pydantic import Field

from folkmoot.agents.interests.construct import Setting
from folkmoot.agents.interests.respond import Intent
from folkmoot.agents.llm.build import LLMConfig
from folkmoot.metrics.profile.settings import ReadingSettings


class InterestTask(ReadingSettings):
    """What both experiments have in common; a stopped run goes on behind the last whole batch of `users_at_once`.

    Attributes:
        judges: name -> model; none: the run's own model judges.
        gold: file of gold profiles (`folkmoot profile verified`); "": the interests of the corpus's personas.
    """

    judges: dict[str, LLMConfig] = Field(default_factory=dict)
    gold: str = ""


class ProfileConfig(InterestTask):
    """The `profile` experiment: a profile of stable and recent interests from each timeline.

    Attributes:
        setting: how the timeline is worked through.
    """

    name: Literal["profile"] = "profile"
    setting: Setting = "direct"


class DialogueConfig(InterestTask):
    """The `dialogue` experiment: one answer to one request a user, judged against the gold profile.

    Attributes:
        context: the timeline itself, or the profile that a setting makes of it.
        intent: what the request is after: lasting interests, or new ones.
        response_tokens, judge_tokens: of an answer.
    """

    name: Literal["dialogue"] = "dialogue"
    context: Literal["timeline", "direct", "hierarchical", "extractive_abstractive"] = "timeline"
    intent: Intent = "stable"
    response_tokens: int = Field(default=300, ge=16)
    judge_tokens: int = Field(default=100, ge=16)
