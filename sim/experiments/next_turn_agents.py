"""Who writes the targets: for each target its author as of that moment, in an order that shares prompts' beginnings.

A prompt begins with what stays (who writes, persona), then comes the page, the thread, the comments so far. So calls
are queued by author, page, thread and place, and a backend that keeps the keys and values of prompts' beginnings finds
them. Commits keep their order: calls of one batch of events wait for one another, and a batch is half of what the
kernel looks ahead.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from folkmoot.sim.calls import DUE
from folkmoot.sim.discussion import DiscussionView
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments.next_turn_sample import Candidate
from folkmoot.sim.forced import in_order
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Action, Activation, Agent

BATCH = 512
"""Recorded events whose targets are queued together; the kernel looks 1,024 ahead."""


class Place(NamedTuple):
    """When a target's call may be made.

    Attributes:
        batch: number of its batch of events.
        rank: place in the queue of all.
    """

    batch: int
    rank: int


class Queue:
    """Holds calls back until all of their batch are there, then lets them go by rank.

    Args:
        places: corpus seq of a target -> its place.
    """

    def __init__(self, places: Mapping[int, Place]) -> None:
        self._places = places
        self._missing = Counter(place.batch for place in places.values())
        self._open = {batch: asyncio.Event() for batch in self._missing}

    async def wait(self, target: int) -> None:
        """Return when the target's batch is complete; from then on the current task is due by its rank."""
        place = self._places[target]
        self._missing[place.batch] -= 1
        if not self._missing[place.batch]:
            self._open[place.batch].set()
        DUE.set(place.rank)
        await self._open[place.batch].wait()


def queue_of(targets: Sequence[Candidate], events: Sequence[TextEvent]) -> dict[int, Place]:
    """Corpus seq of a target -> its place in the queue.

    Args:
        targets: the sample.
        events: all events that are re-enacted.
    """
    when = {event.seq: place for place, (_, event) in enumerate(in_order(events))}
    by_prompt = sorted(targets, key=lambda one: (when[one.event.seq] // BATCH, *prompt_order(one.event, one.position)))
    return {one.event.seq: Place(when[one.event.seq] // BATCH, rank) for rank, one in enumerate(by_prompt)}


def prompt_order(event: TextEvent, position: int) -> tuple[str, str, str, int]:
    """What a target's prompt begins with, in order: author, page, thread, place in the thread."""
    return event.actor, str(getattr(event, "page", "")), event.thread, position


class Author:
    """One user of the corpus, who writes the targets that were theirs, one an activation, in the order of events.

    Args:
        agent: the user's pseudonym.
        targets: their targets, as the kernel reaches them.
        as_of: comment -> the persona as of that comment.
        make: persona -> the agent that writes.
        queue: orders the calls.
    """

    def __init__(
        self,
        agent: str,
        targets: Sequence[Candidate],
        as_of: Callable[[TextEvent], Persona],
        make: Callable[[Persona], Agent],
        queue: Queue,
    ) -> None:
        self.id = agent
        self._targets = targets
        self._as_of = as_of
        self._make = make
        self._queue = queue

    async def act(self, activation: Activation, view: DiscussionView) -> Action:
        """Write the next target.

        Raises:
            RuleError: the activation isn't that of the next target.
            ModelError: a call failed past its retries.
        """
        target = self._targets[activation.number]
        answered = view.event(activation.causes[-1]) if activation.causes else None
        if answered is None or answered.thread != target.event.thread:
            raise RuleError(
                f"activation {activation.number} of {self.id!r} is to write comment {target.event.seq} of thread "
                f"{target.event.thread!r}, but answers {answered and answered.thread!r}; start the run again"
            )
        await self._queue.wait(target.event.seq)
        action = self._make(self._as_of(target.event)).act(activation, view)
        return action if isinstance(action, Action) else await action
