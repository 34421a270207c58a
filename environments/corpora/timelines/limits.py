"""What is read of a timeline."""

from datetime import UTC, datetime

from pydantic import Field

from folkmoot.sim.persona import Frozen

DAY = 86_400_000
"""Milliseconds."""

YEAR = 365.25 * DAY

FIRST = int(datetime(2004, 1, 1, tzinfo=UTC).timestamp()) * 1000
"""No network that is read here is older; an earlier date is a clock's fault."""

LONGEST = 100_000
"""Characters of a post's markup; what is longer is no post."""


NO_DATE, TOO_LATE, TOO_EARLY = "without a date that can be read", "from the future", "dated before 2004"


class Limits(Frozen):
    """What is read of a timeline (SocialPersona, construction of the data set).

    Attributes:
        posts: at most so many, the latest.
        years: before the latest post; what is older is left out.
        until: ms since the epoch, UTC; later posts (and a day's grace) come from the future.
        unlisted: keep posts that everybody may read but that their author kept out of public timelines.
        keep_damaged: an archive that breaks off ends there (counted) instead of raising.
    """

    posts: int = Field(default=200, ge=1)
    years: float = Field(default=2, gt=0)
    until: int
    unlisted: bool = False
    keep_damaged: bool = False

    def amiss(self, time: int | None) -> str:
        """What is wrong with a date in ms; "" where nothing is."""
        if time is None:
            return NO_DATE
        return TOO_LATE if time > self.until + DAY else TOO_EARLY if time < FIRST else ""
