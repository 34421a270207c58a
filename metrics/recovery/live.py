"""The recovery monitor: profiles made of what agents post in a run, held against the personas that made them.

Beside the run and never in its way, but for an alarm that may stop it: what is asked, about whom and when is a function
of the log, the corpus and the seed alone. Only posts of the run count; what stood in the feed when it began, and what
the experimenter put in, does not. The same people's real timelines are read once, before the first event.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from folkmoot.agents.interests.construct import Built
from folkmoot.agents.interests.posts import Post
from folkmoot.metrics.alarms import Gate, may_stop
from folkmoot.metrics.clock import MS_PER_DAY, PublishClock
from folkmoot.metrics.profile.profiler import Profiler
from folkmoot.metrics.profile.timelines import WORDLESS, User, latest
from folkmoot.metrics.reader import Reader
from folkmoot.metrics.records import Point, Record
from folkmoot.metrics.recovery.config import RecoveryMonitorConfig
from folkmoot.metrics.recovery.ledger import Ledger
from folkmoot.metrics.recovery.made import MadeProfile, Side, added
from folkmoot.metrics.recovery.names import NAME
from folkmoot.metrics.tallies import Counting
from folkmoot.sim.asking import FAILED
from folkmoot.sim.events import Event
from folkmoot.sim.feed import PostCreated
from folkmoot.sim.together import together

Work = Sequence[tuple[User, Sequence[Post]]]


class RecoveryFeed(Reader):
    """Makes profiles of one community's people while they post.

    Args:
        config: of the monitor.
        people: who is asked about: real timelines, and the interests that agents are conditioned on.
        profiler: makes and counts profiles; it skips failed calls.
        counting: which posts count as simulated.
        seed: of the run.
        on_publish: called with each point, in the run's loop.
        on_made: called with each profile, in the order made.
        reread: first seq -> the committed events from there on, read from the log.
        capacity: events that may wait in memory.

    Attributes:
        losses: posts that weren't read, by reason.
    """

    def __init__(
        self,
        config: RecoveryMonitorConfig,
        people: Sequence[User],
        profiler: Profiler,
        *,
        counting: Counting | None = None,
        seed: int = 0,
        on_publish: Callable[[Record], None] | None = None,
        on_made: Callable[[MadeProfile], None] | None = None,
        reread: Callable[[int], Iterable[Event]] | None = None,
        capacity: int = 4096,
    ) -> None:
        super().__init__(capacity, reread)
        self.config, self.profiler = config, profiler
        self.losses: Counter[str] = Counter()
        self.ledger = Ledger(config, people, seed)
        self._counting = counting or Counting()
        self._on_publish, self._on_made = on_publish or _unheard, on_made or _unheard
        every = {NAME: config.every_posts}
        self._clock = PublishClock(self._counting, every, config.every_days)
        self._gate = Gate(self._counting, every if may_stop(config.alarms) else {}, config.every_days)
        self._published = 0

    def committed(self, events: Sequence[Event]) -> bool:
        """Hand over; True at a publish point where an alarm may stop the run: it waits for the profiles there."""
        super().committed(events)
        return self._gate.reached(events)

    async def begin(self) -> None:
        """Read the real timelines."""
        await self._make("real", [(user, user.posts) for user in self.ledger.people])

    async def take(self, event: Event) -> None:
        """Keep a post; publish, as it is due."""
        counts = self._counting(event)
        if counts and self._clock.new_day(event) and self._published < self._clock.n:
            await self._publish(event.time // MS_PER_DAY * MS_PER_DAY, "day")
        self.inbox.reading(event)
        if isinstance(event, PostCreated):
            self._keep(event, counts=counts)
        if counts and self._clock.count(event):
            await self._publish(event.time, "comments")

    async def finish(self) -> None:
        """Read all that was committed, publish a last point if anything is new, read as many real posts."""
        await self.barrier()
        if self._published < self._clock.n:
            await self._publish(self.inbox.last_time, "end")
        if self.config.same_size:
            made = self.ledger.made["simulated"]
            await self._make(
                "same_size",
                [(user, user.posts[-made[user.id].posts :]) for user in self.ledger.people if user.id in made],
            )

    def _keep(self, event: PostCreated, *, counts: bool) -> None:
        if counts and event.actor in self.ledger.posts:
            self.ledger.posts[event.actor].append(event)
        elif counts:
            self.losses["posts of people who aren't asked about"] += 1
        elif event.wordless and event.origin in self._counting.origins and self._here(event):
            self.losses[WORDLESS] += 1

    def _here(self, event: Event) -> bool:
        return self._counting.community in {"", event.community}

    async def _publish(self, time: int, cause: str) -> None:
        due = self.ledger.due()
        await self._make("simulated", [(user, self._latest(user)) for user in due], time)
        values = await asyncio.to_thread(self.ledger.numbers)
        self._published = self._clock.n
        point = Point(seq=self.inbox.last_seq, time=time, n=self._clock.n, cause=cause, values=values)
        self.publish(point, self.config.alarms, self._on_publish)

    def _latest(self, user: User) -> list[Post]:
        """What counts of a user's posts of the run; what doesn't is a matter of `max_posts`, told with the settings."""
        return latest(self.ledger.posts[user.id], self.config, Counter())

    async def _make(self, side: Side, work: Work, time: int = 0) -> None:
        """Profiles of some users, `users_at_once` at a time, taken in their order."""
        size = self.config.users_at_once
        for start in range(0, len(work), size):
            batch = work[start : start + size]
            for one in await together(self._made(side, user, posts, time) for user, posts in batch):
                self.ledger.add(one)
                self._on_made(one)

    async def _made(self, side: Side, user: User, posts: Sequence[Post], time: int) -> MadeProfile:
        """One profile, against the user's own persona and against others."""
        built = await self.profiler.builder(user.language).build(user.id, posts, self.config.setting)
        others = self.ledger.others(user)
        counted = [await self.profiler.counted(user.id, built.profile, one.gold) for one in (user, *others)]
        notes = sum((lost for _, lost in counted), Counter(built.notes))
        simulated = side == "simulated"
        return MadeProfile(
            side=side,
            user=user.id,
            posts=len(posts),
            predicted=built.profile.model_dump(),
            persona=user.gold.model_dump(),
            counts=counted[0][0],
            n=self._clock.n if simulated else 0,
            seq=self.inbox.last_seq if simulated else 0,
            time=time,
            others=tuple(other.id for other in others),
            swapped=added([counts for counts, _ in counted[1:]]),
            reason=built.reason,
            failed=_failed(built, notes),
            notes=dict(notes),
        )


def _failed(built: Built, notes: Counter[str]) -> bool:
    """Whether a call failed for good: then what is missing says nothing of the posts."""
    return any(reason.endswith(FAILED) for reason in (built.reason, *notes))


def _unheard(_: object) -> None:
    """Where nobody listens."""
