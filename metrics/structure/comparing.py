"""The simulated structure against the real one: distances and means with intervals, and the real side's own noise."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from folkmoot.metrics.significance import Floor, noise_floor
from folkmoot.metrics.structure.points import Groups, PointSide, distances, gini_of, support_of
from folkmoot.metrics.structure.reading import Structure, grouped
from folkmoot.metrics.structure.wiring import NUMBERS, WiringSide
from folkmoot.metrics.uncertainty import Estimate, Resampler, cluster_bootstrap

DISTRIBUTIONS = {
    "cascade_size": "posts in a cascade",
    "cascade_depth": "depth of a cascade",
    "cascade_breadth": "widest level of a cascade",
    "virality": "structural virality (mean distance of two posts)",
    "branching": "answers to a post",
    "gap_hours": "hours between a user's acts",
    "acts_per_user": "acts of a user",
    "answered_by": "users answering a user",
    "answers_to": "users that a user answers",
    "followers": "followers of a user",
    "followees": "users that a user follows",
}
"""Distribution -> what it is called in a table."""

CONCENTRATED = ("acts_per_user", "answered_by", "followers")
"""Distributions whose Gini is told."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One distribution, or one graph, on both sides.

    Attributes:
        name: of the distribution, or "answers", "follows" for a graph.
        numbers: name -> estimate; `real_` stands before the real side's.
        floors: distance -> what two real halves come to at this size.
        n: (real, simulated) sampled units.
        missing: why there are no numbers; "" where there are.
    """

    name: str
    numbers: dict[str, Estimate]
    floors: dict[str, Floor]
    n: tuple[int, int]
    missing: str = ""


def compare_structures(real: Structure, simulated: Structure, resampler: Resampler) -> list[Compared]:
    """All distributions and graphs that either side has; one without values on a side says which."""
    here, there = grouped(simulated), grouped(real)
    names = [name for name in DISTRIBUTIONS if name in here or name in there]
    found = [_distribution(name, there.get(name, []), here.get(name, []), resampler) for name in names]
    found.append(_graph("answers", real.answers, simulated.answers, resampler))
    if real.follows or simulated.follows:
        found.append(_graph("follows", _by_follower(real), _by_follower(simulated), resampler))
    return found


def _distribution(name: str, real: Groups, simulated: Groups, resampler: Resampler) -> Compared:
    n = len(real), len(simulated)
    if missing := _missing(n):
        return Compared(name, {}, {}, n, missing)
    support = support_of(real, simulated)
    sides = PointSide(real, support), PointSide(simulated, support)

    def statistic(first: Tensor, second: Tensor) -> dict[str, Tensor]:
        numbers = distances(support, first, second)
        if name in CONCENTRATED:
            numbers |= {"real_gini": gini_of(support, first), "gini": gini_of(support, second)}
        return numbers

    numbers = cluster_bootstrap(*sides, statistic, resampler, n_items=sum(map(len, simulated)))
    floors = {}
    if len(real) > 1:
        ones = torch.ones(len(real), dtype=torch.float64)
        found = noise_floor(sides[0], ones, statistic, size=len(simulated), seed=resampler.seed)
        floors = {key: found[key] for key in ("wasserstein", "ks")}
    return Compared(name, numbers, floors, n)


def _graph(
    name: str, real: Sequence[Sequence[tuple[str, str]]], simulated: Sequence[Sequence[tuple[str, str]]], by: Resampler
) -> Compared:
    n = len(real), len(simulated)
    if missing := _missing((sum(map(len, real)), sum(map(len, simulated)))):
        return Compared(name, {}, {}, n, missing)

    def statistic(first: dict[str, Tensor], second: dict[str, Tensor]) -> dict[str, Tensor]:
        return {key: part for one in NUMBERS for key, part in ((f"real_{one}", first[one]), (one, second[one]))}

    items = sum(map(len, simulated))
    return Compared(name, cluster_bootstrap(WiringSide(real), WiringSide(simulated), statistic, by, items), {}, n)


def _missing(n: tuple[int, int]) -> str:
    sides = [name for name, size in zip(("real", "simulated"), n, strict=True) if not size]
    return f"nothing on the {' and the '.join(sides)} side" if sides else ""


def _by_follower(found: Structure) -> list[list[tuple[str, str]]]:
    units: dict[str, list[tuple[str, str]]] = {}
    for edge in found.follows:
        units.setdefault(edge[0], []).append(edge)
    return list(units.values())
