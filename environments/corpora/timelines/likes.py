"""Who liked what, among the posts of a community."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from folkmoot.environments.corpora.timelines.base import Timeline
from folkmoot.environments.corpora.timelines.threads import Conversations

ELSEWHERE = "likes of posts that aren't in the corpus"
OWN = "likes of own posts"
TWICE = "likes that are there twice"
EARLY = "likes dated before their post"


class Liked(NamedTuple):
    """A like of a post of the corpus: by whom, the post's number and author, when (ms since the epoch, UTC)."""

    user: str
    post: int
    author: str
    time: int


def read_likes(timelines: Sequence[Timeline], conversations: Conversations) -> tuple[list[Liked], Counter[str]]:
    """Likes of posts of the corpus, in order of time; and what was dropped, by reason.

    Args:
        timelines: of the users, with what they liked.
        conversations: of the same timelines.
    """
    losses: Counter[str] = Counter()
    found: dict[tuple[str, int], Liked] = {}
    for liked in _known(timelines, conversations, losses):
        key = liked.user, liked.post
        losses[TWICE] += key in found
        found.setdefault(key, liked)
    return sorted(found.values(), key=lambda each: (each.time, each.user, each.post)), losses


def _known(timelines: Sequence[Timeline], conversations: Conversations, losses: Counter[str]) -> Iterator[Liked]:
    for timeline in timelines:
        for like in sorted(timeline.likes, key=lambda like: like.time):
            place = conversations.find(like.of, like.to, timeline.user)
            if place is None:
                losses[ELSEWHERE] += 1
                continue
            time, author = conversations.of(place)
            if author == timeline.user:
                losses[OWN] += 1
            elif like.time < time:
                losses[EARLY] += 1
            else:
                yield Liked(timeline.user, place, author, like.time)
