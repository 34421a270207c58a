"""What users did to posts and to each other, one row an act: counts and flags at any version come from here."""

from array import array
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Posts = NDArray[np.int32]


class Act(IntEnum):
    """What a row says; the first four are reactions to a post, the others concern a user."""

    LIKE = 0
    REPLY = 1
    REPOST = 2
    QUOTE = 3
    FOLLOW = 4
    UNFOLLOW = 5
    MUTE = 6


REACTIONS = (Act.LIKE, Act.REPLY, Act.REPOST, Act.QUOTE)


class Journal:
    """Rows in order, and how often each post was liked, answered, passed on and quoted as of now.

    The counts of an earlier version are those of now less what came after, which is little: views are short-lived.

    Attributes:
        stamps: column; version of each row.
        kinds: column; `Act`.
        whos: column; number of the user who acted.
        whats: column; position of the post, or number of the user.
    """

    def __init__(self) -> None:
        self.stamps = array("q")
        self.kinds = array("b")
        self.whos = array("i")
        self.whats = array("i")
        self._counts = [array("i") for _ in REACTIONS]

    def __len__(self) -> int:
        return len(self.kinds)

    def open(self) -> None:
        """Another post: nobody has reacted to it."""
        for counts in self._counts:
            counts.append(0)

    def write(self, kind: Act, who: int, what: int, version: int) -> None:
        """Another row."""
        self.stamps.append(version)
        self.kinds.append(kind)
        self.whos.append(who)
        self.whats.append(what)
        if kind <= Act.QUOTE:
            self._counts[kind][what] += 1

    def counts(self, posts: Posts, size: int) -> list[Posts]:
        """Likes, replies, reposts and quotes of these posts when there were `size` rows."""
        now: list[Posts] = [np.asarray(counts)[posts] for counts in self._counts]
        if size == len(self.kinds):
            return now
        kinds, whats = np.asarray(self.kinds)[size:], np.asarray(self.whats)[size:]
        return [counts - _occurrences(whats[kinds == kind], posts) for kind, counts in enumerate(now)]

    def count(self, post: int, size: int) -> list[int]:
        """The same of one post."""
        if size == len(self.kinds):
            return [counts[post] for counts in self._counts]
        return [int(counts[0]) for counts in self.counts(np.array([post], np.int32), size)]

    def reacted_to(self, size: int, last: int) -> Posts:
        """The posts that the last rows before `size` were reactions to, among `last` rows; each once, ascending."""
        kinds, whats = (np.asarray(column)[max(0, size - last) : size] for column in (self.kinds, self.whats))
        return np.unique(whats[kinds <= Act.QUOTE])


def _occurrences(values: Posts, asked: Posts) -> Posts:
    """How often each of `asked` is among the values."""
    found, times = np.unique(values, return_counts=True)
    if not len(found):
        return np.zeros(len(asked), np.int32)
    at = np.minimum(np.searchsorted(found, asked), len(found) - 1)
    return np.where(found[at] == asked, times[at], 0).astype(np.int32)
