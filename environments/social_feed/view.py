"""What a user sees: a handle on one version of the state."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from folkmoot.environments.social_feed.candidates import Moment, own
from folkmoot.environments.social_feed.changes import Regime
from folkmoot.environments.social_feed.follows import Users
from folkmoot.environments.social_feed.home import Home
from folkmoot.environments.social_feed.journal import Act
from folkmoot.environments.social_feed.page import Visit, compete, places
from folkmoot.environments.social_feed.state import NONE, State
from folkmoot.environments.social_feed.vectors import Vectors
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.feed import Shown, Standing


class Place(NamedTuple):
    """What never changes.

    Attributes:
        community: its name.
        language: ISO 639-1 code.
        seed: of the random ranking.
        vectors: embeddings; None where the feed has no encoder.
    """

    community: str
    language: str
    seed: int
    vectors: Vectors | None


class SocialFeedView:
    """A user's view (`sim.feed.FeedView`): O(1) to make, and no later apply shows through it."""

    __slots__ = (
        "_acts",
        "_home",
        "_me",
        "_mutes",
        "_place",
        "_posts",
        "_reads",
        "_regime",
        "_state",
        "agent",
        "now",
        "version",
    )

    def __init__(self, state: State, agent: str, now: int, place: Place, regime: Regime) -> None:
        self.version = state.version
        self.agent = agent
        self.now = now
        self._state = state
        self._me = state.numbers.get(agent, NONE)
        self._place = place
        self._regime = regime
        self._posts = len(state.posts)
        self._acts = len(state.reactions)
        self._mutes = len(state.mutes.get(self._me, ()))
        self._reads: dict[str, None] = {}
        self._home: Home | None = None

    @property
    def language(self) -> str:
        """ISO 639-1 code of what is written here."""
        return self._place.language

    @property
    def community(self) -> str:
        """Name of the community."""
        return self._place.community

    @property
    def reads(self) -> tuple[str, ...]:
        """Ids of the conversations that have been read through this view, in the order of first reading."""
        return tuple(self._reads)

    @property
    def exposure(self) -> Sequence[Shown]:
        """What the user was shown on this visit: the home page if it was asked for, else nothing."""
        return self._home or ()

    def home(self) -> Sequence[Shown]:
        """The ranked home page of this visit; asking for it is the exposure. The same list each time."""
        if self._home is None:
            place = self._place
            visit = Visit(self._moment(), self.agent, self.now, place.seed, place.community, place.vectors)
            competing = compete(self._state, visit, self._regime.rules)
            self._home = Home(self._state, competing, places(competing, self._regime.rules))
        return self._home

    def notices(self, limit: int) -> Sequence[TextEvent]:
        """Posts that answer, mention or quote this user, newest first."""
        positions = self._state.addressed.get(self._me, ())
        size = bisect_left(positions, self._posts)
        return [self._state.posts[positions[at]] for at in range(size - 1, max(-1, size - 1 - limit), -1)]

    def conversation(self, post: int) -> Sequence[TextEvent]:
        """The post (of a repost, what it passes on) and all that it answers, the first post of the thread first.

        It counts as reading the thread.

        Raises:
            RuleError: there is no such post in this version.
        """
        chain: list[TextEvent] = []
        position = self._find(post)
        if self._state.origins[position] != NONE:
            position = self._state.origins[position]
        while position != NONE:
            chain.append(self._state.posts[position])
            position = self._state.origin(chain[-1].parent)
        self._reads[chain[0].thread] = None
        return chain[::-1]

    def event(self, seq: int) -> TextEvent | None:
        """A post by its seq, None if it isn't in this version."""
        position = self._state.at(seq)
        return self._state.posts[position] if 0 <= position < self._posts else None

    def standing(self, post: int) -> Standing:
        """How a post stands; of a repost, the post that it passes on.

        Raises:
            RuleError: there is no such post in this version.
        """
        position = self._state.origins[self._find(post)]
        if position == NONE:
            return Standing(0, 0, 0, 0)
        return Standing(*self._state.reactions.counts(np.array([position]), self._acts)[0].tolist())

    def own(self, limit: int) -> Sequence[TextEvent]:
        """The viewer's own posts, newest first."""
        return [self._state.posts[position] for position in own(self._state, self._me, self._posts, limit)]

    def followees(self) -> Sequence[str]:
        """Whom the viewer follows, in order of following."""
        return self._names(self._state.graph.followees(self._me, self.version))

    def followers(self) -> Sequence[str]:
        """Who follows the viewer, in order of following."""
        return self._names(self._state.graph.followers(self._me, self.version))

    def liked(self, post: int) -> bool:
        """Whether the viewer has liked this post."""
        position = self._state.origins[self._find(post)]
        return self._state.marked(Act.LIKE, self._me, position, self.version)

    def _names(self, users: Users) -> Sequence[str]:
        return [self._state.names[user] for user in users.tolist()]

    def _find(self, post: int) -> int:
        position = self._state.at(post)
        if not 0 <= position < self._posts:
            raise RuleError(f"no post {post!r} in version {self.version}; take the seq of a post that was shown")
        return position

    def _moment(self) -> Moment:
        state, me = self._state, self._me
        names = (state.numbers[name] for name in self._regime.muted if name in state.numbers)
        hidden = [*names, *islice(state.mutes.get(me, ()), self._mutes)]
        if me != NONE:
            hidden.append(me)
        followees = state.graph.followees(me, self.version)
        users = np.array(hidden, np.int32)
        if len(hidden) > 1:
            followees = followees[~state.users.among(users, followees, len(state.names))]
        return Moment(me, self.version, self._posts, self._acts, users, followees)
