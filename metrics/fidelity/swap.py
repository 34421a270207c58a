"""The control: the same texts against somebody else's persona. A score that means anything tells the two apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from folkmoot.metrics.fidelity.scored import ScoredText
from folkmoot.metrics.fidelity.spaces import LabelSpace
from folkmoot.metrics.uncertainty import Estimate, multinomial
from folkmoot.sim.rng import integer, uniform

CHANCE = 0.5

Floats = NDArray[np.float64]


class Swaps:
    """Chooses whose persona a text is held against.

    Args:
        spaces: agent -> label space, in a fixed order.
        seed: of the run.
        share: of the texts that get a second persona.
    """

    def __init__(self, spaces: Mapping[str, LabelSpace], seed: int, share: float = 1.0) -> None:
        self._agents = list(spaces)
        self._texts = {agent: str(sorted(space.texts.items())) for agent, space in spaces.items()}
        self._language = {agent: space.language for agent, space in spaces.items()}
        self._seed, self._share = seed, share

    def wanted(self, seq: int) -> bool:
        """Whether this text gets a second persona."""
        return uniform(self._seed, "fidelity swap share", seq) < self._share

    def other(self, author: str, seq: int) -> str | None:
        """One of those whose label texts differ from the author's, all alike; None where nobody's do."""
        mine, language = self._texts[author], self._language[author]
        others = [a for a in self._agents if self._texts[a] != mine and self._language[a] == language]
        return others[integer(self._seed, "fidelity swap", seq) % len(others)] if others else None


@dataclass(frozen=True, slots=True)
class Contest:
    """All that any draw of authors needs for its AUC.

    Attributes:
        wins: pairs in which a text of the row's author fits its author better than one of the column's fits another;
            ties count half. Shape (authors, authors).
        sizes: texts of each author. Shape (authors,).
    """

    wins: Floats
    sizes: Floats

    def auc(self, weights: NDArray[np.int64]) -> Floats:
        """AUC where author i counts weights[:, i] times; shapes (draws, authors) -> (draws,)."""
        found: Floats = ((weights @ self.wins) * weights).sum(1) / (weights @ self.sizes) ** 2
        return found


def contest(texts: Sequence[ScoredText]) -> Contest | None:
    """The texts that were held against two personas, by author; None where none was."""
    held: dict[str, list[tuple[float, float]]] = {}
    for one in texts:
        if (other := one.other_values) is not None:
            held.setdefault(one.agent, []).append((one.values[0], other[0]))
    if not held:
        return None
    tables = [np.array(rows) for rows in held.values()]
    columns = [_wins(tables, np.sort(table[:, 1])) for table in tables]
    return Contest(np.stack(columns, axis=1), np.array([float(len(table)) for table in tables]))


def _wins(tables: Sequence[Floats], others: Floats) -> Floats:
    """Of each author: pairs of an own score over one of these (sorted), ties half."""
    own = [table[:, 0] for table in tables]
    return np.array([(np.searchsorted(others, x) + np.searchsorted(others, x, "right")).sum() / 2 for x in own])


def swap_auc(texts: Sequence[ScoredText], *, seed: int, draws: int, level: float = 0.95) -> Estimate | None:
    """AUC of scores against the author's persona over those of the same texts against another's.

    The interval is a bootstrap over authors, percentile; NaN for one author. None where no text has both.
    """
    found = contest(texts)
    if found is None:
        return None
    n = len(found.sizes)
    low = high = float("nan")
    if n > 1:
        drawn = found.auc(multinomial(n, draws, seed, "fidelity swap"))
        low, high = (float(x) for x in np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]))
    method = f"bootstrap over authors, percentile, {level:.0%}, {draws} draws"
    return Estimate(float(found.auc(np.ones((1, n), np.int64))[0]), low, high, n, int(found.sizes.sum()), method)


LEAST = 5
"""People whose texts the control needs for a verdict; with fewer, an interval over people says nothing."""


def verdict(found: Estimate | None) -> str:
    """What the control says of the evaluator, in words.

    >>> verdict(Estimate(0.52, 0.44, 0.6, 12, 26, ""))
    "doesn't tell an author's persona from another's, so its scores say nothing about who is in character"
    """
    if found is None:
        return "was not put to the control: no text was held against another persona"
    if np.isnan(found.low):
        return "can't be judged: the texts of one author alone were held against another persona"
    if found.n_units < LEAST:
        return f"can't be judged by the texts of {found.n_units} people: at least {LEAST} are needed"
    if found.low > CHANCE:
        return "tells an author's persona from another's better than chance"
    if found.high < CHANCE:
        return "fits other personas better than the authors' own, so its scores don't say who is in character"
    return "doesn't tell an author's persona from another's, so its scores say nothing about who is in character"
