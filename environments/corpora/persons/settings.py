"""How the population of a corpus is made."""

from pydantic import Field

from folkmoot.environments.corpora.filters import FilterSettings
from folkmoot.sim.persona import Frozen


class PersonSettings(Frozen):
    """What is read of people.

    Attributes:
        filters: which threads and users are kept.
        trait_threads: of a user's threads, so many at most are read for the traits, drawn by the seed.
        least_comments: that a user needs for traits to be read.
        until: instant (ms): traits are read from comments before it only; None: from all.
        seed: of the draw of threads.
        at_once: users whose threads are in memory at once; each such block reads the corpus through once.
    """

    filters: FilterSettings = FilterSettings()
    trait_threads: int = Field(default=50, ge=1)
    least_comments: int = Field(default=1, ge=1)
    until: int | None = None
    seed: int = 0
    at_once: int = Field(default=1000, ge=1)
