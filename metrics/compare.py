"""Several runs in one table: seeds are a sampled unit beside threads."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, TypeVar

from torch import Tensor

from folkmoot.metrics.fidelity.compared import ScoredRun
from folkmoot.metrics.fidelity.compared import compared as compared_fidelity
from folkmoot.metrics.measure import Reference, side_of
from folkmoot.metrics.names import headline
from folkmoot.metrics.recovery.compared import RecoveredRun
from folkmoot.metrics.recovery.compared import compared as compared_recovery
from folkmoot.metrics.report import align_columns, draws_of, tally_all
from folkmoot.metrics.tallies import Columns, Counting, Tally
from folkmoot.metrics.target import Target
from folkmoot.metrics.uncertainty import FEW_UNITS, Estimate, Resampler, hierarchical_bootstrap, resample
from folkmoot.sim.errors import MetricError
from folkmoot.sim.events import Event
from folkmoot.sim.rng import integer


@dataclass(frozen=True, slots=True)
class RunData:
    """One run to compare.

    Attributes:
        group: what the runs of one row share: community, condition, model.
        name: of the run; runs of a group differ in their seed.
        events, columns: the run's log and annotations.
        target: its real side.
        counting: what counts as simulated.
        seed: of the run's own intervals: a run alone has those of its summary.
        scored: its persona fidelity, where it was watched.
        recovered: the profiles made of its posts, where recovery was watched.
    """

    group: str
    name: str
    events: Sequence[Event]
    columns: Columns
    target: Target
    counting: Counting = field(default_factory=Counting)
    seed: int = 0
    scored: ScoredRun | None = None
    recovered: RecoveredRun | None = None


class Asked(Protocol):
    """What a model was asked about a run."""

    @property
    def scorer(self) -> Mapping[str, object]:
        """Model and way of asking, by name: numbers of two different ones don't compare."""

    @property
    def people(self) -> int:
        """Who it was asked about."""

    @property
    def controlled(self) -> bool:
        """Whether the control was made."""


One = TypeVar("One", bound=Asked)


@dataclass(frozen=True, slots=True)
class Row:
    """A group of runs: its headlines, each with an interval over seeds and threads.

    Attributes:
        group: its name.
        runs: names of its runs.
        comments, threads: simulated, over all runs.
        numbers: "family.number" -> estimate.
        warnings: what makes the intervals doubtful.
    """

    group: str
    runs: tuple[str, ...]
    comments: int
    threads: int
    numbers: Mapping[str, Estimate]
    warnings: tuple[str, ...]


def compare(runs: Sequence[RunData], *, seed: int = 0, draws: int = 1000, device: str = "cpu") -> list[Row]:
    """One row a group, in the order given.

    Raises:
        MetricError: no runs, or a run twice in a group.
    """
    if not runs:
        raise MetricError("0 runs to compare; name 1 at least")
    groups: dict[str, list[RunData]] = {}
    for run in runs:
        groups.setdefault(run.group, []).append(run)
    resampler = Resampler(seed, draws, device=device)
    scorers = _Scorers(_differences([run.scored for run in runs]), _differences([run.recovered for run in runs]))
    return [_row(group, members, resampler, scorers) for group, members in groups.items()]


class _Scorers(NamedTuple):
    """In what the ways of asking about the runs of all rows differ, in words; "" where in nothing."""

    fidelity: str
    recovery: str


def _differences(asked: Sequence[Asked | None]) -> str:
    scorers = [one.scorer for one in asked if one is not None]
    names = dict.fromkeys(name for scorer in scorers for name in scorer)
    values = {name: list(dict.fromkeys(str(scorer.get(name, "unknown")) for scorer in scorers)) for name in names}
    return "; ".join(f"{name} {' and '.join(some)}" for name, some in values.items() if len(some) > 1)


def comparison_table(rows: Sequence[Row]) -> str:
    """The rows as aligned text, warnings below."""
    names = list(dict.fromkeys(name for row in rows for name in row.numbers))
    cells = [["run", "seeds", "comments", *names]]
    for row in rows:
        found = [_cell(row.numbers.get(name)) for name in names]
        cells.append([row.group, str(len(row.runs)), str(row.comments), *found])
    warnings = [f"warning: {row.group}: {text}" for row in rows for text in row.warnings]
    return "\n".join([*align_columns(cells), *([""] if warnings else []), *warnings])


