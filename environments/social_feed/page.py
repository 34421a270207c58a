"""A home page: the posts that compete, ranked, and the places dealt between the network and the world outside."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from folkmoot.environments.social_feed.candidates import Moment, inside, outside, own
from folkmoot.environments.social_feed.journal import Positions
from folkmoot.environments.social_feed.rankings import Counts, Scores, order
from folkmoot.environments.social_feed.rules import SocialFeedConfig
from folkmoot.environments.social_feed.state import State
from folkmoot.environments.social_feed.vectors import Vectors, cosines, words
from folkmoot.sim.errors import RuleError
from folkmoot.sim.rng import stream

HOUR = 3_600_000
REMEMBERED = 50
"""Reactions of the viewer that affinity looks at."""
OWN = 10
"""Posts of the viewer that stand for a profile where there is none."""


class Visit(NamedTuple):
    """What a home page depends on, besides the state and the rules.

    Attributes:
        now: milliseconds.
        seed: of the run.
        vectors: embeddings; None where the feed has no encoder.
    """

    moment: Moment
    user: str
    now: int
    seed: int
    community: str
    vectors: Vectors | None


class Competing:
    """The posts that compete (implements `rankings.Pool`).

    Attributes:
        entries: positions, newest first.
        followed: whether the entry is one of the viewer's network.
        origins: positions of the posts that the entries show; `seqs` their ids.
    """

    def __init__(self, state: State, visit: Visit, entries: Positions, followed: NDArray[np.bool_]) -> None:
        self._state, self._visit = state, visit
        self.now = visit.now
        self.entries = entries
        self.followed = followed
        self.origins: Positions = np.asarray(state.origins)[entries].astype(np.int64)
        self.time: NDArray[np.int64] = np.asarray(state.times)[entries]
        self.seqs: NDArray[np.int64] = np.asarray(state.seqs)[self.origins]
        self.counts = state.reactions.counts(self.origins, visit.moment.acts)

    @property
    def hours(self) -> Scores:
        """Age in hours, 0 at least."""
        return np.maximum(0.0, (self.now - self.time) / HOUR)

    def affinity(self) -> Counts:
        """The viewer's last reactions to each post's author."""
        state, moment = self._state, self._visit.moment
        rows = np.asarray(state.acts.get(moment.viewer, ()), dtype=np.int32)
        rows = rows[: np.searchsorted(rows, moment.acts)][-REMEMBERED:]
        authors = np.asarray(state.authors)
        to = authors[np.asarray(state.reactions.whats)[rows]]
        counts: Counts = (authors[self.origins][:, None] == to).sum(axis=1).astype(np.int32)
        return counts

    def similarity(self) -> Scores:
        """Cosine of each post and the profile."""
        vectors, state, moment = self._visit.vectors, self._state, self._visit.moment
        if vectors is None:
            raise RuleError(
                "the ranking compares embeddings, but the feed has no encoder; give SocialFeed(encoder=...)"
            )
        posts = vectors.of([words(state.posts[position]) for position in self.origins])
        mine = [state.posts[position] for position in own(state, moment.viewer, moment.posts, OWN)]
        return cosines(posts, vectors.profile(self._visit.user, mine))

    def uniform(self) -> Scores:
        """A draw for each, in the order of the entries."""
        visit = self._visit
        draws = stream(visit.seed, visit.community, "home", visit.user, visit.moment.version, visit.now)
        return draws.random(len(self.entries))


def compete(state: State, visit: Visit, rules: SocialFeedConfig) -> Competing:
    """The posts that compete for this visit's page."""
    most, share = rules.candidates, rules.out_of_network
    network = inside(state, visit.moment, most)
    if share == 0:
        return Competing(state, visit, network, np.ones(len(network), np.bool_))
    others = outside(state, visit.moment, most, np.asarray(state.origins)[network])
    if share == 1:
        return Competing(state, visit, others, np.zeros(len(others), np.bool_))
    entries = np.concatenate([network, others])
    falling = np.argsort(-entries)
    return Competing(state, visit, entries[falling], falling < len(network))


def places(competing: Competing, rules: SocialFeedConfig) -> Positions:
    """Indices of the entries on the page, by rank."""
    best = order(rules.ranking.scores(competing), competing.seqs)
    if rules.out_of_network in {0, 1}:
        return best[: rules.page_size]
    return np.array(_kept(best.tolist(), competing.followed[best].tolist(), rules), np.int64)


def _kept(best: list[int], followed: list[bool], rules: SocialFeedConfig) -> list[int]:
    """Those of the ranked entries that get a place: the best of either side, up to its number of places."""
    within = sum(followed)
    outer = max(round(rules.page_size * rules.out_of_network), rules.page_size - within)
    inner = rules.page_size - min(outer, len(best) - within)
    kept: list[int] = []
    for index, near in zip(best, followed, strict=True):  # a page is short: arrays would cost more
        if near and inner:
            inner -= 1
            kept.append(index)
        elif not near and outer:
            outer -= 1
            kept.append(index)
    return kept
