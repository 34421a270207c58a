"""Numbers of a scored benchmark: separation, each dimension alone, position bias; as values and as sentences."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from folkmoot.metrics.fidelity.methods import Line
from folkmoot.metrics.fidelity.separation import Scored, pair_separation, separation
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.metrics.uncertainty import FEW_UNITS, Estimate
from folkmoot.sim.rng import stream

CHANCE: Mapping[str, float] = {"auc": 0.5, "pair_auc": 0.5, "pair_auc_groups": 0.5}
"""What a score without any knowledge gets on average."""


def results(lines: Sequence[Line], *, draws: int = 1000, seed: int = 0) -> dict[str, Any]:
    """All numbers of one method on one benchmark, JSON-able; each with interval and n (groups).

    Raises:
        MetricError: nothing can be compared.
    """
    if any(one.beats for one in lines):
        return _compared(lines, draws, seed)
    dropped = Counter({"items without a score": sum(one.score is None for one in lines)})
    rated = [one for one in lines if one.score is not None]
    whole = separation([_scored(one, one.score) for one in rated], draws=draws, seed=seed)
    numbers: dict[str, Any] = {name: asdict(getattr(whole, name)) for name in ("auc", *_PAIRS)}
    numbers |= {"groups": whole.groups, "items": whole.items, "dropped": {**+dropped, **whole.dropped}}
    numbers["chance_group_accuracy"] = _chance(rated)
    if all(one.q for one in rated):
        numbers["dimensions"] = {d: _alone(rated, d, draws, seed) for d in DIMENSIONS}
        columns = zip(*(one.places or () for one in rated), strict=True)
        numbers["places"] = [math.fsum(column) / len(rated) for column in columns]
        numbers["censored_items"] = sum(one.censored > 0 for one in rated)
        numbers["sampled_items"] = sum(one.sampled for one in rated)
        numbers["cut_items"] = sum(bool(one.cut) for one in rated)
    return numbers


_PAIRS = ("pair_auc", "pair_auc_groups", "group_accuracy")


def _compared(lines: Sequence[Line], draws: int, seed: int) -> dict[str, Any]:
    outcomes = [[_won(value) for value in one.beats] for one in lines if one.beats]
    without = sum(one.positive and not one.beats for one in lines)
    found = pair_separation(outcomes, draws=draws, seed=seed)
    numbers: dict[str, Any] = {name: asdict(value) for name, value in zip(_PAIRS, found, strict=True)}
    dropped = {"groups without a comparison": without} if without else {}
    return numbers | {"groups": len(outcomes), "items": sum(len(one) + 1 for one in outcomes), "dropped": dropped}


def _won(value: float) -> float:
    return 0.5 if value == 0.5 else float(value > 0.5)  # noqa: PLR2004 -- even odds are a tie


def _alone(lines: Sequence[Line], dimension: str, draws: int, seed: int) -> dict[str, Any]:
    found = separation([_scored(one, one.q[dimension][0]) for one in lines], draws=draws, seed=seed)
    return {name: asdict(getattr(found, name)) for name in ("auc", *_PAIRS)}


def _scored(one: Line, score: float | None) -> Scored:
    assert score is not None
    return Scored(one.item, one.group, one.positive, score)


def _chance(lines: Sequence[Line]) -> float:
    """Expected group accuracy of a score without ties that knows nothing: 1 / the size of a group, averaged."""
    sizes = Counter(one.group for one in lines)
    return math.fsum(1 / size for size in sizes.values()) / len(sizes)


def sentences(benchmark: str, method: str, model: str, numbers: Mapping[str, Any]) -> list[str]:
    """What the numbers say, in words.

    >>> one = {"value": 0.5, "low": 0.4, "high": 0.6, "n_units": 9, "n_items": 18, "method": ""}
    >>> sentences("easy", "prism", "m", {"auc": one, "pair_auc": one, "group_accuracy": one, "groups": 9, "items": 18,
    ...     "dropped": {}})[0]
    'easy, prism by m: AUC 0.500 [0.400, 0.600], not told from chance (0.5)'
    """
    said = []
    first = f"{benchmark}, {method} by {model}: "
    if "auc" in numbers:
        said.append(f"{first}AUC {shown(numbers['auc'])}, {_against(numbers['auc'])}")
    said.append(f"pair-AUC {shown(numbers['pair_auc'])}, {_against(numbers['pair_auc'])}")
    chance = f"; without knowledge {numbers['chance_group_accuracy']:.3f}" if "chance_group_accuracy" in numbers else ""
    said.append(f"group accuracy {shown(numbers['group_accuracy'])} over {numbers['groups']} groups{chance}")
    if "places" in numbers:
        places = ", ".join(f"{value:.3f}" for value in numbers["places"])
        said.append(f"displayed places have probabilities {places} (1/3 each without position bias)")
    if numbers["groups"] < FEW_UNITS:
        said.append(f"warning: {numbers['groups']} groups are few; intervals of fewer than {FEW_UNITS} say little")
    said += [f"left out: {count} {reason}" for reason, count in numbers["dropped"].items()]
    return said


def shown(estimate: Mapping[str, Any] | Estimate) -> str:
    """A value with its interval."""
    one = asdict(estimate) if isinstance(estimate, Estimate) else estimate
    return f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"


def mean_score(scores: Sequence[float], seed: int = 0, draws: int = 1000) -> dict[str, Any] | None:
    """Mean of scores with a percentile interval of a bootstrap over texts; None where there is none."""
    if not scores:
        return None
    values = np.array(scores)
    means = values[stream(seed, "mean").integers(0, len(values), (draws, len(values)))].mean(1)
    low, high = np.quantile(means, [0.025, 0.975])
    return {"value": float(values.mean()), "low": float(low), "high": float(high), "n": len(values)}


def _against(estimate: Mapping[str, Any]) -> str:
    if estimate["low"] > 0.5:  # noqa: PLR2004 -- chance
        return "better than chance (0.5)"
    return "worse than chance (0.5)" if estimate["high"] < 0.5 else "not told from chance (0.5)"  # noqa: PLR2004
