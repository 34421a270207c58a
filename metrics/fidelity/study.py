"""A human study of benchmarks: which groups people see, under which codes, with which order of options.

Groups are drawn whole, evenly over the sets of negatives that they have: in HARD both ways of making a negative stand
equally often (PRISM, appendix D). Codes and orders come from named streams and say nothing of the truth.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import msgspec

from folkmoot.metrics.fidelity.benchmarks import Benchmark, Case
from folkmoot.metrics.fidelity.prompts import ORDERS, Order
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.rng import stream

GROUPS = 50
"""Groups of a benchmark in the paper's studies."""

ANNOTATORS = 3
"""People who see each response in the paper's studies."""


class Shown(msgspec.Struct, frozen=True):
    """One response of a study.

    Attributes:
        benchmark, item, group, positive, kind: as in the benchmark.
        orders: for each annotator and dimension, which label (0 A, 1 B, 2 C) stands at which place.
    """

    benchmark: str
    item: str
    group: str
    positive: bool
    kind: str
    orders: list[dict[str, Order]]


class Key(msgspec.Struct, frozen=True):
    """What the codes of a study stand for; not for the annotators' eyes.

    Attributes:
        seed: of all draws.
        annotators: how many.
        shown: code -> response.
        dropped: groups that can't be used, by reason.
    """

    seed: int
    annotators: int
    shown: dict[str, Shown]
    dropped: dict[str, int] = {}


def draw_study(
    benchmarks: Sequence[Benchmark], *, groups: int = GROUPS, annotators: int = ANNOTATORS, seed: int = 0
) -> tuple[Key, dict[str, Case]]:
    """The key of a study of so many groups of each benchmark, and the case behind each code.

    Raises:
        ConfigError: two benchmarks have one name, or a number is below 1.
        CorpusError: a benchmark has no whole group.
    """
    if groups < 1 or annotators < 1:
        raise ConfigError(f"groups={groups}, annotators={annotators}: at least 1 of each is needed")
    names = Counter(one.name for one in benchmarks)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ConfigError(
            f"{names[twice[0]]} benchmarks are named {twice[0]!r}; rename a file, its name tells them apart"
        )
    dropped: Counter[str] = Counter()
    drawn = [(one.name, case) for one in benchmarks for case in _cases(one, groups, seed, dropped)]
    places = stream(seed, "study codes").permutation(len(drawn))
    width = len(str(len(drawn)))
    coded = {f"r{number:0{width}}": drawn[place] for number, place in enumerate(places, 1)}
    shown = {code: _shown(code, name, case, annotators, seed) for code, (name, case) in coded.items()}
    return Key(seed, annotators, shown, dict(dropped)), {code: case for code, (_, case) in coded.items()}


def _cases(benchmark: Benchmark, groups: int, seed: int, dropped: Counter[str]) -> Iterator[Case]:
    strata: dict[tuple[str, ...], list[list[Case]]] = {}
    for group in benchmark.groups().values():
        positives = sum(case.positive for case in group)
        if positives != 1 or len(group) == 1:
            dropped["groups without one positive and its negatives"] += 1
            continue
        strata.setdefault(tuple(sorted(case.kind for case in group if not case.positive)), []).append(group)
    if not strata:
        raise CorpusError(f"{benchmark.name}: 0 groups of one positive and its negatives; at least 1 is needed")
    shuffled = [_shuffled(strata[kinds], seed, benchmark.name, *kinds) for kinds in sorted(strata)]
    in_turn = [group for turn in zip_longest(*shuffled) for group in turn if group is not None]
    for group in in_turn[:groups]:
        yield from group


def _shuffled(groups: Sequence[list[Case]], seed: int, *path: str) -> list[list[Case]]:
    return [groups[k] for k in stream(seed, "study groups", *path).permutation(len(groups))]


def _shown(code: str, benchmark: str, case: Case, annotators: int, seed: int) -> Shown:
    def order(annotator: int, dimension: str) -> Order:
        return ORDERS[int(stream(seed, "study order", annotator, code, dimension).integers(len(ORDERS)))]

    orders = [{d: order(annotator, d) for d in DIMENSIONS} for annotator in range(annotators)]
    return Shown(benchmark, case.item.id, case.group, case.positive, case.kind, orders)


def texts_shown(case: Case, orders: Mapping[str, Order], dimension: str) -> tuple[str, ...]:
    """The label texts of a dimension in their order of display."""
    return tuple(case.item.space.texts[dimension][label] for label in orders[dimension])
