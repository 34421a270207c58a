"""What an author sees at the moment of writing."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from folkmoot.sim.events import TextEvent
from folkmoot.sim.persona import HistoryComment


class SceneComment(NamedTuple):
    """A comment as it is shown.

    Attributes:
        time: milliseconds since the epoch, UTC.
        depth: 0 for the opening, one more than the comment answered otherwise.
        answers: position of the comment answered, from 0; None for an opening.
    """

    author: str
    time: int
    depth: int
    text: str
    answers: int | None = None


class Recalled(NamedTuple):
    """The author's comments in one other thread that are shown, oldest first, with the thread's title."""

    title: str
    comments: tuple[HistoryComment, ...]


class Scene(NamedTuple):
    """One moment of writing.

    Attributes:
        author: id of who writes.
        now: milliseconds since the epoch, UTC.
        answered: position in `comments` of the comment to answer; None where a thread is opened.
        opens: the author opens a thread; then `comments` is empty and `title` is "".
        recalled: the author's earlier comments in other threads, oldest first; `history` and `retrieval` show them.
        acts: what the comment is to do; only `act_planned` says so.
    """

    author: str
    language: str
    now: int
    page: str
    article: str
    title: str = ""
    comments: tuple[SceneComment, ...] = ()
    answered: int | None = None
    recalled: tuple[Recalled, ...] = ()
    acts: tuple[str, ...] = ()

    @property
    def opens(self) -> bool:
        """Whether the author opens a thread."""
        return self.answered is None


def shown(events: Sequence[TextEvent]) -> tuple[SceneComment, ...]:
    """The events of one thread as they are shown; a parent that isn't among them counts as none."""
    position: dict[int, int] = {}
    comments: list[SceneComment] = []
    for index, event in enumerate(events):
        answers = position.get(event.parent) if event.parent is not None else None
        depth = 0 if answers is None else comments[answers].depth + 1
        comments.append(SceneComment(event.actor, event.time, depth, event.text, answers))
        position[event.seq] = index
    return tuple(comments)


def clock(time: int) -> str:
    """Milliseconds since the epoch as date and time, UTC.

    >>> clock(0)
    '1970-01-01 00:00'
    """
    return datetime.fromtimestamp(time // 1000, UTC).isoformat(" ", "minutes")[:16]
