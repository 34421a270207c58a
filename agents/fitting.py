"""Fitting the empirical plan policy: how recorded people chose where to speak."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from folkmoot.sim.errors import CorpusError
from folkmoot.sim.events import TextEvent

RANKS = 20
"""Threads are ranked by recency up to here; answers further back are counted as `beyond`."""
DISTANCES = 20
DIGITS = 6


class _Tally:
    """One pass over the events, in order of time."""

    def __init__(self) -> None:
        self.threads: dict[str, list[TextEvent]] = {}
        self.recency: list[str] = []
        self.ranks: Counter[int] = Counter()
        self.distances: Counter[int] = Counter()
        self.beyond = self.opened = self.joined = self.returned = self.own = 0
        self.alerts: Counter[str] = Counter()
        self.responses: Counter[str] = Counter()
        self.answered_cause = self.had_cause = 0
        self._pending: dict[tuple[str, str], dict[str, list[int]]] = {}

    def add(self, event: TextEvent) -> None:
        thread = self.threads.setdefault(event.thread, [])
        if thread:
            self._reply(event, thread)
        else:
            self.opened += 1
        self._alert(event, thread)
        thread.append(event)
        if event.thread in self.recency:
            self.recency.remove(event.thread)
        self.recency.insert(0, event.thread)

    def _reply(self, event: TextEvent, thread: list[TextEvent]) -> None:
        if any(earlier.actor == event.actor for earlier in thread):
            self.returned += 1
        else:
            self._join(event)
        self._respond(event)
        for distance, earlier in enumerate(reversed(thread)):
            if earlier.seq == event.parent:
                self.own += earlier.actor == event.actor
                self.distances[min(distance, DISTANCES - 1)] += 1
                break

    def _join(self, event: TextEvent) -> None:
        """Only who comes to a thread for the first time has chosen it; who comes back was called by an answer."""
        self.joined += 1
        rank = self.recency.index(event.thread)
        if rank < RANKS:
            self.ranks[rank] += 1
        else:
            self.beyond += 1

    def _respond(self, event: TextEvent) -> None:
        """A comment answers all that its author was alerted to in this thread; the strongest alert gets the credit."""
        waiting = self._pending.pop((event.thread, event.actor), {})
        for trigger in ("reply", "mention", "watch"):
            if trigger in waiting:
                self.responses[trigger] += 1
                if trigger != "watch":
                    self.had_cause += 1
                    self.answered_cause += event.parent in waiting[trigger]
                return

    def _alert(self, event: TextEvent, thread: list[TextEvent]) -> None:
        answered = next((earlier.actor for earlier in reversed(thread) if earlier.seq == event.parent), None)
        mentioned = set(getattr(event, "mentions", ()))
        for actor in dict.fromkeys([*(earlier.actor for earlier in thread), *sorted(mentioned)]):
            if actor == event.actor:
                continue
            trigger = "reply" if actor == answered else "mention" if actor in mentioned else "watch"
            self.alerts[trigger] += 1
            self._pending.setdefault((event.thread, actor), {}).setdefault(trigger, []).append(event.seq)


def fit_parameters(events: Iterable[TextEvent]) -> dict[str, Any]:
    """Parameters of `PlanPolicy`, rounded to six digits, with the counts they rest on.

    Args:
        events: recorded comments of one community, in any order; those whose parent is missing count
            for the thread's rank, not for the comment's distance.

    Raises:
        CorpusError: no events.
    """
    tally = _Tally()
    for event in sorted(events, key=lambda event: (event.time, event.seq)):
        tally.add(event)
    comments = tally.opened + tally.joined + tally.returned
    if not comments:
        raise CorpusError("the plan policy was fitted on 0 comments, at least 1 is needed; use a corpus with threads")
    answers = sum(tally.distances.values())
    return {
        "open": _share(tally.opened, tally.opened + tally.joined),
        "thread": _shares(tally.ranks, RANKS),
        "comment": _shares(tally.distances, DISTANCES),
        "self": _share(tally.own, answers),
        "cause": _share(tally.answered_cause, tally.had_cause, default=1.0),
        "abstain": {
            trigger: round(1 - tally.responses[trigger] / tally.alerts[trigger], DIGITS)
            for trigger in ("reply", "mention", "watch")
            if tally.alerts[trigger]
        },
        "n": {
            "comments": comments,
            "answers": answers,
            "beyond": tally.beyond,
            **{f"alerts_{trigger}": tally.alerts[trigger] for trigger in ("reply", "mention", "watch")},
        },
    }


def _share(part: int, whole: int, default: float = 0.0) -> float:
    return round(part / whole, DIGITS) if whole else default


def _shares(counts: Counter[int], most: int) -> list[float]:
    """Shares of 0..most-1, trailing zeros left off; [1.0] where nothing was counted."""
    total = sum(counts.values())
    if not total:
        return [1.0]
    shares = [round(counts[index] / total, DIGITS) for index in range(most)]
    while shares[-1] == 0:
        shares.pop()
    return shares
