"""A pass over items: so many asked about at once, what became of them counted by reason."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

from folkmoot.environments.corpora.store import StageRecord
from folkmoot.environments.corpora.store.manifest import tally
from folkmoot.sim.together import together

REPAIRED = "answers after a repair"


class Outcome(Protocol):
    """What became of an item."""

    @property
    def reason(self) -> str:
        """What was done, or why nothing was."""

    @property
    def repaired(self) -> bool:
        """Whether the second answer was taken."""


Item = TypeVar("Item")
Done = TypeVar("Done", bound=Outcome)


class Pass(Generic[Item, Done]):
    """Asks about items and counts.

    Args:
        ask: what becomes of an item.
        runner: on whose event loop the calls are made.
        in_flight: items that are asked about at once.

    Attributes:
        reasons: what became of the items, counted.
        repaired: answers that were taken after a repair.
    """

    def __init__(
        self, ask: Callable[[Item], Coroutine[Any, Any, Done]], runner: asyncio.Runner, in_flight: int = 16
    ) -> None:
        self._ask, self._runner, self._in_flight = ask, runner, in_flight
        self.reasons: Counter[str] = Counter()
        self.repaired = 0

    def over(self, items: Iterable[Item]) -> Iterator[Done]:
        """What became of each, in order.

        Raises:
            ModelError: a call failed for good; with a cache, the same pass again makes only the missing ones.
        """
        waiting = iter(items)
        while batch := list(islice(waiting, self._in_flight)):
            for done in self._runner.run(together(self._ask(item) for item in batch)):
                self.reasons[done.reason] += 1
                self.repaired += done.repaired
                yield done

    def record(
        self, stage: str, thing: str, fine: Sequence[str], notes: Mapping[str, str], facts: Mapping[str, Any]
    ) -> StageRecord:
        """What was done.

        Args:
            stage: its name.
            thing: what the items are called.
            fine: reasons of those that came through.
            notes: reason -> how it is told; of `fine` ones beside their count, of others in place of a drop.
            facts: of the stage.
        """
        dropped = {why: count for why, count in self.reasons.items() if why not in fine and why not in notes}
        told = Counter({note: self.reasons[why] for why, note in notes.items()} | {REPAIRED: self.repaired})
        counts = {thing: tally(sum(self.reasons[why] for why in fine), dropped)}
        return StageRecord(name=stage, counts=counts, notes=dict(sorted((+told).items())), facts={**facts})
