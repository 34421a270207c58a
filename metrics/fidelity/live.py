"""The fidelity monitor: what is committed is held against its authors' personas, beside the run and never in its way.

It has a queue and a task of its own, so that a slow evaluator delays no other monitor. What is scored, against whose
persona, in which batch, and when numbers are published are functions of the log and the seed alone. It reads the common
fields of text events and never asks which environment wrote them.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from folkmoot.metrics.alarms import Gate, may_stop
from folkmoot.metrics.clock import MS_PER_DAY, PublishClock
from folkmoot.metrics.context import Contexts
from folkmoot.metrics.fidelity.drift import DriftAlarm
from folkmoot.metrics.fidelity.evaluator import Evaluator, Item
from folkmoot.metrics.fidelity.ledger import NAME, Ledger
from folkmoot.metrics.fidelity.live_config import FidelityMonitorConfig
from folkmoot.metrics.fidelity.scored import ScoredText, rounded
from folkmoot.metrics.fidelity.spaces import LabelSpace, NoCues, persona_space
from folkmoot.metrics.fidelity.swap import Swaps
from folkmoot.metrics.reader import Reader
from folkmoot.metrics.records import AlarmRaised, Point, Record
from folkmoot.metrics.tallies import Counting
from folkmoot.sim.errors import ModelError
from folkmoot.sim.events import Event, TextEvent
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import LanguageModel, Utterance
from folkmoot.sim.rng import uniform
from folkmoot.sim.together import together


class FidelityFeed(Reader):
    """Scores the committed texts of one community.

    Args:
        config: of the monitor.
        personas: agent -> persona; those without cues are counted, and so are their texts.
        model: the evaluator.
        counting: which texts count as simulated.
        seed: of the run.
        on_publish: called with each point and alarm, in the run's loop.
        on_scored: called with each scored text, in the order of the log.
        reread: first seq -> the committed events from there on, read from the log.
        capacity: events that may wait in memory.

    Attributes:
        losses: texts that were not scored, by reason.
        texts: those that count.
        drawn: those of them that were to be scored (`share`).
        failure: what the evaluator said the first time that it failed.
    """

    def __init__(
        self,
        config: FidelityMonitorConfig,
        personas: Mapping[str, Persona],
        model: LanguageModel,
        *,
        counting: Counting | None = None,
        seed: int = 0,
        on_publish: Callable[[Record], None] | None = None,
        on_scored: Callable[[ScoredText], None] | None = None,
        reread: Callable[[int], Iterable[Event]] | None = None,
        capacity: int = 4096,
    ) -> None:
        super().__init__(capacity, reread)
        self.config, self.personas = config, personas
        self.losses: Counter[str] = Counter()
        self.texts = self.drawn = 0
        self.failure = ""
        self.spaces = spaces_of(personas)
        self.without_cues = tuple(agent for agent in sorted(personas) if agent not in self.spaces)
        self.ledger = Ledger(config, {agent: config.group_of(personas[agent]) for agent in self.spaces}, seed)
        self.evaluator = Evaluator(model, permutations=config.permutations, seed=seed)
        self._swaps = Swaps(self.spaces, seed, config.swap_share)
        self._counting, self._seed = counting or Counting(), seed
        self._on_publish, self._on_scored = on_publish or _unheard, on_scored or _unheard
        every = {NAME: config.every_comments}
        self._clock = PublishClock(self._counting, every)
        self._gate = Gate(self._counting, every if may_stop(config.alarms) else {})
        self._contexts = Contexts(config.context)
        self._waiting: list[Utterance] = []
        self._published = 0

    def committed(self, events: Sequence[Event]) -> bool:
        """Hand over; True at a publish point where an alarm may stop the run: it waits for the scores there."""
        super().committed(events)
        return self._gate.reached(events)

    async def finish(self) -> None:
        """Score all that was committed; publish a last point, if anything is new since the last."""
        await self.barrier()
        await self._flush()
        if self._published < self._clock.n:
            await self._publish(self.inbox.last_time, "end")

    async def take(self, event: Event) -> None:
        """Read it, score a batch, publish, as it is due."""
        counts = self._counting(event)
        if counts and self._clock.new_day(event):
            await self._flush()
            await self._publish(event.time // MS_PER_DAY * MS_PER_DAY, "day")
        self.inbox.reading(event)
        if isinstance(event, TextEvent):
            utterance = self._contexts.take(event)
            if counts and self._scorable(event):
                self._waiting.append(utterance)
        due = self._clock.count(event) if counts else ()
        if due or len(self._waiting) >= self.config.batch:
            await self._flush()
        if due:
            await self._publish(event.time, "comments")

    def _scorable(self, event: TextEvent) -> bool:
        """Whether it is drawn and can be scored; what can't is counted."""
        self.texts += 1
        if uniform(self._seed, "fidelity share", event.community, event.seq) >= self.config.share:
            return False
        self.drawn += 1
        why = self._unscorable(event)
        if why:
            self.losses[why] += 1
        return not why

    def _unscorable(self, event: TextEvent) -> str:
        if event.actor not in self.personas:
            return "the author has no persona"
        if event.actor not in self.spaces:
            return "the author's persona has no cues"
        return "" if event.text.strip() else "empty text"

    async def _flush(self) -> None:
        """Score what waits, all together, and take it in the order of the log."""
        waiting, self._waiting = self._waiting, []
        for text in await together(self._score(utterance) for utterance in waiting):
            if text is None:
                continue
            self._on_scored(text)
            for alarm in self.ledger.add(text):
                self._on_publish(self._raised(alarm))

    async def _score(self, utterance: Utterance) -> ScoredText | None:
        """The text against its author's persona and, where it is drawn for the control, another's; a failure counts."""
        event = utterance.event
        other = self._other(event)
        item = Item(str(event.seq), self.spaces[event.actor], "\n\n".join(utterance.context), event.text)
        spaces = [item.space] if other is None else [item.space, self.spaces[other]]
        try:
            own, *swapped = await self.evaluator.against(item, spaces)
        except ModelError as error:
            self.losses["the evaluator failed"] += 1
            self.failure = self.failure or str(error)
            return None
        assert own is not None  # of an empty text alone
        return ScoredText(
            seq=event.seq,
            time=event.time,
            agent=event.actor,
            q=rounded(own),
            other=other or "",
            other_q=next((rounded(one) for one in swapped if one is not None), None),
            censored=own.censored,
            sampled=own.sampled,
            cut=own.cut,
        )

    def _other(self, event: TextEvent) -> str | None:
        return self._swaps.other(event.actor, event.seq) if self._swaps.wanted(event.seq) else None

    async def _publish(self, time: int, cause: str) -> None:
        values = await asyncio.to_thread(self.ledger.numbers)
        self._published = self._clock.n
        point = Point(seq=self.inbox.last_seq, time=time, n=self._clock.n, cause=cause, values=values)
        self.publish(point, self.config.alarms, self._on_publish)

    def _raised(self, alarm: DriftAlarm) -> AlarmRaised:
        scope = NAME if alarm.scope == "population" else f"{NAME}.{alarm.scope}.{alarm.name}"
        return AlarmRaised(
            seq=alarm.seq,
            time=alarm.time,
            n=self._clock.n,
            metric=f"{scope}.{alarm.measure}.cusum",
            value=alarm.total,
            above=alarm.threshold,
            below=None,
            stop=False,
        )


def spaces_of(personas: Mapping[str, Persona]) -> dict[str, LabelSpace]:
    """Agent -> the label space of its persona, in the order of the names; those without cues have none.

    Raises:
        ConfigError: a persona's language has no evaluation prompts.
    """
    found: dict[str, LabelSpace] = {}
    for agent in sorted(personas):
        with suppress(NoCues):
            found[agent] = persona_space(personas[agent])
    return found


def _unheard(_: object) -> None:
    """Where nobody listens."""
