"""Who follows whom, readable as of any version."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from folkmoot.sim.errors import RuleError

Users = NDArray[np.int32]

STILL = 2**62
"""`until` of a follow that hasn't ended."""


class _Changed:
    """One user's row once it has changed: whom, from which version on, and up to which."""

    __slots__ = ("since", "until", "whom")

    def __init__(self, base: Users) -> None:
        self.whom = array("i", base.tobytes())
        self.since = array("q", bytes(8 * len(base)))
        self.until = array("q", [STILL]) * len(base)


class _Side:
    """One direction of the graph: rows of the start in one array, changed rows apart."""

    def __init__(self, size: int, rows: Users, columns: Users) -> None:
        self._ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=size))])
        self._columns = columns[np.argsort(rows, kind="stable")].astype(np.int32, copy=False)
        self._changed: dict[int, _Changed] = {}

    def at(self, user: int, version: int) -> Users:
        """The row of a user at a version, in order of following; read it, don't keep it."""
        changed = self._changed.get(user)
        if changed is None:
            return self._base(user)
        valid = (np.asarray(changed.since) <= version) & (np.asarray(changed.until) > version)
        row: Users = np.asarray(changed.whom, dtype=np.int32)[valid]
        return row

    def add(self, user: int, whom: int, version: int) -> None:
        changed = self._row(user)
        changed.whom.append(whom)
        changed.since.append(version)
        changed.until.append(STILL)

    def end(self, user: int, whom: int, version: int) -> None:
        changed = self._row(user)
        here = (np.asarray(changed.whom) == whom) & (np.asarray(changed.until) == STILL)
        changed.until[int(np.flatnonzero(here)[0])] = version

    def _base(self, user: int) -> Users:
        if not 0 <= user < len(self._ends) - 1:
            return np.empty(0, np.int32)
        row: Users = self._columns[self._ends[user] : self._ends[user + 1]]
        return row

    def _row(self, user: int) -> _Changed:
        if user not in self._changed:
            self._changed[user] = _Changed(self._base(user))
        return self._changed[user]


class FollowGraph:
    """Both directions of a follow graph over users numbered from 0.

    A row of the start never changes; a user who follows or unfollows gets a row of their own, in which each follow
    keeps the versions at which it began and ended.

    Args:
        size: number of users at the start; more may come.
        edges: (follower, followed) in order of following, shape (n, 2).
    """

    def __init__(self, size: int, edges: Users) -> None:
        self._followed = _Side(size, edges[:, 0], edges[:, 1])
        self._following = _Side(size, edges[:, 1], edges[:, 0])

    def followees(self, user: int, version: int) -> Users:
        """Whom the user follows, in order of following."""
        return self._followed.at(user, version)

    def followers(self, user: int, version: int) -> Users:
        """Who follows the user, in order of following."""
        return self._following.at(user, version)

    def follows(self, user: int, whom: int, version: int) -> bool:
        """Whether one follows the other."""
        return bool((self._followed.at(user, version) == whom).any())

    def follow(self, user: int, whom: int, version: int) -> None:
        """From this version on; they must not follow each other already."""
        self._followed.add(user, whom, version)
        self._following.add(whom, user, version)

    def unfollow(self, user: int, whom: int, version: int) -> None:
        """No longer, from this version on."""
        self._followed.end(user, whom, version)
        self._following.end(whom, user, version)


def edges_of(follows: Sequence[tuple[str, str]] | Users, users: Sequence[str], numbers: dict[str, int]) -> Users:
    """Edges as numbers of users, shape (n, 2), checked.

    Args:
        follows: (follower, followed), by name or as numbers of `users`.
        users: all names.
        numbers: name -> its number.

    Raises:
        RuleError: a user isn't there or follows themself, or an edge is given twice.
    """
    edges = follows.astype(np.int32) if isinstance(follows, np.ndarray) else _numbered(follows, numbers)
    edges = edges.reshape(-1, 2)
    if len(edges) and not 0 <= int(edges.min()) <= int(edges.max()) < len(users):
        raise RuleError(f"follows name users {edges.min()}..{edges.max()}; there are 0..{len(users) - 1}")
    if len(own := np.flatnonzero(edges[:, 0] == edges[:, 1])):
        raise RuleError(f"{users[int(edges[own[0], 0])]!r} follows themself; take that edge out")
    keys = np.sort(edges[:, 0].astype(np.int64) * len(users) + edges[:, 1])
    if len(twice := np.flatnonzero(keys[1:] == keys[:-1])):
        follower, followed = divmod(int(keys[twice[0]]), len(users))
        raise RuleError(f"{users[follower]!r} follows {users[followed]!r} twice; give each edge once")
    return edges


def _numbered(follows: Sequence[tuple[str, str]], numbers: dict[str, int]) -> Users:
    for edge in follows:
        for name in edge:
            if name not in numbers:
                raise RuleError(f"{edge[0]!r} follows {edge[1]!r}, but there is no user {name!r}; name all users")
    return np.array([(numbers[one], numbers[other]) for one, other in follows], np.int32).reshape(-1, 2)
