"""Tallies: what is kept of the comments that have been read, recorded and simulated alike.

One tally a family. `update` takes events in log order; comments that don't count (recorded openings
beside simulated answers) still give threads their places. No torch here: this is the path per event.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from folkmoot.metrics.reply_graph import ReplyGraph
from folkmoot.metrics.sums import Matrix, ThreadSums
from folkmoot.metrics.text import WORD_EDGES, count_sentences, count_words
from folkmoot.metrics.threads import Places, ThreadShapes, Turn
from folkmoot.sim.errors import AnnotationError, ConfigError, did_you_mean
from folkmoot.sim.events import Event, Origin, TextEvent

Labels = tuple[str, ...] | None
Columns = Mapping[int, Mapping[str, Labels]]
"""seq -> role ("acts", "sentiment") -> labels; None where an annotator could read none."""


@dataclass(frozen=True, slots=True)
class Counting:
    """Which comments count.

    Attributes:
        origins: `simulated` by default; `candidate` in teacher-forced mode, `recorded` for the real side.
        replies_only: leave out comments that open a thread (both sides alike, where openings are given).
        community: only comments of this community; "" for all of the log.
    """

    origins: tuple[Origin, ...] = ("simulated",)
    replies_only: bool = False
    community: str = ""

    def __call__(self, event: Event) -> bool:
        """True where the event is a comment that counts."""
        return (
            isinstance(event, TextEvent)
            and not event.wordless
            and event.origin in self.origins
            and (not self.community or event.community == self.community)
            and not (self.replies_only and event.parent is None)
        )


class Tally(ABC):
    """One family's memory of one side."""

    def __init__(self, counting: Counting, places: Places) -> None:
        self.counting = counting
        self._places = places

    def update(self, events: Sequence[Event], columns: Columns) -> None:
        """Take the next events of the log, in a list of their own.

        Raises:
            AnnotationError: a counted comment without its column, or with a label that isn't known.
        """
        for event, turn in self._places.read(events, self.counting):
            self.take(event, turn, columns)

    @abstractmethod
    def take(self, event: TextEvent, turn: Turn, columns: Columns) -> None:
        """Count one comment, which stands there."""

    @abstractmethod
    def data(self, *, recent: bool = False) -> Matrix | ReplyGraph:
        """All that was counted, or the last `window` comments alone."""

    @abstractmethod
    def items(self) -> NDArray[np.float64]:
        """Comments by thread, aligned with `data()`."""

    @abstractmethod
    def size(self, *, recent: bool = False) -> int:
        """Number of comments counted."""


class LabelTally(Tally):
    """Label counts by thread; columns: labels, comments, unlabelled, sentences of labelled comments (acts)."""

    def __init__(
        self, counting: Counting, window: int, places: Places, role: str, labels: tuple[str, ...], *, dense: bool
    ) -> None:
        super().__init__(counting, places)
        self.role = role
        self.labels = labels
        self._index = {label: i for i, label in enumerate(labels)}
        self._dense = dense
        self._entries: dict[Labels, tuple[tuple[int, ...], tuple[float, ...]]] = {}
        self._sums = ThreadSums(len(labels) + 2 + dense, window)

    def take(self, event: TextEvent, turn: Turn, columns: Columns) -> None:  # noqa: ARG002 -- needs no place
        """Count a comment's labels."""
        labels = self._read(event, columns)
        entry = self._entries.get(labels)
        where, ones = self._entry(labels) if entry is None else entry
        if self._dense and labels is not None:
            ones = (*ones[:-1], count_sentences(event.text))
        self._sums.add(event.thread, where, ones)

    def _read(self, event: TextEvent, columns: Columns) -> Labels:
        try:
            return columns[event.seq][self.role]
        except KeyError:
            raise AnnotationError(f"event {event.seq} has no column {self.role!r}; annotate the events first") from None

    def _entry(self, labels: Labels) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Columns of a set of labels, and a 1 for each; made once a set."""
        k = len(self.labels)
        if labels is None:
            where: tuple[int, ...] = (k, k + 1)
        else:
            where = (*(self._where(label) for label in labels), k, *([k + 2] if self._dense else []))
        self._entries[labels] = where, (1.0,) * len(where)
        return self._entries[labels]

    def _where(self, label: str) -> int:
        try:
            return self._index[label]
        except KeyError:
            raise AnnotationError(f"unknown {self.role} label {label!r}; {did_you_mean(label, self.labels)}") from None

    def data(self, *, recent: bool = False) -> Matrix:
        """Shape (threads, width)."""
        return self._sums.recent() if recent else self._sums.matrix()

    def items(self) -> NDArray[np.float64]:
        """Labelled comments by thread."""
        k = len(self.labels)
        return self._sums.matrix()[:, k] - self._sums.matrix()[:, k + 1]

    def size(self, *, recent: bool = False) -> int:
        """Labelled comments."""
        k = len(self.labels)
        comments, unlabelled = self.data(recent=recent)[:, k : k + 2].sum(0)
        return round(float(comments - unlabelled))

    def unlabelled(self) -> int:
        """Comments that the annotator could not label."""
        return round(float(self._sums.matrix()[:, len(self.labels) + 1].sum()))


class TextTally(Tally):
    """Words by thread; columns: comments, words, words squared, histogram of `WORD_EDGES`."""

    def __init__(self, counting: Counting, window: int, places: Places) -> None:
        super().__init__(counting, places)
        self._sums = ThreadSums(4 + len(WORD_EDGES), window)

    def take(self, event: TextEvent, turn: Turn, columns: Columns) -> None:  # noqa: ARG002 -- needs neither
        """Count a comment's words."""
        words = count_words(event.text)
        columns_of_words = (0, 1, 2, 3 + bisect_right(WORD_EDGES, words))
        self._sums.add(event.thread, columns_of_words, (1.0, words, words * words, 1.0))

    def data(self, *, recent: bool = False) -> Matrix:
        """Shape (threads, width)."""
        return self._sums.recent() if recent else self._sums.matrix()

    def items(self) -> NDArray[np.float64]:
        """Comments by thread."""
        return self._sums.matrix()[:, 0]

    def size(self, *, recent: bool = False) -> int:
        """Comments."""
        return self._sums.n_recent if recent else self._sums.n_items


