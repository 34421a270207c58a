"""Persona fidelity of several runs in one row: seeds are a sampled unit beside authors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from folkmoot.metrics.fidelity.scored import ScoredText, means, sums_by_unit
from folkmoot.metrics.fidelity.swap import contest, swap_auc
from folkmoot.metrics.uncertainty import Estimate, Resampler, hierarchical_bootstrap, multinomial
from folkmoot.sim.rng import integer

SCORE, CONTROL = "fidelity.score", "fidelity.swap.auc"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One run's number under any weights of its authors.

    Attributes:
        people: authors that are drawn.
        items: texts.
        of: weights, shape (draws, people) -> the number under each, shape (draws,).
    """

    people: int
    items: int
    of: Callable[[NDArray[np.int64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run's scored texts.

    Attributes:
        texts: in the order of the log.
        scorer: evaluator and way of asking, by name: numbers of two different ones don't compare.
        seed, draws, level: of the run's own intervals: a run alone has those of its summary.
    """

    texts: Sequence[ScoredText]
    scorer: Mapping[str, object]
    seed: int = 0
    draws: int = 200
    level: float = 0.95

    @property
    def people(self) -> int:
        """Authors of the texts."""
        return len({one.agent for one in self.texts})

    @property
    def controlled(self) -> bool:
        """Whether a text was held against another's persona."""
        return contest(self.texts) is not None


def compared(runs: Sequence[ScoredRun], resampler: Resampler) -> dict[str, Estimate]:
    """Mean S over the runs, and the AUC of their controls where all have one; {} where a run has no scored text.

    Args:
        runs: of one row, scored alike.
        resampler: of the draws over runs and authors; one run alone keeps its own.
    """
    if not all(run.texts for run in runs):
        return {}
    if len(runs) == 1:
        return _alone(runs[0])
    found = {SCORE: _over([_mean(run.texts) for run in runs], resampler)}
    contests = [one for run in runs if (one := contest(run.texts)) is not None]
    if len(contests) == len(runs):
        areas = [Drawn(len(one.sizes), int(one.sizes.sum()), one.auc) for one in contests]
        found[CONTROL] = _over(areas, resampler)
    return found


def _alone(run: ScoredRun) -> dict[str, Estimate]:
    rows, units = [one.values for one in run.texts], [one.agent for one in run.texts]
    found = {SCORE: means(rows, units, seed=run.seed, draws=run.draws, level=run.level)["score"]}
    area = swap_auc(run.texts, seed=run.seed, draws=run.draws, level=run.level)
    return found if area is None else found | {CONTROL: area}


def _mean(texts: Sequence[ScoredText]) -> Drawn:
    sums = sums_by_unit(np.array([one.values[:1] for one in texts]), [one.agent for one in texts])
    return Drawn(len(sums), len(texts), lambda weights: (weights @ sums[:, 1]) / (weights @ sums[:, 0]))


def _over(numbers: Sequence[Drawn], resampler: Resampler) -> Estimate:
    values = [float(one.of(np.ones((1, one.people), np.int64))[0]) for one in numbers]
    makers = [_maker(one, resampler, index) for index, one in enumerate(numbers)]
    return hierarchical_bootstrap(makers, values, resampler, sum(one.items for one in numbers))


def _maker(number: Drawn, resampler: Resampler, index: int) -> Callable[[int], Tensor]:
    """Slot -> the number under that slot's own draws of the run's authors."""

    def draw(slot: int) -> Tensor:
        seed = integer(resampler.seed, "compare fidelity", index, slot)
        return torch.from_numpy(number.of(multinomial(number.people, resampler.draws, seed, "authors")))

    return draw
