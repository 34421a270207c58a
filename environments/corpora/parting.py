"""Where a corpus is cut in two: what a simulation may know, and what it is compared with."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from folkmoot.environments.corpora.pseudonyms import UNATTRIBUTED
from folkmoot.sim.events import TextEvent
from folkmoot.sim.rng import digest, uniform

Threads = Sequence[tuple[str, Sequence[TextEvent]]]


@dataclass(frozen=True, slots=True)
class Cut:
    """Two sides of a corpus, each in order of opening.

    Attributes:
        before: threads that histories and openings come from.
        after: threads of the reference.
        instant: milliseconds; comments from then on in threads of `before` are in no part. None: no such instant.
        users: who may become a persona; None: everybody.
    """

    before: Threads
    after: Threads
    instant: int | None = None
    users: frozenset[str] | None = None


def cut_by_time(threads: Threads, fraction: float) -> Cut:
    """At the opening of a thread: what opened earlier, and what opened then or later."""
    instant = threads[_place(threads, fraction)][1][0].time
    before = [item for item in threads if item[1][0].time < instant]
    return Cut(before, [item for item in threads if item[1][0].time >= instant], instant)


def cut_by_thread(threads: Threads, fraction: float, seed: int) -> Cut:
    """By lot, whatever their time: for reference and simulation of the same days."""
    order = sorted(threads, key=lambda item: digest(seed, "split", item[0]))
    before = {thread for thread, _ in order[: _place(threads, fraction)]}
    return Cut([item for item in threads if item[0] in before], [item for item in threads if item[0] not in before])


def cut_by_user(threads: Threads, fraction: float, seed: int, losses: Counter[str]) -> Cut:
    """Users by lot: threads whose people are all on one side; threads of both sides are in no part, and counted."""
    people = {event.actor for _, events in threads for event in events} - {UNATTRIBUTED}
    mine = frozenset(user for user in people if uniform(seed, "split", user) < fraction)
    sides: dict[bool | None, list[tuple[str, Sequence[TextEvent]]]] = {True: [], False: [], None: []}
    for item in threads:
        sides[_side(item[1], mine)].append(item)
    losses["threads of users on both sides of the split"] += len(sides[None])
    return Cut(sides[True], sides[False], None, mine)


def _side(events: Sequence[TextEvent], mine: frozenset[str]) -> bool | None:
    inside = {event.actor in mine for event in events if event.actor != UNATTRIBUTED}
    return inside.pop() if len(inside) == 1 else None


def _place(threads: Threads, fraction: float) -> int:
    """Number of threads before the cut: two at least, one left at least."""
    return min(max(round(len(threads) * fraction), 2), len(threads) - 1)
