"""What the kernel handles: worlds, turns and their commits, limits and the outcome of a run."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from folkmoot.sim.activity import Activity
from folkmoot.sim.calls import Caller
from folkmoot.sim.events import Event
from folkmoot.sim.protocols import (
    Action,
    Agent,
    Alert,
    Answer,
    Environment,
    LabelScores,
    Message,
    Sampling,
    Trigger,
    View,
)
from folkmoot.sim.rng import stream, uniform


class Sink(Protocol):
    """Follows the commits: monitors, the live view, notes."""

    def committed(self, events: Sequence[Event], turn: "Turn | None") -> None:
        """Take committed events; O(1), never blocks. `turn` is the activation that led to them."""

    async def settle(self) -> str | None:
        """Called after each commit: waits where a monitor that may stop the run is due; a reason stops it."""


@dataclass(slots=True)
class World:
    """One community in the run: its environment, its people and how they act."""

    environment: Environment
    agents: Mapping[str, Agent]
    activity: Activity = field(default_factory=Activity)
    rates: Mapping[str, float] = field(default_factory=dict)

    def reaction(self, alert: Alert, event: Event, seed: int) -> int | None:
        """Simulated ms after which the alerted agent looks because of this event; None if it never does."""
        chance = self.activity.react.get(alert.trigger, 0.0)
        if not chance or alert.agent not in self.agents:
            return None
        # Draws go by what was done, not by its number: where two runs branch, numbers shift and the same act
        # meets the same luck. Recorded times may be rounded to minutes; their numbers are the same in both.
        key = (event.seq,) if event.origin == "recorded" else (event.actor, event.time)
        if uniform(seed, alert.agent, "react", *key) >= chance:
            return None
        return self.activity.reaction.sample_ms(uniform(seed, alert.agent, "reaction", *key))


class Spending(Protocol):
    """What the calls have used so far."""

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens."""

    @property
    def cost(self) -> float:
        """US dollars."""


@dataclass(slots=True)
class Limits:
    """Where a run ends. `end` is the planned end (ms, simulated); the others are budgets.

    Comments, tokens (prompt and completion) and cost (US dollars) are looked at after each new commit, and
    those of a run that is resumed count from its start. `wall_s` counts the seconds of this process and ends
    the run at once: a commit that waits for its answer is given up. Either way the log is a prefix.
    """

    end: int
    max_comments: int | None = None
    wall_s: float | None = None
    tokens: int | None = None
    cost: float | None = None

    def used_up(self, comments: int, caller: Caller, spending: Spending | None) -> str | None:
        """Which budget is used up by so many comments and by what calls cost, recorded and new; None if none is."""
        tokens = caller.replayed_tokens + (spending.tokens if spending else 0)
        cost = caller.replayed_cost + (spending.cost if spending else 0.0)
        if self.max_comments is not None and comments >= self.max_comments:
            return f"budget: max_comments {self.max_comments} reached"
        if self.tokens is not None and tokens >= self.tokens:
            return f"budget: tokens {self.tokens} used up"
        if self.cost is not None and cost >= self.cost:
            return f"budget: cost {self.cost} US dollars used up"
        return None


class Turn:
    """One activation of one agent; implements `protocols.Activation`."""

    __slots__ = ("_caller", "_seed", "agent", "calls", "causes", "facts", "now", "number", "trigger", "view", "world")

    def __init__(
        self,
        world: World,
        agent: str,
        number: int,
        now: int,
        trigger: Trigger,
        causes: tuple[int, ...],
        *,
        seed: int,
        caller: Caller,
    ) -> None:
        self._seed = seed
        self._caller = caller
        self.calls = 0
        self.world = world
        self.agent = agent
        self.number = number
        self.now = now
        self.trigger: Trigger = trigger
        self.causes = causes
        self.facts: dict[str, Any] = {}
        self.view: View | None = None  # what the agent sees, once it looks: sinks read what it was shown

    def uniform(self, name: str) -> float:
        """A uniform draw in (0, 1), fixed by (seed, agent, number, name)."""
        return uniform(self._seed, self.agent, self.number, name)

    def rng(self, name: str) -> np.random.Generator:
        """A generator of its own, fixed by (seed, agent, number, name)."""
        return stream(self._seed, self.agent, self.number, name)

    def note(self, **facts: Any) -> None:
        """Facts beside the log."""
        self.facts.update(facts)

    async def generate(self, messages: Sequence[Message], sampling: Sampling) -> Answer:
        """A recorded model call."""
        return await self._caller.generate(self._key(), messages, sampling)

    async def label_logprobs(self, messages: Sequence[Message], labels: Sequence[str]) -> LabelScores:
        """A recorded scoring call."""
        return await self._caller.label_logprobs(self._key(), messages, labels)

    def _key(self) -> tuple[str, int, int]:
        key = (self.agent, self.number, self.calls)
        self.calls += 1
        return key


@dataclass(eq=False, slots=True)
class Commit:
    """A turn on its way to the log.

    Attributes:
        result: the action, or the task that will bring it.
        recorded: the real events that it stands beside (teacher-forced mode).
        seq: the number kept for its candidate; -1 if it writes none.
    """

    turn: Turn
    result: Action | asyncio.Future[Action]
    recorded: Sequence[Event] = ()
    seq: int = -1


@dataclass(slots=True)
class Outcome:
    """How a run ended.

    Attributes:
        state: `finished`, `stopped: <why>` (resumable) or `failed: <why>` (resumable).
        comments: simulated text events (candidates in teacher-forced mode).
        skipped: targets (teacher-forced mode) without an earlier comment in their thread.
        failures: activations whose calls failed past their retries: (agent, number, reason).
    """

    state: str = "finished"
    events: int = 0
    comments: int = 0
    activations: int = 0
    failures: list[tuple[str, int, str]] = field(default_factory=list)
    most_in_flight: int = 0
    skipped: int = 0

    @property
    def succeeded(self) -> bool:
        """True only if every activation got its answers and the run wasn't cut short by a failure."""
        return not self.failures and not self.state.startswith("failed")
