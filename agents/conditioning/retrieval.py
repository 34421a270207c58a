"""The conditioning method `retrieval`: the author's earlier comments that are nearest to the discussion.

Not in the paper, which draws the comments of `history` at random. They are chosen in `agents/recalling.py`.
"""

from typing import ClassVar, Literal

from pydantic import Field

from folkmoot.agents.conditioning.history import EarlierConfig, History


class RetrievalConfig(EarlierConfig):
    """How much history is retrieved.

    Attributes:
        min_history: fewest earlier comments that a persona must have.
        nearest: most comments shown; the k of k nearest neighbours.
    """

    name: Literal["retrieval"] = "retrieval"
    nearest: int = Field(default=8, ge=1)

    @property
    def most(self) -> int:
        """Comments shown at most."""
        return self.nearest


class Retrieval(History):
    """As `history`, with other comments."""

    name: ClassVar[str] = "retrieval"
