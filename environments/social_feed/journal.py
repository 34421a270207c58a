"""What users did to posts and to each other, one row an act: counts at any version come from here."""

from array import array
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]
"""Of posts in the columns, from 0."""
Counts = NDArray[np.int32]


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


class Rows:
    """Who did what to what, in order.

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

    def __len__(self) -> int:
        return len(self.kinds)

    def write(self, kind: Act, who: int, what: int, version: int) -> None:
        """Another row."""
        self.stamps.append(version)
        self.kinds.append(kind)
        self.whos.append(who)
        self.whats.append(what)

    def listed(self) -> list[tuple[int, int, int, int]]:
        """All rows: version, kind, who, what."""
        return list(zip(self.stamps, self.kinds, self.whos, self.whats, strict=True))


class Reactions(Rows):
    """Reactions, and how often each post was liked, answered, passed on and quoted as of now.

    The counts of an earlier version are those of now less what came after, which is little: views are short-lived.
    """

    def __init__(self) -> None:
        super().__init__()
        self._counts: Counts = np.zeros((64, len(REACTIONS)), np.int32)
        self._posts = 0

    def open(self) -> None:
        """Another post: nobody has reacted to it."""
        self._posts += 1
        if self._posts > len(self._counts):
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)])

    def write(self, kind: Act, who: int, what: int, version: int) -> None:
        """Another row."""
        super().write(kind, who, what, version)
        self._counts[what, kind] += 1

    def counts(self, posts: Positions, size: int) -> Counts:
        """Likes, replies, reposts and quotes of these posts when there were `size` rows, shape (posts, 4)."""
        counts: Counts = self._counts[posts]
        if size < len(self.kinds):
            kinds, whats = np.asarray(self.kinds)[size:], np.asarray(self.whats)[size:]
            for kind in REACTIONS:
                counts[:, kind] -= _occurrences(whats[kinds == kind], posts)
        return counts

    def last(self, size: int, most: int) -> NDArray[np.int32]:
        """The posts that the last `most` of the first `size` reactions were to, in order."""
        found: NDArray[np.int32] = np.asarray(self.whats)[max(0, size - most) : size]
        return found


def _occurrences(values: NDArray[np.int32], asked: Positions) -> NDArray[np.int32]:
    """How often each of `asked` is among the values."""
    found, times = np.unique(values, return_counts=True)
    if not len(found):
        return np.zeros(len(asked), np.int32)
    at = np.minimum(np.searchsorted(found, asked), len(found) - 1)
    return np.where(found[at] == asked, times[at], 0).astype(np.int32)
