"""Files of archives that break off, read up to there where that is asked for; and likes, which are counted."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from folkmoot.environments.corpora.timelines.collect import CUT, LIKES
from folkmoot.environments.corpora.timelines.limits import Limits
from folkmoot.environments.corpora.timelines.stream import Truncated
from folkmoot.sim.errors import CorpusError

BESIDE_CUT = "files beside the posts that break off (kept up to there)"
LIKES_UNREAD = "files of likes that can't be read (kept out, from there on)"

T = TypeVar("T")


def up_to_break(entries: Iterable[T], limits: Limits, losses: Counter[str], reason: str = CUT) -> Iterator[T]:
    """The entries of a file; one that breaks off ends there and is counted, if damaged ones are kept.

    Raises:
        Truncated: it breaks off, and damaged ones aren't kept.
    """
    try:
        yield from entries
    except Truncated:
        if not limits.keep_damaged:
            raise
        losses[reason] += 1


def count_likes(files: Iterable[Iterable[object]], losses: Counter[str]) -> None:
    """Count likes without a date, file by file; one that can't be read costs what is left of it, never the archive."""
    for file in files:
        try:
            for _ in file:
                losses[LIKES] += 1
        except CorpusError:
            losses[LIKES_UNREAD] += 1
