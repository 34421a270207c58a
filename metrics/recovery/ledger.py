"""A community's simulated posts and the profiles made so far, and the numbers that are published of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from folkmoot.metrics.clock import MS_PER_DAY
from folkmoot.metrics.fidelity.scored import flat
from folkmoot.metrics.profile.timelines import User
from folkmoot.metrics.recovery.config import RecoveryMonitorConfig
from folkmoot.metrics.recovery.made import SIDES, Counts, MadeProfile, Side, differences, measured
from folkmoot.metrics.recovery.names import NAME
from folkmoot.metrics.tensors import one_thread
from folkmoot.metrics.uncertainty import Estimate, Resampler
from folkmoot.sim.feed import PostCreated
from folkmoot.sim.rng import digest

_PUBLISHED: tuple[tuple[Side, str], ...] = (("simulated", NAME), ("real", f"{NAME}.real"))


@dataclass(slots=True)
class Ledger:
    """What was posted and made.

    Args:
        config: of the monitor.
        people: who is asked about.
        seed: of the draws, and of whose personas are swapped in.

    Attributes:
        posts: user -> simulated posts, in the order of the log.
        made: side -> user -> the latest profile.
    """

    config: RecoveryMonitorConfig
    people: Sequence[User]
    seed: int = 0
    posts: dict[str, list[PostCreated]] = field(init=False)
    made: dict[Side, dict[str, MadeProfile]] = field(init=False)
    _read: dict[str, int] = field(default_factory=dict)
    _ring: list[User] = field(init=False)

    def __post_init__(self) -> None:
        self.posts = {user.id: [] for user in self.people}
        self.made = {side: {} for side in SIDES}
        self._ring = sorted(self.people, key=lambda user: digest(self.seed, "recovery swap", user.id))

    def due(self) -> list[User]:
        """Users with posts enough, and with new ones since their last profile."""
        return [
            user
            for user in self.people
            if len(self.posts[user.id]) >= self.config.min_posts
            and len(self.posts[user.id]) != self._read.get(user.id, 0)
        ]

    def add(self, one: MadeProfile) -> None:
        """Take a profile; one that failed is made again at the next point."""
        self.made[one.side][one.user] = one
        if one.side == "simulated":
            self._read[one.user] = 0 if one.failed else len(self.posts[one.user])

    def others(self, user: User) -> list[User]:
        """The next ones in a drawn ring whose interests differ: so every persona is swapped in about as often."""
        at = self._ring.index(user)
        round_ = [*self._ring[at + 1 :], *self._ring[:at]]
        return [other for other in round_ if other.gold != user.gold][: self.config.swaps]

    def days(self) -> float:
        """From the first to the last simulated post."""
        times = [post.time for posts in self.posts.values() for post in posts]
        return (max(times) - min(times)) / MS_PER_DAY if times else 0.0

    def scored(self, side: Side = "simulated") -> list[str]:
        """Users whose simulated posts made a profile, and on this side too."""
        made = [self.made["simulated"], self.made[side]]
        return [user.id for user in self.people if all(user.id in one and not one[user.id].failed for one in made)]

    def numbers(self) -> dict[str, float]:
        """All that is published at this moment."""
        found = {
            f"{NAME}.n": float(len(self.scored())),
            f"{NAME}.posts": float(sum(len(posts) for posts in self.posts.values())),
        }
        with one_thread():
            for side, prefix in _PUBLISHED:
                found |= flat(prefix, self.measured(side)) | flat(f"{prefix}.swap", self.swapped(side))
                found |= flat(f"{prefix}.margin", self.margin(side))
            return found | flat(f"{NAME}.gap", self.gap())

    def measured(self, side: Side) -> dict[str, Estimate]:
        """Scores against the users' own personas."""
        return measured(self._own(side, self.scored(side)), self._drawing())

    def swapped(self, side: Side) -> dict[str, Estimate]:
        """The control: the same profiles against other people's personas."""
        return measured(self._swapped(side, self._controlled(side)), self._drawing())

    def margin(self, side: Side) -> dict[str, Estimate]:
        """Own less other people's, user by user."""
        users = self._controlled(side)
        return differences(self._own(side, users), self._swapped(side, users), self._drawing())

    def gap(self) -> dict[str, Estimate]:
        """Simulated less real, user by user."""
        users = self.scored("real")
        return differences(self._own("simulated", users), self._own("real", users), self._drawing())

    def _own(self, side: Side, users: Sequence[str]) -> list[Counts]:
        return [self.made[side][user].counts for user in users]

    def _swapped(self, side: Side, users: Sequence[str]) -> list[Counts]:
        return [self.made[side][user].swapped for user in users]

    def _controlled(self, side: Side) -> list[str]:
        return [user for user in self.scored(side) if self.made[side][user].others]

    def _drawing(self) -> Resampler:
        return Resampler(self.seed, self.config.draws, self.config.level, "percentile")