def _row(group: str, runs: Sequence[RunData], resampler: Resampler, scorers: _Scorers) -> Row:
    names = tuple(run.name for run in runs)
    if len(set(names)) != len(names):
        raise MetricError(f"group {group!r} holds runs {list(names)}; a run counts once: leave the double out")
    tallies = [tally_all(run.events, run.columns, run.target, run.counting) for run in runs]
    families = [name for name in tallies[0] if all(name in some and some[name].size() for some in tallies)]
    numbers = {
        f"{name}.{headline(name)}": _estimate(name, runs, [some[name] for some in tallies], resampler)
        for name in families
    }
    told = (
        _asked("persona fidelity", [run.scored for run in runs], scorers.fidelity, compared_fidelity, resampler),
        _asked("recovery", [run.recovered for run in runs], scorers.recovery, compared_recovery, resampler),
    )
    for found, _ in told:
        numbers |= found
    doubts = [doubt for _, some in told for doubt in some]
    threads = [len({event.thread for event in run.events if run.counting(event)}) for run in runs]  # type: ignore[attr-defined]
    comments = sum(sum(map(run.counting, run.events)) for run in runs)
    return Row(group, names, comments, sum(threads), numbers, (*_warnings(threads), *doubts))


def _asked(
    title: str,
    runs: Sequence[One | None],
    differences: str,
    compared: Callable[[Sequence[One], Resampler], dict[str, Estimate]],
    resampler: Resampler,
) -> tuple[dict[str, Estimate], tuple[str, ...]]:
    """The numbers that a model gives of the row's runs, and what makes them doubtful; of two models there are none."""
    asked = [run for run in runs if run is not None]
    if not asked:
        return {}, ()
    bare = sum(run is None or not run.people for run in runs)
    if bare:
        return {}, (f"{title} left out: {_lack(bare, runs)}",)
    if differences:
        return {}, (f"{title} left out: scores don't compare of {differences}",)
    people, uncontrolled = min(run.people for run in asked), sum(not run.controlled for run in asked)
    few = f"{title} of {people} people: under {FEW_UNITS} its interval is too narrow"
    lost = f"{title}: its control left out: {_lack(uncontrolled, runs)}"
    doubts = (few,) * (people < FEW_UNITS) + (lost,) * (0 < uncontrolled < len(runs))
    return compared(asked, resampler), doubts


def _lack(some: int, runs: Sequence[object]) -> str:
    return f"{some} of {len(runs)} runs {'has' if some == 1 else 'have'} none"


def _estimate(name: str, runs: Sequence[RunData], tallies: Sequence[Tally], resampler: Resampler) -> Estimate:
    """The mean headline over the runs. Real draws are shared: the runs have one population to meet.

    There is nothing to average over one run: its estimate is its summary's.
    """
    if len(runs) == 1:
        own = draws_of(name, replace(resampler, seed=runs[0].seed, memory={}))
        return Reference(name, runs[0].target.tallies[name], own).measure(tallies[0])[headline(name)]
    makers, values = [], []
    for index, (run, tally) in enumerate(zip(runs, tallies, strict=True)):
        reference = Reference(name, run.target.tallies[name], resampler)
        makers.append(_maker(reference, tally, index))
        values.append(reference.measure(tally)[headline(name)].value)
    return hierarchical_bootstrap(makers, values, resampler, sum(tally.size() for tally in tallies))


def _maker(reference: Reference, tally: Tally, index: int) -> Callable[[int], Tensor]:
    """Slot -> the headline under that slot's own draws of the run's threads."""
    base = reference.resampler

    def draw(slot: int) -> Tensor:
        own = replace(base, seed=integer(base.seed, "compare", index, slot), memory={})
        sums = resample(side_of(tally, base.device), own)
        return reference.family.statistic(reference.real().sums, sums.sums)[headline(reference.name)][1:].cpu()

    return draw


def _warnings(threads: Sequence[int]) -> tuple[str, ...]:
    warnings = []
    if len(threads) < FEW_UNITS:
        word = "seed" if len(threads) == 1 else "seeds"
        meaning = "the interval covers threads only" if len(threads) == 1 else "the interval is too narrow"
        warnings.append(f"{len(threads)} {word}: {meaning}")
    if min(threads) < FEW_UNITS:
        warnings.append(f"a run of {min(threads)} threads: under {FEW_UNITS} the interval is too narrow")
    return tuple(warnings)


def _cell(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    interval = f" [{estimate.low:.3f}, {estimate.high:.3f}]" if math.isfinite(estimate.low) else ""
    return f"{estimate.value:.3f}{interval}"
