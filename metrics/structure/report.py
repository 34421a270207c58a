"""Tables of a comparison of structures."""

from collections.abc import Iterable, Mapping, Sequence

from folkmoot.metrics.structure.comparing import CONCENTRATED, DISTRIBUTIONS, Compared
from folkmoot.metrics.structure.wiring import NUMBERS
from folkmoot.metrics.table import Cell, Number, Table
from folkmoot.metrics.uncertainty import Estimate, Resampler

HEAD = ["run", "what", "units real/simulated", "real mean", "simulated mean", "W1", "two real halves", "KS"]


def tables(
    found: Mapping[str, Sequence[Compared]], resampler: Resampler, lengths: Mapping[str, str] | None = None
) -> list[Table]:
    """Distributions, and graphs. Keys are names of runs and communities; `lengths`: how long both sides are."""
    notes = [
        f"Intervals: {resampler.label}; units are cascades (sizes, shapes, answers) or users (acts, degrees).",
        "A cascade is a post with all that answers it or passes it on, and so on.",
        "W1 has the unit of what is measured; beside it what two random halves of the real units come to.",
        *(f"{name}: {said}." for name, said in (lengths or {}).items()),
    ]
    shapes = Table("structure", "Structure of the simulated community against the real one.", HEAD, notes=notes)
    graphs = Table(
        "graphs",
        "Graphs of users: share of edges with their opposite, transitivity, degree assortativity; concentration.",
        ["run", "graph", "number", "real", "simulated"],
        notes=[
            *notes[:1],
            "A draw of cascades holds fewer distinct edges than the whole: intervals lean.",
            *notes[3:],
        ],
    )
    for name, compared in found.items():
        for one in compared:
            if one.name in DISTRIBUTIONS:
                shapes.rows.append([name, *_shape(one)])
            graphs.rows += [[name, *row] for row in _graph(one)]
    return [shapes, graphs]


def _shape(one: Compared) -> list[Cell]:
    head: list[Cell] = [DISTRIBUTIONS[one.name], f"{one.n[0]}/{one.n[1]}"]
    if one.missing:
        return [*head, one.missing, *[""] * (len(HEAD) - 4)]
    floor = one.floors.get("wasserstein")
    half: Cell = "one real unit" if floor is None else Number(floor.mean, floor.low, floor.high, n=floor.n_units)
    numbers = one.numbers
    return [*head, *(_cell(numbers[key]) for key in ("real_mean", "mean", "wasserstein")), half, _cell(numbers["ks"])]


def _graph(one: Compared) -> Iterable[list[Cell]]:
    if one.name in DISTRIBUTIONS:
        names = ["gini"] if one.name in CONCENTRATED and not one.missing else []
        title = DISTRIBUTIONS[one.name]
    else:
        names, title = [] if one.missing else list(NUMBERS), one.name
        if one.missing:
            yield [title, one.missing, "", ""]
    for name in names:
        yield [title, name, _cell(one.numbers[f"real_{name}"]), _cell(one.numbers[name])]


def _cell(estimate: Estimate) -> Number:
    return Number(estimate.value, estimate.low, estimate.high, estimate.n_items, estimate.n_units)
