"""The vocabulary of threaded discussion: what an agent may do and see, wherever the threads stand.

It lets `agents` and `environments` meet without importing one another.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from folkmoot.sim.events import TextEvent
from folkmoot.sim.protocols import Action, View


class Reply(Action, frozen=True, kw_only=True):
    """Answer a comment. `parent` is the seq of the comment answered."""

    page: str
    thread: str
    parent: int
    text: str


class OpenThread(Action, frozen=True, kw_only=True):
    """Open a thread on a page with its first comment."""

    page: str
    title: str
    text: str


class ThreadInfo(NamedTuple):
    """A line of the thread list, at one version of the state.

    Attributes:
        size: number of comments, the opening included.
        last_time: time of the newest comment, milliseconds.
    """

    id: str
    page: str
    title: str
    size: int
    last_time: int
    archived: bool


class DiscussionView(View, Protocol):
    """What an editor sees; every read is of one version, nothing is truncated."""

    @property
    def language(self) -> str: ...  # noqa: D102

    @property
    def pages(self) -> tuple[str, ...]:
        """Titles of the pages that this agent watches; all pages where it watches none."""

    def article(self, page: str, thread: str | None = None) -> str:
        """Text of the page's article, "" where there is none; as of this thread's beginning, if known."""

    def threads(self) -> Sequence[ThreadInfo]:
        """All threads of all pages, oldest first."""

    def recent(self, limit: int) -> Sequence[ThreadInfo]:
        """Up to `limit` threads on watched pages that can be answered, most recently active first; O(limit)."""

    def thread(self, thread: str) -> ThreadInfo:
        """One line of the list."""

    def comments(self, thread: str) -> Sequence[TextEvent]:
        """The comments of a thread, opening first; counts as reading it."""

    def mentions(self) -> Sequence[TextEvent]:
        """Comments that answer or mention this agent, newest first."""

    def event(self, seq: int) -> TextEvent | None:
        """A comment by its seq, None if it isn't in this version."""
