"""Scores of cells under every bootstrap draw: the numbers, their intervals, and averages over cells.

Cells of a community have the same sampled units (threads, or users), so one draw serves all of its models and
conditions; communities are drawn independently. An average over cells is averaged draw by draw.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from folkmoot.metrics.next_turn.pairs import Cell, Pair
from folkmoot.metrics.next_turn.scores import SCORES, WIDTH, Score
from folkmoot.metrics.paired import draw_cells
from folkmoot.metrics.table import Number
from folkmoot.metrics.uncertainty import Resampler, intervals

Unit = Literal["thread", "user"]


class Key(NamedTuple):
    """A cell's place in the grid."""

    community: str
    model: str
    condition: str


DIGITS = {"human_words": 1, "agent_words": 1}
"""Score -> digits shown, where three are too many."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How numbers are made.

    Attributes:
        resampler: seed, draws, level and method.
        least: a cell of fewer usable pairs has no numbers.
        unit: what is drawn: threads, or users.
    """

    resampler: Resampler
    least: int = 20
    unit: Unit = "thread"

    def unit_of(self, pair: Pair) -> str:
        """The sampled unit of a pair."""
        return pair.thread if self.unit == "thread" else pair.user


Rows = Mapping[Key, Tensor]
"""Rows of each cell's usable pairs, in their order (`scores.rows`)."""


def key_of(cell: Cell) -> Key:
    """The cell's key."""
    return Key(cell.community, cell.model, cell.condition)


def units_of(cells: Iterable[Cell], settings: Settings) -> dict[str, int]:
    """Place of each sampled unit of a community, over all of its cells."""
    return {unit: n for n, unit in enumerate(sorted({settings.unit_of(pair) for c in cells for pair in c.pairs}))}


def summed(
    pairs: Sequence[Pair], rows: Tensor, places: Mapping[str, int], settings: Settings, keep: Callable[[Pair], bool]
) -> tuple[Tensor, int, int]:
    """Sums of the kept pairs by unit, shape (units, `WIDTH`); the number of kept pairs and of their units."""
    chosen = [(row, places[settings.unit_of(pair)]) for row, pair in enumerate(pairs) if keep(pair)]
    table = torch.zeros(len(places), WIDTH, dtype=torch.float64)
    if chosen:
        picked, where = zip(*chosen, strict=True)
        table.index_add_(0, torch.tensor(where), rows[list(picked)])
    return table, len(chosen), len({place for _, place in chosen})


def everything(pair: Pair) -> bool:  # noqa: ARG001 -- a filter that keeps all
    """Keep every pair."""
    return True


@dataclass(slots=True)
class Drawn:
    """Scores of each cell that has enough pairs.

    Attributes:
        scores: cell -> score -> values, shape (1 + draws,), the data as they are first.
        n: cell -> pairs and units behind it, of all cells.
    """

    settings: Settings
    scores: dict[Key, dict[str, Tensor]] = field(default_factory=dict)
    n: dict[Key, tuple[int, int]] = field(default_factory=dict)

    def number(self, key: Key, score: str, sd: str | None = None) -> Number | None:
        """A cell's number; None where the cell has too few pairs.

        Args:
            key: the cell.
            score: its name.
            sd: name of the score that is its standard deviation.
        """
        if key not in self.scores:
            return None
        spread = None if sd is None else self.scores[key][sd][0].item()
        return self._number(self.scores[key][score], self.n[key], spread, DIGITS.get(score))

    def average(self, keys: Sequence[Key], score: str) -> Number | None:
        """Mean over the cells that have numbers, with its interval, and their standard deviation; None for none."""
        known = [key for key in keys if key in self.scores]
        if not known:
            return None
        table = torch.stack([self.scores[key][score] for key in known])
        spread = table[:, 0].std().item() if len(known) > 1 else None
        counts = [self.n[key] for key in known]
        return self._number(
            table.mean(0), (sum(n for n, _ in counts), min(units for _, units in counts)), spread, DIGITS.get(score)
        )

    def _number(self, drawn: Tensor, n: tuple[int, int], sd: float | None, digits: int | None) -> Number:
        resampler = self.settings.resampler
        low, high = intervals(drawn[1:, None], drawn[:1], resampler.level, resampler.method)
        return Number(drawn[0].item(), low.item(), high.item(), *n, sd, digits)


def draw(
    cells: Sequence[Cell],
    rows: Rows,
    settings: Settings,
    keep: Callable[[Pair], bool] = everything,
    scores: Mapping[str, Score] = SCORES,
) -> Drawn:
    """Scores of all cells under every draw.

    Args:
        cells: of the grid.
        rows: rows of each cell's usable pairs.
        settings: how numbers are made.
        keep: which pairs count (a gender, a stratum).
        scores: which scores.
    """
    drawn = Drawn(settings)
    for community in dict.fromkeys(cell.community for cell in cells):
        mine = [cell for cell in cells if cell.community == community]
        places = units_of(mine, settings)
        sums = {}
        for cell in mine:
            key = key_of(cell)
            sums[key], *counts = summed(cell.usable, rows[key], places, settings, keep)
            drawn.n[key] = counts[0], counts[1]
        enough = [key for key in sums if drawn.n[key][0] >= settings.least]
        if enough:
            _score(drawn, {key: sums[key] for key in enough}, community, scores)
    return drawn


def _score(drawn: Drawn, sums: Mapping[Key, Tensor], community: str, scores: Mapping[str, Score]) -> None:
    found = draw_cells(torch.stack(list(sums.values())), scores, drawn.settings.resampler, community)
    for name, values in found.items():
        for place, key in enumerate(sums):
            drawn.scores.setdefault(key, {})[name] = values[:, place]
