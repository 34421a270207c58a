"""The orders of a home page: each a pure function of the posts that compete, and of a named stream.

A ranking gives each of them a score; `order` sorts. To add one, see README.md beside this file.
"""

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from folkmoot.sim.errors import RuleError
from folkmoot.sim.persona import Frozen

Scores = NDArray[np.float64]
Counts = NDArray[np.int32]

QUANTUM = 1e-6
"""Scores that are equal at this precision tie; so the last bits of one machine's logarithm decide nothing."""

LARGEST = 9e12
"""Bound of a score."""


class Pool(Protocol):
    """The posts that compete for a viewer's page, in columns of one length, newest entry first."""

    @property
    def now(self) -> int:
        """Time of the visit, milliseconds."""

    @property
    def time(self) -> NDArray[np.int64]:
        """When each came to the feed, milliseconds: when it was passed on, where it was."""

    @property
    def hours(self) -> Scores:
        """Age in hours, 0 at least."""

    @property
    def counts(self) -> Counts:
        """Likes, replies, reposts and quotes of each, shape (posts, 4)."""

    def affinity(self) -> Counts:
        """How many of the viewer's last 50 reactions (likes, replies, reposts, quotes) were to each post's author."""

    def similarity(self) -> Scores:
        """Cosine of each post's embedding and that of the viewer's profile, four decimals.

        Raises:
            RuleError: the feed has no encoder.
        """

    def uniform(self) -> Scores:
        """A draw in [0, 1) for each, fixed by (seed, community, viewer, version, now)."""


class Chronological(Frozen):
    """Newest first."""

    kind: Literal["chronological"] = "chronological"

    def scores(self, pool: Pool) -> Scores:
        """Minus the age, milliseconds."""
        return (pool.time - pool.now).astype(np.float64)


class Popular(Frozen):
    """Popularity with time decay: score = log2(1 + sum of weight x count) - age / half-life.

    Attributes:
        half_life_h: hours in which what a post's reactions count for halves.
        like: weight of a like; `reply`, `repost`, `quote` likewise.
    """

    kind: Literal["popular"] = "popular"
    half_life_h: float = Field(default=6.0, gt=0)
    like: float = Field(default=1.0, ge=0)
    reply: float = Field(default=1.0, ge=0)
    repost: float = Field(default=2.0, ge=0)
    quote: float = Field(default=2.0, ge=0)

    def scores(self, pool: Pool) -> Scores:
        """The formula above."""
        return self.popularity(pool) - pool.hours / self.half_life_h

    def popularity(self, pool: Pool) -> Scores:
        """log2(1 + sum of weight x count)."""
        weights = np.array([self.like, self.reply, self.repost, self.quote])
        popularity: Scores = np.log2(1.0 + pool.counts @ weights)
        return popularity


class Interest(Frozen):
    """What is most like the viewer's profile first, whatever its age."""

    kind: Literal["interest"] = "interest"

    def scores(self, pool: Pool) -> Scores:
        """Cosine similarity."""
        return pool.similarity()


class Engagement(Frozen):
    """What the viewer is most likely to react to: a mixture.

    score = popularity x log2(1 + reactions) + affinity x log2(1 + reactions to the author)
            + interest x cosine - age / half-life

    Attributes:
        popularity, affinity, interest: weights; no encoder is needed while `interest` is 0.
        half_life_h: hours.
    """

    kind: Literal["engagement"] = "engagement"
    popularity: float = Field(default=1.0, ge=0)
    affinity: float = Field(default=1.0, ge=0)
    interest: float = Field(default=0.0, ge=0)
    half_life_h: float = Field(default=12.0, gt=0)

    def scores(self, pool: Pool) -> Scores:
        """The formula above."""
        scores = self.popularity * Popular().popularity(pool) - pool.hours / self.half_life_h
        if self.affinity:
            scores = scores + self.affinity * np.log2(1.0 + pool.affinity())
        if self.interest:
            scores = scores + self.interest * pool.similarity()
        return scores


class Random(Frozen):
    """Every order is equally likely."""

    kind: Literal["random"] = "random"

    def scores(self, pool: Pool) -> Scores:
        """A draw each."""
        return pool.uniform()


Ranking = Chronological | Popular | Interest | Engagement | Random
"""All of them: what `ranking=` may name."""


def needs_vectors(ranking: Ranking) -> bool:
    """Whether it asks for `Pool.similarity`."""
    return isinstance(ranking, Interest) or (isinstance(ranking, Engagement) and ranking.interest > 0)


def order(scores: Scores, seqs: NDArray[np.int64]) -> NDArray[np.intp]:
    """Indices by falling score; equal ones (see `QUANTUM`) by falling seq, the newest post first.

    Raises:
        RuleError: a score isn't finite, or beyond `LARGEST`.

    >>> order(np.array([1.0, 2.0, 1.0]), np.array([7, 8, 9])).tolist()
    [1, 2, 0]
    """
    keys = np.rint(scores / QUANTUM)
    if keys.shape != seqs.shape or not np.abs(keys).max(initial=0.0) <= LARGEST / QUANTUM:
        raise RuleError(f"a ranking gave {scores!r} for {len(seqs)} posts; give each one score within {LARGEST:g}")
    return np.lexsort((-seqs, -keys))
