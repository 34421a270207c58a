"""Recovery of several runs in one row: seeds are a sampled unit beside people."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from folkmoot.metrics.profile.counting import MEASURES, SCOPES, drawn, rows
from folkmoot.metrics.recovery.made import Counts, MadeProfile, differences, measured
from folkmoot.metrics.uncertainty import Estimate, Resampler, hierarchical_bootstrap
from folkmoot.sim.rng import integer

RECOVERED, MARGIN = "recovery.f1", "recovery.margin.f1"


@dataclass(frozen=True, slots=True)
class RecoveredRun:
    """A run's profiles.

    Attributes:
        profiles: of simulated posts, each person's last one, without those that failed.
        scorer: evaluator and way of asking, by name: numbers of two different ones don't compare.
        seed, draws, level: of the run's own intervals: a run alone has those of its summary.
    """

    profiles: Sequence[MadeProfile]
    scorer: Mapping[str, object]
    seed: int = 0
    draws: int = 200
    level: float = 0.95

    @property
    def people(self) -> int:
        """Who has a profile."""
        return len(self.profiles)

    @property
    def controlled(self) -> bool:
        """Whether a profile was held against others' personas."""
        return any(one.others for one in self.profiles)


def last_profiles(lines: Sequence[MadeProfile]) -> list[MadeProfile]:
    """Those that count, of the lines of recovery/COMMUNITY.jsonl, in the order in which people's draws are made."""
    last = {one.user: one for one in lines if one.side == "simulated"}
    people = [one.user for one in lines if one.side == "real"]
    return [last[user] for user in people if user in last and not last[user].failed]


def compared(runs: Sequence[RecoveredRun], resampler: Resampler) -> dict[str, Estimate]:
    """Mean tag F1 over the runs, and what it has over the control's; {} where a run has no profile.

    Args:
        runs: of one row, made alike.
        resampler: of the draws over runs and people; one run alone keeps its own.
    """
    if not all(run.profiles for run in runs):
        return {}
    swapped = [[one for one in run.profiles if one.others] for run in runs]
    if len(runs) == 1:
        return _alone(runs[0], swapped[0])
    people = sum(run.people for run in runs)
    found = {RECOVERED: _over([_of(run.profiles, _own) for run in runs], people, resampler)}
    if all(swapped):
        found[MARGIN] = _over([_of(some, _margin) for some in swapped], sum(map(len, swapped)), resampler)
    return found


def _alone(run: RecoveredRun, swapped: Sequence[MadeProfile]) -> dict[str, Estimate]:
    drawing = Resampler(run.seed, run.draws, run.level, "percentile")
    found = {RECOVERED: measured([one.counts for one in run.profiles], drawing)["f1"]}
    if swapped:
        margin = differences([one.counts for one in swapped], [one.swapped for one in swapped], drawing)
        found[MARGIN] = margin["f1"]
    return found


Number = Callable[[Sequence[MadeProfile], Resampler], Tensor]
"""Profiles -> a number of the people as they are, then of each draw; shape (1 + draws,)."""


def _of(profiles: Sequence[MadeProfile], number: Number) -> Callable[[Resampler], Tensor]:
    return lambda drawing: number(profiles, drawing)


def _own(profiles: Sequence[MadeProfile], drawing: Resampler) -> Tensor:
    return _f1([one.counts for one in profiles], drawing)


def _margin(profiles: Sequence[MadeProfile], drawing: Resampler) -> Tensor:
    return _own(profiles, drawing) - _f1([one.swapped for one in profiles], drawing)


def _f1(counts: Sequence[Counts], drawing: Resampler) -> Tensor:
    table = drawn(rows(counts), drawing)[:, SCOPES.index("all"), MEASURES.index("f1")]
    return torch.nan_to_num(table)  # nothing said of people without interests: nothing recovered


def _over(numbers: Sequence[Callable[[Resampler], Tensor]], people: int, resampler: Resampler) -> Estimate:
    values = [number(replace(resampler, draws=1, memory={}))[0].item() for number in numbers]
    makers = [_maker(number, resampler, index) for index, number in enumerate(numbers)]
    return hierarchical_bootstrap(makers, values, replace(resampler, method="percentile"), people)


def _maker(number: Callable[[Resampler], Tensor], resampler: Resampler, index: int) -> Callable[[int], Tensor]:
    """Slot -> the number under that slot's own draws of the run's people."""

    def draw(slot: int) -> Tensor:
        seed = integer(resampler.seed, "compare recovery", index, slot)
        return number(replace(resampler, seed=seed, memory={}))[1:]

    return draw
