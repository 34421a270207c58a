"""The latest posts of a user, gathered in memory that doesn't grow with the archive."""

import heapq
from collections import Counter
from dataclasses import replace
from hashlib import blake2b

from folkmoot.environments.corpora.timelines.base import Like, Timeline, TimelinePost
from folkmoot.environments.corpora.timelines.languages import with_language
from folkmoot.environments.corpora.timelines.limits import LONGEST, NO_DATE, TOO_EARLY, TOO_LATE, YEAR, Limits

READ = "posts read"
"""In `losses`, no loss: how many public posts the archive holds; the others in it are what was dropped of them."""

NAMELESS = "posts without an id"
UNDATED, FUTURE, ANCIENT = (f"posts {why}" for why in (NO_DATE, TOO_LATE, TOO_EARLY))
TWICE = "posts whose id was there already"
EDITED = "earlier versions of edited posts"
EMPTY = "posts with neither words nor images"
BEYOND = "posts older than the latest that count"
OLD = "posts older than the years that count"
OTHER = "entries that are no posts (deletions and others)"
LONG = f"posts of over {LONGEST} characters"
UNLISTED = "unlisted posts"
CUT = "archives that break off (kept up to there)"
NO_NOTE = "long forms of posts that aren't there (kept out)"

LIKES = f"likes {NO_DATE} (kept out)"

ASIDE = frozenset({READ, NO_NOTE})
"""Reasons in `losses` that are no loss of a post or an entry."""


class Collector:
    """Takes a user's public posts in any order and keeps the latest.

    In memory are the posts that count and 8 bytes an id.

    Args:
        limits: what counts.

    Attributes:
        losses: what was dropped, by reason.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._heap: list[tuple[int, int, TimelinePost]] = []
        self._seen: set[bytes] = set()
        self._count = 0
        self._likes: list[Like] = []
        self.losses: Counter[str] = Counter()

    def add(self, post: TimelinePost, time: int | None) -> None:
        """One more public post; `time` in ms, None where it can't be read."""
        self._count += 1
        reason = self._unfit(post, time)
        if reason:
            self.losses[reason] += 1
            return
        assert time is not None
        heapq.heappush(self._heap, (time, self._count, replace(post, time=time)))
        if len(self._heap) > self._limits.posts:
            heapq.heappop(self._heap)
            self.losses[BEYOND] += 1

    def _unfit(self, post: TimelinePost, time: int | None) -> str:
        if not post.id:
            return NAMELESS
        name = blake2b(post.id.encode(), digest_size=8).digest()
        if name in self._seen:
            return TWICE
        self._seen.add(name)
        if len(post.text) > LONGEST:
            return LONG
        if why := self._limits.amiss(time):
            return f"posts {why}"
        wordless = not (post.text or post.captions or post.poll or post.links or post.warning)
        return EMPTY if wordless and post.form != "repost" else ""

    def like(self, of: str, to: str, time: int | None) -> None:
        """A post that the user liked; of likes all are kept, some 300 bytes each."""
        why = self._limits.amiss(time)
        if why or time is None:
            self.losses[f"likes {why} (kept out)"] += 1
        else:
            self._likes.append(Like(of, to, time))

    def drop(self, reason: str) -> None:
        """Something that is no public post of the user's."""
        self.losses[reason] += 1

    def timeline(self, user: str, **about: object) -> Timeline:
        """What was kept, oldest first.

        Args:
            user: name in the archive.
            about: further fields of `Timeline`.
        """
        posts = [post for _, _, post in sorted(self._heap, key=lambda item: item[:2])]
        begin = posts[-1].time - self._limits.years * YEAR if posts else 0
        kept = tuple(with_language(post, self.losses) for post in posts if post.time >= begin)
        self.losses[OLD] += len(posts) - len(kept)
        losses = +self.losses
        losses[READ] = self._count
        return Timeline(user, kept, likes=tuple(self._likes), losses=losses, **about)  # type: ignore[arg-type]
