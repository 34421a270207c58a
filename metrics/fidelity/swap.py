"""The control: the same texts against somebody else's persona. A score that means anything tells the two apart."""

from collections.abc import Mapping, Sequence

import numpy as np

from folkmoot.metrics.fidelity.scored import ScoredText
from folkmoot.metrics.fidelity.separation import auc
from folkmoot.metrics.fidelity.spaces import LabelSpace
from folkmoot.metrics.uncertainty import Estimate, multinomial
from folkmoot.sim.rng import integer, uniform

CHANCE = 0.5


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


def swap_auc(texts: Sequence[ScoredText], *, seed: int, draws: int, level: float = 0.95) -> Estimate | None:
    """AUC of scores against the author's persona over those of the same texts against another's.

    The interval is a bootstrap over authors, percentile; NaN for one author. None where no text has both.
    """
    pairs = [(one.agent, one.values[0], other[0]) for one in texts if (other := one.other_values) is not None]
    if not pairs:
        return None
    authors = list(dict.fromkeys(author for author, _, _ in pairs))
    by = [np.array([(own, other) for author, own, other in pairs if author == name]) for name in authors]
    value = _auc(by)
    low = high = float("nan")
    if len(by) > 1:
        weights = multinomial(len(by), draws, seed, "fidelity swap")
        drawn = [_auc([part for part, n in zip(by, row, strict=True) for _ in range(n)]) for row in weights]
        low, high = (float(x) for x in np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]))
    method = f"bootstrap over authors, percentile, {level:.0%}, {draws} draws"
    return Estimate(value, low, high, len(by), len(pairs), method)


def _auc(parts: Sequence[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]) -> float:
    rows = np.concatenate(parts)
    return auc(rows[:, 0].tolist(), rows[:, 1].tolist())


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
