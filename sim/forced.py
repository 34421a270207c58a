"""What stands in for an action: a failure, and in teacher-forced mode a candidate beside the real comment."""

from collections.abc import Sequence
from typing import Any

import msgspec

from folkmoot.sim.events import Abstained, ActionRefused, ActivationFailed, Event, TextEvent
from folkmoot.sim.protocols import Action
from folkmoot.sim.turn import Turn


class Failed(Action, frozen=True, kw_only=True):
    """The place of an action that never came."""

    reason: str

    def event(self, turn: Turn, now: int, seq: int) -> ActivationFailed:
        """The recorded failure."""
        return ActivationFailed(
            seq=seq,
            time=now,
            actor=turn.agent,
            community=turn.world.environment.community,
            origin="simulated",
            causes=turn.causes,
            reason=self.reason,
        )


def in_order(events: Sequence[TextEvent]) -> list[tuple[int, TextEvent]]:
    """When each recorded event happens (ms), in an order that a page could have taken.

    Dates on real pages are mistyped: a reply may bear an earlier one than what it answers. The order within
    a thread is that of the page (`seq`), so an event happens at the latest date of its thread so far.
    """
    latest: dict[str, int] = {}
    timed = []
    for event in sorted(events, key=lambda event: event.seq):
        latest[event.thread] = max(event.time, latest.get(event.thread, event.time))
        timed.append((latest[event.thread], event))
    return sorted(timed, key=lambda item: (item[0], item[1].seq))


NOTHING = Action(agent="", based_on=0)
"""The action of a recorded event that nobody writes a candidate for."""


def candidate(action: Action, recorded: Event, turn: Turn, seq: int) -> Event:
    """What the agent wrote for a target: beside the recorded comment, never applied."""
    if isinstance(action, Failed):
        return action.event(turn, recorded.time, seq)
    text = getattr(action, "text", None)
    if isinstance(recorded, TextEvent) and hasattr(action, "parent") and text is not None:
        return msgspec.structs.replace(
            recorded,
            seq=seq,
            actor=turn.agent,
            origin="candidate",
            causes=turn.causes,
            text=text,
            target=recorded.seq,
            source_id=None,
            source_offset=None,
        )
    common: dict[str, Any] = {
        "seq": seq,
        "time": recorded.time,
        "actor": turn.agent,
        "community": recorded.community,
        "origin": "candidate",
        "causes": turn.causes,
        "reason": getattr(action, "reason", ""),
    }
    if hasattr(action, "action"):
        return ActionRefused(action=action.action, text=text, thread=getattr(action, "thread", None), **common)
    return Abstained(**common)
