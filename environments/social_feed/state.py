"""The multi-version state of a feed.

Posts and acts are appended to columns and nothing that a view reads is changed in place, so a view is three numbers:
the version (events applied so far), and how many posts and reactions it may see. See `journal` for counts and `follows`
for the graph.
"""

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from heapq import merge
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from folkmoot.environments.social_feed.follows import FollowGraph, Users, edges_of
from folkmoot.environments.social_feed.journal import Act, Reactions, Rows
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import decode
from folkmoot.sim.feed import PostCreated
from folkmoot.sim.protocols import Trigger


class Marker:
    """Tells members of a set of small numbers: linear in what is asked, whatever there is."""

    def __init__(self) -> None:
        self._marks = np.zeros(64, np.bool_)

    def among(self, members: NDArray[Any], asked: NDArray[Any], size: int) -> NDArray[np.bool_]:
        """Which of the numbers asked for are members; all are below `size`."""
        if size > len(self._marks):
            self._marks = np.zeros(2 * size, np.bool_)
        self._marks[members] = True
        found: NDArray[np.bool_] = self._marks[asked]
        self._marks[members] = False
        return found


NONE = -1
"""No such post or user."""

_MARKING = frozenset({Act.LIKE, Act.REPOST})


class State:
    """Columns with one row a post, the journal of acts, the follow graph.

    Attributes:
        version: events applied so far.
        posts: column; the events.
        stamps: column; the version that each came with.
        seqs, times: columns of the events' fields; `seqs` rises.
        authors: column; number of the author.
        before: column; position of the author's previous post.
        origins: column; position of the post shown: its own, or that of the post which a repost passes on.
        newest: by user; position of their newest post.
        numbers: name -> number of the user; `names` the other way.
        reactions, relations: what was done to posts, and to users.
        addressed: user -> positions of posts that answer, mention or quote them.
        acts: user -> rows of their reactions.
        marks: user -> versions of their likes and reposts, by post (`marked`).
        mutes: user -> whom they muted, in order.
        users, entries: tell members among users and among positions.
        recorded: seq in the corpus -> seq in the log.
        threads: ids of conversations that recorded posts brought.
    """

    def __init__(self, users: Sequence[str], follows: Sequence[tuple[str, str]] | Users) -> None:
        self.version = 0
        self.posts: list[PostCreated] = []
        self.stamps, self.seqs, self.times = array("q"), array("q"), array("q")
        self.authors, self.before, self.origins = array("i"), array("i"), array("i")
        self.names = list(users)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        if len(self.numbers) < len(self.names):
            raise RuleError(f"{len(self.names)} users have {len(self.numbers)} names; name each user once")
        self.newest = array("i", [NONE]) * len(self.names)
        self.graph = FollowGraph(len(self.names), edges_of(follows, self.names, self.numbers))
        self.reactions, self.relations = Reactions(), Rows()
        self.addressed: dict[int, array[int]] = {}
        self.acts: dict[int, array[int]] = {}
        self.mutes: dict[int, array[int]] = {}
        self.recorded: dict[int, int] = {}
        self.threads: set[str] = set()
        self._began = len(self.names)
        self._came = array("q")
        self._marked: dict[int, int] = {}
        self.users, self.entries = Marker(), Marker()

    # --- writes -----------------------------------------------------------------------------------

    def number(self, name: str) -> int:
        """The number of a user, a new one where the name is new."""
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = len(self.names)
            self.names.append(name)
            self.newest.append(NONE)
            self._came.append(self.version)
        return found

    def place(self, post: PostCreated) -> None:
        """Another post, with what it does to the post that it answers or passes on."""
        position, author = len(self.posts), self.number(post.actor)
        self.posts.append(post)
        self.stamps.append(self.version)
        self.seqs.append(post.seq)
        self.times.append(post.time)
        self.authors.append(author)
        self.before.append(self.newest[author])
        self.newest[author] = position
        self.reactions.open()
        self._relate(post, position, author)

    def _relate(self, post: PostCreated, position: int, author: int) -> None:
        passed_on = self.origin(post.of)
        self.origins.append(passed_on if post.form == "repost" else position)
        if (parent := self.origin(post.parent)) != NONE:
            self.react(Act.REPLY, author, parent)
        if passed_on != NONE:
            self.react(Act.REPOST if post.form == "repost" else Act.QUOTE, author, passed_on)
        for name in self.called(post):
            if name in self.numbers:
                self.addressed.setdefault(self.numbers[name], array("i")).append(position)

    def react(self, kind: Act, who: int, post: int) -> None:
        """Another reaction."""
        self.acts.setdefault(who, array("i")).append(len(self.reactions))
        self.reactions.write(kind, who, post, self.version)
        if kind in _MARKING:
            self._marked.setdefault(_key(kind, who, post), self.version)

    def relate(self, kind: Act, who: int, whom: int) -> None:
        """A user follows another, follows them no longer, or mutes them."""
        self.relations.write(kind, who, whom, self.version)
        if kind == Act.FOLLOW:
            self.graph.follow(who, whom, self.version)
        elif kind == Act.UNFOLLOW:
            self.graph.unfollow(who, whom, self.version)
        else:
            self.mutes.setdefault(who, array("i")).append(whom)

    # --- reads ------------------------------------------------------------------------------------

    def at(self, seq: int | None) -> int:
        """Position of a post by its seq; NONE where there is no such post."""
        if seq is None:
            return NONE
        position = bisect_left(self.seqs, seq)
        return position if position < len(self.seqs) and self.seqs[position] == seq else NONE

    def origin(self, seq: int | None) -> int:
        """The same, through a repost to the post that it passes on."""
        position = self.at(seq)
        return position if position == NONE else self.origins[position]

    def marked(self, kind: Act, who: int, post: int, version: int) -> bool:
        """Whether the user had liked (LIKE) or passed on (REPOST) this post at a version."""
        return self._marked.get(_key(kind, who, post), version + 1) <= version

    def muted(self, who: int, whom: int) -> bool:
        """Whether a user mutes another by now."""
        return whom in self.mutes.get(who, ())

    def called(self, post: PostCreated) -> dict[str, Trigger]:
        """Whom a post calls on (name -> "reply" or "mention"), its author excepted; a repost calls on nobody."""
        names: dict[str, Trigger] = {}
        if (parent := self.origin(post.parent)) != NONE:
            names[self.posts[parent].actor] = "reply"
        if post.form == "quote" and (quoted := self.origin(post.of)) != NONE:
            names.setdefault(self.posts[quoted].actor, "mention")
        for name in post.mentions:
            names.setdefault(name, "mention")
        names.pop(post.actor, None)
        return names

    # --- round trip -------------------------------------------------------------------------------

    def dump(self) -> dict[str, Any]:
        """A JSON-able copy; the graph of the start isn't in it."""
        likes = [row for row in self.reactions.listed() if row[1] == Act.LIKE]
        posts = zip(self.stamps, self.posts, strict=True)
        return {
            "version": self.version,
            "users": [list(row) for row in zip(self._came, self.names[self._began :], strict=True)],
            "posts": [[stamp, msgspec.to_builtins(post)] for stamp, post in posts],
            "acts": [list(row) for row in merge(likes, self.relations.listed())],
            "recorded": [list(pair) for pair in self.recorded.items()],
            "threads": sorted(self.threads),
        }

    def load(self, dumped: Any) -> None:
        """Play a `dump` on this fresh state.

        Raises:
            RuleError: a row isn't a post.
        """
        users, acts = (deque(dumped[name]) for name in ("users", "acts"))
        for stamp, row in [*dumped["posts"], (dumped["version"], None)]:
            self._until(stamp, users, acts)
            if row is not None:
                self.place(_post(row))
        self.version = dumped["version"]
        self.recorded = dict(dumped["recorded"])
        self.threads = set(dumped["threads"])

    def _until(self, stamp: int, users: deque[Any], acts: deque[Any]) -> None:
        """Take in who came and what was done up to this version; an apply gives a post or an act, never both."""
        while acts and acts[0][0] <= stamp:
            self.version, kind, who, what = acts.popleft()
            self._arrive(users)
            if kind == Act.LIKE:
                self.react(Act.LIKE, who, what)
            else:
                self.relate(Act(kind), who, what)
        self.version = stamp
        self._arrive(users)

    def _arrive(self, users: deque[Any]) -> None:
        while users and users[0][0] <= self.version:
            version, name = users.popleft()
            self.number(name)
            self._came[-1] = version


def _key(kind: Act, who: int, post: int) -> int:
    return who << 34 | post << 2 | kind


def _post(row: Any) -> PostCreated:
    event = decode(msgspec.json.encode(row))
    if not isinstance(event, PostCreated):
        raise RuleError(f"not a post: {row!r}; restore what `state()` gave")
    return event
