"""Settings of the recovery monitor."""

from pydantic import Field, model_validator

from folkmoot.agents.interests.construct import Setting
from folkmoot.agents.llm.build import LLMConfig
from folkmoot.metrics.alarms import Alarm
from folkmoot.metrics.profile.settings import ReadingSettings
from folkmoot.metrics.recovery.names import BESIDE, NAME, published

_BESIDE = {
    "every_posts", "every_days", "users_at_once", "same_size", "match", "threshold", "draws", "level", "alarms",
    "evaluator",
}  # fmt: skip
"""What doesn't shape a score, and what is compared by name: how tags are matched, who is asked."""


class RecoveryMonitorConfig(ReadingSettings):
    """Profiles made of what agents post in a run, held against the personas that made them (SocialPersona, section 5).

    Attributes:
        setting: how a timeline is worked through, as in the `profile` experiment.
        every_posts: publish every so many simulated posts,
        every_days: and at every so many simulated days; 0: at none.
        min_posts: simulated posts of a user from which on a profile is made.
        swaps: other people whose personas a profile is also held against: the control; 0: none.
        same_size: at the end, profiles of as many of the latest real posts as a user posted in the run.
        level: of the intervals.
        alarms: thresholds; one with `stop` makes the run wait for the profiles at its publish points.
        evaluator: a backend of its own that makes the profiles; None: the run's model.
    """

    setting: Setting = "direct"
    every_posts: int = Field(default=100, ge=1)
    every_days: int = Field(default=1, ge=0)
    min_posts: int = Field(default=3, ge=1)
    swaps: int = Field(default=3, ge=0)
    same_size: bool = True
    max_users: int | None = Field(default=50, ge=1)
    draws: int = Field(default=200, ge=10)
    level: float = Field(default=0.95, gt=0, lt=1)
    alarms: tuple[Alarm, ...] = ()
    evaluator: LLMConfig | None = None

    def asked(self) -> dict[str, object]:
        """Settings that shape a profile, its score or the control's: runs that differ in one of them don't compare."""
        return self.model_dump(mode="json", exclude=_BESIDE)

    @model_validator(mode="after")
    def _known(self) -> "RecoveryMonitorConfig":
        for alarm in self.alarms:
            alarm.check(NAME, published(), BESIDE)
        return self
