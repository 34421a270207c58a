"""What a run of `profile` or `dialogue` has spent over all its processes: a budget is the run's, not a process's."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from folkmoot.sim.experiments.settings import Budget
from folkmoot.sim.lines import records
from folkmoot.sim.log import repair_tail

SPENT = "spent.jsonl"
"""What each batch of users cost, in a run's folder."""


class SpentLine(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens (prompt and completion) and US dollars of a batch."""

    tokens: int = 0
    cost: float = 0.0


class Spending:
    """Counts what batches cost, and keeps it beside the run's items.

    Args:
        path: the file; what stands there was spent before. A last line that a killed process left unfinished is cut.
        now: tokens and US dollars of this process so far.

    Raises:
        LogError: a line can't be read.
    """

    def __init__(self, path: Path, now: Callable[[], tuple[int, float]]) -> None:
        self._path = path
        self._now = now
        repair_tail(path)
        before = list(records(path, SpentLine, "what a batch has cost", "start a new run"))
        self._noted = now()
        self.tokens, self.cost = sum(line.tokens for line in before), sum(line.cost for line in before)

    def note(self) -> None:
        """Keep what was spent since the last note."""
        tokens, cost = (now - before for now, before in zip(self._now(), self._noted, strict=True))
        self._noted = self._now()
        self.tokens, self.cost = self.tokens + int(tokens), self.cost + cost
        if tokens or cost:
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode(SpentLine(tokens=int(tokens), cost=cost)) + b"\n")

    def used_up(self, budget: Budget, seconds: float) -> str | None:
        """Which budget is used up, in words; `seconds` are of this process."""
        for name, used, bound in (
            ("tokens", self.tokens, budget.tokens),
            ("cost", self.cost, budget.cost),
            ("wall_s", seconds, budget.wall_s),
        ):
            if bound is not None and used >= bound:
                return f"budget: {name} {bound} used up"
        return None
