"""Which posts compete for a home page: bounded work, however many posts, users and follows there are."""

from heapq import heapify, heappop, heapreplace
from typing import NamedTuple

import numpy as np

from folkmoot.environments.social_feed.follows import Users
from folkmoot.environments.social_feed.journal import Positions
from folkmoot.environments.social_feed.state import NONE, State


class Moment(NamedTuple):
    """Whose page, and which version of the state.

    Attributes:
        viewer: number of the user; NONE where they are nobody yet.
        version: of the state.
        posts: number of posts at that version.
        acts: number of reactions.
        hidden: users whose posts the viewer isn't shown: those muted by the viewer or for all, and the viewer.
        followees: whom the viewer follows, without the hidden.
    """

    viewer: int
    version: int
    posts: int
    acts: int
    hidden: Users
    followees: Users


def inside(state: State, moment: Moment, most: int) -> Positions:
    """Entries of the viewer's network, newest first: of the `most` newest ones, each post's newest.

    An entry is a post, or a repost, which shows the post that it passes on. Posts by hidden users are left out.
    """
    origins, before, authors, hidden = state.origins, state.before, state.authors, moment.hidden.tolist()
    heap = [-position for position in _latest(state, moment, most)]
    heapify(heap)
    shown: dict[int, int] = {}
    while heap and most:  # a merge of the followees' posts
        entry, most = -heap[0], most - 1
        if (older := before[entry]) == NONE:
            heappop(heap)
        else:
            heapreplace(heap, -older)
        origin = origins[entry]
        if origin == entry or (origin != NONE and authors[origin] not in hidden):
            shown.setdefault(origin, entry)
    return np.fromiter(shown.values(), np.int64, len(shown))


def outside(state: State, moment: Moment, most: int, taken: Positions) -> Positions:
    """Posts from outside the network, newest first.

    They are those of the `most` newest entries of all, and those that the last `most` reactions of all were to;
    without reposts, posts `taken` already and posts by followees and hidden users.
    """
    newest = np.arange(max(0, moment.posts - most), moment.posts)
    entries = np.concatenate([newest, state.reactions.last(moment.acts, most)])
    entries.sort()
    entries = entries[::-1]
    new = np.asarray(state.origins)[entries] == entries
    new[1:] &= entries[1:] != entries[:-1]
    entries = entries[new & ~state.entries.among(taken, entries, moment.posts)]
    known = np.concatenate([moment.followees, moment.hidden])
    found: Positions = entries[~state.users.among(known, np.asarray(state.authors)[entries], len(state.names))]
    return found


def _latest(state: State, moment: Moment, most: int) -> list[int]:
    """The newest entry of each followee at this version; of the `most` who have the newest ones."""
    latest = np.asarray(state.newest)[moment.followees]
    while moment.posts < len(state.posts) and (late := latest >= moment.posts).any():
        latest[late] = np.asarray(state.before)[latest[late]]
    latest = latest[latest != NONE]
    if len(latest) > most:
        latest = np.partition(latest, len(latest) - most)[len(latest) - most :]
    found: list[int] = latest.tolist()
    return found


def own(state: State, viewer: int, posts: int, most: int) -> list[int]:
    """The viewer's newest posts among the first `posts`, newest first."""
    found: list[int] = []
    position = state.newest[viewer] if viewer != NONE else NONE
    while position != NONE and len(found) < most:
        if position < posts:
            found.append(position)
        position = state.before[position]
    return found
