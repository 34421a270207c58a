"""What is kept of a scored text of a run, and means over many of them."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from folkmoot.metrics.fidelity.evidence import Evidence, Triple
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.metrics.uncertainty import Estimate, multinomial

MEASURES = ("score", *DIMENSIONS)
"""What is averaged and charted: S, and e of each dimension."""

Quotients = dict[str, Triple]
"""Dimension -> probabilities of A, B and C."""


class ScoredText(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One text of a run held against its author's persona; a line of fidelity/COMMUNITY.jsonl.

    Attributes:
        seq, time, agent: of the event.
        q: probabilities of A (aligned), B (indeterminate), C (opposite), by dimension; six digits.
        other: whose persona it was held against too, "" for nobody's.
        other_q: what came of that.
        censored, sampled, cut: as in `Evidence`.
    """

    seq: int
    time: int
    agent: str
    q: Quotients
    other: str = ""
    other_q: Quotients | None = None
    censored: int = 0
    sampled: bool = False
    cut: str = ""

    @property
    def values(self) -> tuple[float, ...]:
        """S and each e against the author's persona, in the order of `MEASURES`."""
        return values(self.q)

    @property
    def other_values(self) -> tuple[float, ...] | None:
        """The same against the other persona; None without one."""
        return None if self.other_q is None else values(self.other_q)

    @property
    def lowest(self) -> str:
        """The least aligned dimension."""
        return min(DIMENSIONS, key=lambda dimension: self.q[dimension][0])


def rounded(evidence: Evidence) -> Quotients:
    """Its probabilities with six digits: the last ones of a float depend on the machine."""
    q = evidence.q
    return {d: (round(q[d][0], 6), round(q[d][1], 6), round(q[d][2], 6)) for d in DIMENSIONS}


def values(q: Quotients) -> tuple[float, ...]:
    """S and each e.

    >>> values({"task_framing": (1, 0, 0), "interpersonal_stance": (0.5, 0.5, 0), "linguistic_style": (0, 0, 1)})
    (0.5, 1, 0.5, 0)
    """
    aligned = [q[d][0] for d in DIMENSIONS]
    return round(sum(aligned) / len(aligned), 6), *aligned


def means(
    rows: Sequence[tuple[float, ...]], units: Sequence[str], *, seed: int, draws: int, level: float = 0.95
) -> dict[str, Estimate]:
    """Mean of each measure with a percentile interval of a bootstrap over units; {} of no rows.

    Args:
        rows: a text's values each.
        units: what each text was sampled with: its author, or its own name where one author's texts are averaged.
        seed: of the draws.
        draws: how many.
        level: of the intervals; of a single unit there is none (NaN).
    """
    if not rows:
        return {}
    sums = sums_by_unit(np.array(rows), units)
    whole = sums.sum(0)
    drawn = multinomial(len(sums), draws, seed, "fidelity means") @ sums
    low, high = _bounds(drawn[:, 1:] / drawn[:, :1], level, len(sums))
    method = f"bootstrap over units, percentile, {level:.0%}, {draws} draws"
    return {
        name: Estimate(float(whole[k + 1] / whole[0]), float(low[k]), float(high[k]), len(sums), len(rows), method)
        for k, name in enumerate(MEASURES)
    }


def sums_by_unit(rows: NDArray[np.float64], units: Sequence[str]) -> NDArray[np.float64]:
    """Number of rows and sum of each column, one row a unit, in the order of their first appearance."""
    places = {unit: k for k, unit in enumerate(dict.fromkeys(units))}
    sums = np.zeros((len(places), rows.shape[1] + 1))
    np.add.at(sums, [places[unit] for unit in units], np.column_stack([np.ones(len(rows)), rows]))
    return sums


def _bounds(drawn: NDArray[np.float64], level: float, units: int) -> NDArray[np.float64]:
    if units < 2:  # noqa: PLR2004 -- one unit has no spread
        return np.full((2, drawn.shape[1]), np.nan)
    bounds: NDArray[np.float64] = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return bounds


def flat(prefix: str, estimates: Mapping[str, Estimate]) -> dict[str, float]:
    """Estimates as published numbers: name, name.low, name.high, name.n; six digits, none that isn't defined."""
    found: dict[str, float] = {}
    for name, one in estimates.items():
        key = f"{prefix}.{name}"
        parts = {key: one.value, f"{key}.low": one.low, f"{key}.high": one.high, f"{key}.n": float(one.n_items)}
        found |= {k: float(f"{v:.6g}") for k, v in parts.items() if np.isfinite(v)}
    return found
