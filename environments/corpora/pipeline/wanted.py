"""Which articles are wanted as of when: 32 bytes a thread, so that a whole wiki's threads fit."""

from collections.abc import Iterator
from typing import Any

from folkmoot.environments.corpora.sources.base import TALK
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.store.tables import read_rows

NOWHERE, TOO_LATE = -2, -1
"""What stands for a revision where the article isn't in the source, or is, but not yet then."""


class Wanted:
    """For each thread of a talk page, in the order of the store: its article, and its first comment's instant.

    `revisions` holds what was found: an index into the order in which articles were written, or NOWHERE, TOO_LATE.
    """

    def __init__(self, store: Store) -> None:
        import numpy as np

        subjects, instants = _columns(store)
        self._order = np.lexsort((instants, subjects))
        self._subjects = subjects[self._order]
        self._instants = instants[self._order]
        self.revisions = np.full(len(subjects), NOWHERE, dtype=np.int64)

    def of(self, subject: str) -> "Instants | None":
        """The instants at which this article is wanted; None if no thread is about it."""
        import numpy as np

        key = np.uint64(int(subject, 16))
        start, end = (int(np.searchsorted(self._subjects, key, side)) for side in ("left", "right"))
        if start == end:
            return None
        self.revisions[self._order[start:end]] = TOO_LATE
        return Instants(self, start, end)

    def instants(self, start: int, end: int) -> Any:
        """Sorted."""
        return self._instants[start:end]

    def assign(self, start: int, end: int, article: int) -> None:
        """Threads start..end, in the order of articles and instants, go with this article."""
        self.revisions[self._order[start:end]] = article


class Instants:
    """The instants at which one article is wanted; revisions pass from the oldest to the latest."""

    def __init__(self, wanted: Wanted, start: int, end: int) -> None:
        self._wanted, self._start, self._end = wanted, start, end

    def until(self, time: int) -> tuple[int, int]:
        """The threads that opened up to this instant and have no article yet; they are passed for good."""
        import numpy as np

        instants = self._wanted.instants(self._start, self._end)
        first = self._start
        self._start += int(np.searchsorted(instants, time, "right"))
        return first, self._start


def _columns(store: Store) -> tuple[Any, Any]:
    """Subject (0: the page isn't about an article) and instant of each thread, in order."""
    import numpy as np

    count = store.manifest.tables["threads"].rows
    subjects, instants = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.int64)
    for index, (subject, instant) in enumerate(_threads(store)):
        subjects[index], instants[index] = subject, instant
    return subjects, instants


def _threads(store: Store) -> Iterator[tuple[int, int]]:
    for pages, threads in zip(store.parts("pages"), store.parts("threads"), strict=True):
        about = {
            row["id"]: int(row["subject"], 16) if row["namespace"] == TALK else 0
            for row in read_rows(pages, ["id", "subject", "namespace"])
        }
        for row in read_rows(threads, ["page", "first"]):
            yield about[row["page"]], row["first"]
