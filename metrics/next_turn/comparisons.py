"""Does one condition come nearer to people than another? Paired, on the targets that both answered.

For each score, community and model, and over all communities and models together: the difference with its interval (the
same units drawn for both), a two-sided sign-flip test over whole units, and Cohen's d_z. A unit of a community is one
unit however many models wrote for it: they are drawn, and flipped, together. Holm's correction is over all comparisons
of a score in the report.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import torch
from torch import Tensor

from folkmoot.metrics.next_turn.drawn import Key, Rows, Settings, key_of
from folkmoot.metrics.next_turn.pairs import Cell
from folkmoot.metrics.next_turn.scores import BETTER, SCORES, WIDTH, Score
from folkmoot.metrics.paired import Comparison, compare, corrected

ALL = "all"
"""Stands for all communities and models of a report."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison of two conditions.

    Attributes:
        community, model: where; `ALL` for the mean over all of them.
        first, second: the conditions.
        score: its name; `BETTER` says which way is nearer to people.
        n: targets that both answered; over several models, a target counts once for each of them.
        found: difference (first - second), p, corrected p, effect size; None with too few targets.
    """

    community: str
    model: str
    first: str
    second: str
    score: str
    n: int
    found: Comparison | None

    @property
    def verdict(self) -> str:
        """Which condition is nearer to people, where the corrected test says so at 5 %."""
        if self.found is None or not self.found.p_holm < 0.05:  # noqa: PLR2004 -- the usual level
            return ""
        nearer = self.found.difference.value * BETTER[self.score] > 0
        return self.first if nearer else self.second


@dataclass(frozen=True, slots=True)
class _Block:
    """The shared targets of two cells.

    Attributes:
        units: (community, unit) of each row.
        first, second: sums by unit, shape (units, WIDTH).
        n: how many targets.
    """

    units: tuple[tuple[str, str], ...]
    first: Tensor
    second: Tensor
    n: int


def comparisons(
    cells: Sequence[Cell], rows: Rows, settings: Settings, *, against: str | None = None, draws: int = 9999
) -> list[Compared]:
    """All comparisons of a grid.

    Args:
        cells: of the grid.
        rows: rows of each cell's usable pairs.
        settings: how numbers are made; a comparison of fewer than `least` targets has none.
        against: the condition that all others are compared with; None: every pair.
        draws: of the tests.
    """
    conditions = list(dict.fromkeys(cell.condition for cell in cells))
    by_key = {key_of(cell): cell for cell in cells}
    known = [score for score in BETTER if _measured(rows, score)]
    found: list[Compared] = []
    for first, second in _couples(conditions, against):
        blocks: dict[tuple[str, str], _Block] = {}
        for community, model in dict.fromkeys((cell.community, cell.model) for cell in cells):
            pair = [by_key.get(Key(community, model, name)) for name in (first, second)]
            if pair[0] is not None and pair[1] is not None:
                blocks[community, model] = _block(pair[0], pair[1], rows, settings)
        for (community, model), block in blocks.items():
            where = community, model, first, second
            found += [_compare(where, [block], score, settings, draws) for score in known]
        enough = [block for block in blocks.values() if block.n >= settings.least]
        if len(enough) > 1:
            found += [_compare((ALL, ALL, first, second), enough, score, settings, draws) for score in known]
    return _corrected(found)


def _measured(rows: Rows, score: str) -> bool:
    """Whether a score has numbers somewhere: BERTScore may not have been asked for."""
    return any(len(table) and not bool(SCORES[score](table.sum(0)).isnan()) for table in rows.values())


def _couples(conditions: Sequence[str], against: str | None) -> list[tuple[str, str]]:
    if against is None:
        return [(second, first) for first, second in combinations(conditions, 2)]
    return [(name, against) for name in conditions if name != against] if against in conditions else []


def _block(first: Cell, second: Cell, rows: Rows, settings: Settings) -> _Block:
    """Targets that both answered; several runs of a cell weigh by their mean."""
    tables = [_by_target(cell, rows[key_of(cell)]) for cell in (first, second)]
    shared = sorted(tables[0].keys() & tables[1].keys())
    unit = {pair.target: settings.unit_of(pair) for pair in first.usable}
    places = {name: n for n, name in enumerate(sorted({unit[target] for target in shared}))}
    where = torch.tensor([places[unit[target]] for target in shared], dtype=torch.int64)
    empty = torch.zeros(len(places), WIDTH, dtype=torch.float64)
    sums = [empty.index_add(0, where, torch.stack([table[t] for t in shared])) if shared else empty for table in tables]
    return _Block(tuple((first.community, name) for name in places), sums[0], sums[1], len(shared))


def _by_target(cell: Cell, rows: Tensor) -> dict[tuple[str, int], Tensor]:
    found: dict[tuple[str, int], list[Tensor]] = {}
    for pair, row in zip(cell.usable, rows, strict=True):
        found.setdefault(pair.target, []).append(row)
    return {target: torch.stack(several).mean(0) for target, several in found.items()}


def _compare(
    where: tuple[str, str, str, str], blocks: Sequence[_Block], score: str, settings: Settings, draws: int
) -> Compared:
    n = sum(block.n for block in blocks)
    if n < settings.least:
        return Compared(*where, score, n, None)
    units = [block.units for block in blocks]
    one, other = (_wide(units, [getattr(block, side) for block in blocks]) for side in ("first", "second"))
    found = compare(one, other, _mean_of(SCORES[score], len(blocks)), settings.resampler, n_items=n, draws=draws)
    return Compared(*where, score, n, found)


def _wide(units: Sequence[Sequence[tuple[str, str]]], tables: Sequence[Tensor]) -> Tensor:
    """Blocks side by side: a row for each unit of any of them, with its sums in the columns of each block.

    Two models of a community share the rows of its units, so that no unit counts as two independent ones.
    """
    places = {unit: place for place, unit in enumerate(sorted(set().union(*units)))}
    whole = torch.zeros(len(places), len(tables), WIDTH, dtype=torch.float64)
    for block, (own, table) in enumerate(zip(units, tables, strict=True)):
        whole[[places[unit] for unit in own], block] = table
    return whole.flatten(1)


def _mean_of(score: Score, blocks: int) -> Score:
    """The mean of a score over blocks of columns."""
    return lambda sums: score(sums.reshape(*sums.shape[:-1], blocks, WIDTH)).mean(-1)


def _corrected(found: Sequence[Compared]) -> list[Compared]:
    by_score: dict[str, list[int]] = {}
    for place, one in enumerate(found):
        if one.found is not None:
            by_score.setdefault(one.score, []).append(place)
    out = list(found)
    for places in by_score.values():
        family = [test for place in places if (test := found[place].found) is not None]
        for place, better in zip(places, corrected(family), strict=True):
            out[place] = replace(found[place], found=better)
    return out