class ThreadTally(Tally):
    """Thread shapes."""

    def __init__(self, counting: Counting, window: int, places: Places) -> None:
        super().__init__(counting, places)
        self._shapes = ThreadShapes(window)

    def take(self, event: TextEvent, turn: Turn, columns: Columns) -> None:  # noqa: ARG002 -- the place says it all
        """Count a comment's place in its thread."""
        self._shapes.add(turn)

    def data(self, *, recent: bool = False) -> Matrix:
        """Shape (threads, `ThreadShapes.WIDTH`)."""
        return self._shapes.recent() if recent else self._shapes.matrix()

    def items(self) -> NDArray[np.float64]:
        """Turns by thread."""
        return self._shapes.matrix()[:, 1]

    def size(self, *, recent: bool = False) -> int:
        """Turns."""
        return self._shapes.n_recent if recent else self._shapes.n_items


class GraphTally(Tally):
    """The reply graph."""

    def __init__(self, counting: Counting, window: int, places: Places) -> None:
        super().__init__(counting, places)
        self._graph = ReplyGraph(window)

    def take(self, event: TextEvent, turn: Turn, columns: Columns) -> None:  # noqa: ARG002 -- the place says it all
        """Count whom a comment answers."""
        self._graph.add(turn)

    def data(self, *, recent: bool = False) -> ReplyGraph:
        """The graph."""
        return self._graph.recent() if recent else self._graph

    def items(self) -> NDArray[np.float64]:
        """Turns by thread."""
        return np.asarray(self._graph.turns, dtype=np.float64)

    def size(self, *, recent: bool = False) -> int:
        """Turns."""
        return self._graph.n_recent if recent else self._graph.n_items


Roles = Mapping[str, tuple[str, ...]]
"""Role -> labels of its annotator, in their fixed order."""

_MAKERS: Mapping[str, Callable[[Counting, int, Places, Roles], Tally]] = {
    "acts": lambda counting, window, places, roles: LabelTally(
        counting, window, places, "acts", roles["acts"], dense=True
    ),
    "sentiment": lambda counting, window, places, roles: LabelTally(
        counting, window, places, "sentiment", roles["sentiment"], dense=False
    ),
    "text": lambda counting, window, places, _: TextTally(counting, window, places),
    "threads": lambda counting, window, places, _: ThreadTally(counting, window, places),
    "network": lambda counting, window, places, _: GraphTally(counting, window, places),
}
FAMILIES = tuple(_MAKERS)
"""Names of all families."""

LABELLED = ("acts", "sentiment")
"""Families that need an annotator: the role has the family's name."""


def make_tally(name: str, counting: Counting, window: int, roles: Roles, places: Places | None = None) -> Tally:
    """An empty tally of a family; those over the same events may share their `places`.

    Raises:
        ConfigError: an unknown family, or one whose annotator isn't there.
    """
    if name not in _MAKERS:
        raise ConfigError(f"unknown family of metrics {name!r}; {did_you_mean(name, _MAKERS)}")
    if name in LABELLED and name not in roles:
        raise ConfigError(f"{name!r} needs an annotator for {name!r}; those given: {sorted(roles) or 'none'}")
    return _MAKERS[name](counting, window, Places() if places is None else places, roles)
