"""The multi-version state of a community's Talk pages.

Everything is appended and nothing is changed in place, so that a view is two numbers: the version
(events applied so far) and the number of comments placed so far. Only archiving can be taken back,
hence `closed` keeps, for a thread, the versions at which it was archived and restored in turn.
"""

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Collection
from typing import Any

import msgspec

from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.environments.talk_page.feed import Feed
from folkmoot.sim.discussion import ThreadInfo
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import decode
from folkmoot.sim.protocols import Trigger

Comment = ThreadOpened | CommentPosted


class Thread:
    """A thread's comments, and their positions in the columns."""

    __slots__ = ("comments", "id", "page", "positions", "title")

    def __init__(self, opening: ThreadOpened) -> None:
        self.id = opening.thread
        self.page = opening.page
        self.title = opening.title
        self.comments: list[Comment] = []
        self.positions: list[int] = []


class State:
    """Columns with one row a comment, and indexes of their positions.

    Attributes:
        version: events applied so far.
        clock: the latest time of any apply, milliseconds.
        comments: column; the event of each row.
        lines: column; the thread's line in the list right after this row.
        stamps: column; the version that the row came with.
        times: column; `clock` when the row came (a recorded event keeps an older time of its own).
        before: column; position of the thread's previous row, -1 for its first.
        opened: threads in order of opening.
        closed: thread -> versions at which it was archived, restored, archived again ...
        recorded: seq in the corpus -> seq in the log.
        conflicts: seqs of the comments that were re-based.
        banned: who may not write, in the order of the bans.
    """

    def __init__(self, protected: Collection[str] = ()) -> None:
        self.version = 0
        self.clock = 0
        self.comments: list[Comment] = []
        self.lines: list[ThreadInfo] = []
        self.stamps = array("q")
        self.times = array("q")
        self.before = array("q")
        self.opened: list[Thread] = []
        self.threads: dict[str, Thread] = {}
        self.closed: dict[str, list[int]] = {}
        self.recorded: dict[int, int] = {}
        self.conflicts: list[int] = []
        self.banned: dict[str, None] = {}
        self.at: dict[int, int] = {}
        self.addressed: dict[str, list[int]] = {}
        self.feed = Feed()
        self.feeds: dict[str, Feed] = {}
        self.protected = frozenset(protected)
        self._idle: OrderedDict[str, int] = OrderedDict()
        self._closings: list[tuple[int, str]] = []

    # --- writes -----------------------------------------------------------------------------------

    def begin(self, now: int, archive_after: float) -> None:
        """Open the next version; archive what has been idle for `archive_after` milliseconds."""
        self.version += 1
        self.clock = max(self.clock, now)
        while self._idle and next(iter(self._idle.values())) + archive_after <= self.clock:
            self.close(next(iter(self._idle)))

    def keep_open(self, bound: int) -> None:
        """Archive the longest idle threads beyond `bound`."""
        while len(self._idle) > bound:
            self.close(next(iter(self._idle)))

    def close(self, thread: str) -> None:
        """Archive a thread, from this version on."""
        self.closed.setdefault(thread, []).append(self.version)
        self._closings.append((self.version, thread))
        del self._idle[thread]
        self.feed.close(thread)
        self.feeds[self.threads[thread].page].close(thread)

    def place(self, comment: Comment) -> None:
        """Add a row; a recorded comment restores its thread from the archive."""
        if isinstance(comment, ThreadOpened):
            self.threads[comment.thread] = Thread(comment)
            self.opened.append(self.threads[comment.thread])
        thread = self.threads[comment.thread]
        if self.is_closed(thread.id, self.version):
            self.closed[thread.id].append(self.version)
        position = len(self.comments)
        self.before.append(thread.positions[-1] if thread.positions else -1)
        thread.comments.append(comment)
        thread.positions.append(position)
        size = len(thread.comments)
        self._append(comment, ThreadInfo(thread.id, thread.page, thread.title, size, comment.time, archived=False))
        self._index(comment, thread, position)

    def _append(self, comment: Comment, line: ThreadInfo) -> None:
        self.comments.append(comment)
        self.lines.append(line)
        self.stamps.append(self.version)
        self.times.append(self.clock)

    def _index(self, comment: Comment, thread: Thread, position: int) -> None:
        self.at[comment.seq] = position
        self._idle[thread.id] = self.clock
        self._idle.move_to_end(thread.id)
        if thread.page not in self.feeds:
            self.feeds[thread.page] = Feed()
        self.feeds[thread.page].touch(thread.id, position)
        if thread.page not in self.protected:
            self.feed.touch(thread.id, position)
        for name in self.called(comment):
            self.addressed.setdefault(name, []).append(position)

    # --- reads ------------------------------------------------------------------------------------

    def is_closed(self, thread: str, version: int) -> bool:
        """Whether the thread was in the archive at this version."""
        turns = self.closed.get(thread)
        return turns is not None and bisect_right(turns, version) % 2 == 1

    def called(self, comment: Comment) -> dict[str, Trigger]:
        """Whom the comment calls on (name -> "reply" or "mention"), its own author excepted."""
        names: dict[str, Trigger] = {}
        if comment.parent is not None and comment.parent in self.at:
            names[self.comments[self.at[comment.parent]].actor] = "reply"
        for name in comment.mentions:
            names.setdefault(name, "mention")
        names.pop(comment.actor, None)
        return names

    # --- round trip -------------------------------------------------------------------------------

    def dump(self) -> dict[str, Any]:
        """A JSON-able copy."""
        rows = zip(self.stamps, self.times, self.comments, strict=True)
        return {
            "version": self.version,
            "clock": self.clock,
            "comments": [[stamp, time, msgspec.to_builtins(comment)] for stamp, time, comment in rows],
            "closings": [list(closing) for closing in self._closings],
            "recorded": [list(pair) for pair in self.recorded.items()],
            "conflicts": list(self.conflicts),
            "banned": list(self.banned),
        }

    @classmethod
    def load(cls, state: Any, protected: Collection[str]) -> "State":
        """The state of a `dump`, its indexes built again in the order of the versions.

        Raises:
            RuleError: a row isn't a Talk page comment.
        """
        new = cls(protected)
        closings = [(stamp, thread) for stamp, thread in state["closings"]]
        for stamp, time, row in state["comments"]:
            closings = new._close_until(stamp, closings)
            new.version, new.clock = stamp, time
            new.place(_comment(row))
        new._close_until(state["version"], closings)
        new.version, new.clock = state["version"], state["clock"]
        new.recorded = dict(state["recorded"])
        new.conflicts = list(state["conflicts"])
        new.banned = dict.fromkeys(state["banned"])
        return new

    def _close_until(self, stamp: int, closings: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Archive what was archived up to this version and is here; the rest is returned."""
        due = 0
        while due < len(closings) and closings[due][0] <= stamp and closings[due][1] in self._idle:
            self.version = closings[due][0]
            self.close(closings[due][1])
            due += 1
        return closings[due:]


def _comment(row: Any) -> Comment:
    event = decode(msgspec.json.encode(row))
    if not isinstance(event, ThreadOpened | CommentPosted):
        raise RuleError(f"not a Talk page comment: {row!r}; restore what `state()` gave")
    return event
