"""Which threads and users a corpus keeps, in the paper's order (section 3.1 and A.1).

1. A thread with a turn over 1,000 words goes.
2. Of the users with a profile, at most 10,000 stay: those with contribution topics first, then by gender (women and
   non-binary people, then men, then unknown), then those with a profession; ties are broken by a seeded hash.
3. A thread stays only if everybody who writes in it is among them; a comment that nobody signed is nobody's.

Where no user has a profile, steps 2 and 3 don't apply: then all users stay. Every thread that goes has one reason, the
first that applies.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from heapq import nsmallest
from pathlib import Path

from pydantic import Field

from folkmoot.environments.corpora.pseudonyms import is_pseudonym, pseudonym
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.persona import Attributes, Frozen
from folkmoot.sim.rng import digest

KEPT = ""
LONG = "a turn over the limit of words"
NOBODY = "a comment that nobody signed"
OUTSIDE = "somebody outside the chosen users"

GENDERS = {"woman": 0, "non-binary": 0, "man": 1}
"""Rank of a stated gender; unknown comes last."""


class FilterSettings(Frozen):
    """What is kept.

    Attributes:
        max_words: of the longest turn of a thread.
        max_users: with a profile.
        seed: breaks ties between users alike.
        keep_all: keep threads with people outside the chosen users too (steps 2 and 3 off).
    """

    max_words: int = Field(default=1000, ge=1)
    max_users: int = Field(default=10_000, ge=2)
    seed: int = 0
    keep_all: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A user with a profile."""

    id: str
    attributes: Attributes


def preference(user: Candidate, seed: int) -> tuple[bool, int, bool, bytes]:
    """What users are ordered by, the preferred first."""
    about = user.attributes
    gender = GENDERS.get(about.gender, 2)
    return not about.contribution_topics, gender, about.profession == "unknown", digest(seed, "users", user.id)


def choose_users(users: Iterable[Candidate], settings: FilterSettings | None = None) -> tuple[str, ...]:
    """Ids of at most `max_users` users, the preferred first; the order in which they come doesn't matter.

    >>> ada = Candidate("a", Attributes(gender="woman")); bob = Candidate("b", Attributes(contribution_topics=("law",)))
    >>> choose_users([ada, bob])
    ('b', 'a')
    """
    settings = settings or FilterSettings()
    best = nsmallest(settings.max_users, users, key=lambda user: preference(user, settings.seed))
    return tuple(user.id for user in best)


@dataclass(slots=True)
class ThreadFilter:
    """Says of each thread why it goes.

    Args:
        settings: the limits.
        chosen: pseudonyms of the users who stay; None: all.

    Attributes:
        reasons: why threads went -> how many; `KEPT` counts those that stay.
    """

    settings: FilterSettings
    chosen: Collection[str] | None = None
    reasons: Counter[str] = field(default_factory=Counter)

    def __call__(self, people: Iterable[str], longest: int, *, unsigned: bool) -> str:
        """The first reason why a thread goes; "" for one that stays.

        Args:
            people: pseudonyms of those who write in it.
            longest: words of its longest turn.
            unsigned: whether it holds a comment that nobody signed.
        """
        reason = self._reason(tuple(people), longest, unsigned)
        self.reasons[reason] += 1
        return reason

    def _reason(self, people: tuple[str, ...], longest: int, unsigned: bool) -> str:
        if longest > self.settings.max_words:
            return LONG
        if self.chosen is None or self.settings.keep_all:
            return KEPT
        if unsigned:
            return NOBODY
        return KEPT if all(person in self.chosen for person in people) else OUTSIDE


def read_blocklist(path: Path | None, salt: bytes) -> frozenset[str]:
    """Pseudonyms of everyone on a removal list: user names or pseudonyms, one a line; # begins a remark.

    A pseudonym is 10 hex digits: so a request can be honoured without keeping the name.

    Raises:
        CorpusError: the file can't be read.
    """
    if path is None:
        return frozenset()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"removal list {path}: {error}; name a readable text file, one user a line") from error
    names = (line.split(" #")[0].strip() for line in lines if not line.startswith("#"))
    listed: set[str] = set()
    for name in names:
        if name:
            listed |= {name, pseudonym(name, salt)} if is_pseudonym(name) else {pseudonym(name, salt)}
    return frozenset(listed)
