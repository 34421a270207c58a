"""The conditioning method `act_planned`: what the comment is to do is drawn first, then it is written.

Not in the paper. The acts of the next comment are drawn from the author's own act history given the acts of the
comment answered, smoothed towards the community's (`acts.py`); the prompt says what they are.
"""

from typing import ClassVar, Literal

from pydantic import Field

from folkmoot.agents.conditioning.history import Earlier, EarlierConfig


class ActPlannedConfig(EarlierConfig):
    """How acts are drawn.

    Attributes:
        min_history: fewest earlier comments that a persona must have.
        smoothing: comments that a source of counts needs to weigh as much as all that it backs off to.
    """

    name: Literal["act_planned"] = "act_planned"
    smoothing: float = Field(default=3.0, gt=0)


class ActPlanned(Earlier):
    """Nothing of the person but what the comment is to do."""

    name: ClassVar[str] = "act_planned"
