"""Tables of profile runs (SocialPersona, tables 2, 4, 5, 13 and over-generalization), each number with interval."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from folkmoot.metrics.profile.cells import LABELS, Numbers, ProfileCell, differences, numbers
from folkmoot.metrics.table import Cell, Table
from folkmoot.sim.persona import DOMAINS

MAIN = (
    ("active F1", "active", "f1"),
    ("tag precision", "all", "precision"),
    ("tag recall", "all", "recall"),
    ("tag F1", "all", "f1"),
    ("stable F1", "stable", "f1"),
    ("recent F1", "recent", "f1"),
)
"""Heading, scope, measure of the main table."""

F1S = tuple(one for one in MAIN if one[2] == "f1")

HOW = (
    "Intervals: 95 %, bootstrap over users. Counts are pooled over users (micro). Tags are matched one to one: within "
    "user, domain and bucket for stable and recent, within user and domain for all."
)


class Study:
    """The runs with their numbers, computed once.

    Args:
        cells: the runs.
        draws: of the bootstrap.
        seed: of the draws.
    """

    def __init__(self, cells: Sequence[ProfileCell], draws: int = 2000, seed: int = 1) -> None:
        self.cells = sorted(cells, key=lambda cell: cell.label)
        self.draws, self.seed = draws, seed
        self.numbers: list[Numbers] = [numbers(cell, draws, seed) for cell in self.cells]

    def less(self, cell: ProfileCell, base: ProfileCell) -> Numbers:
        """A run's numbers less another's, paired by user."""
        return differences(cell, base, self.draws, self.seed)


def profile_tables(study: Study) -> list[Table]:
    """All tables that the runs have something for."""
    made = [
        main(study),
        scopes(study, "activation", "Which domains are found active.", ("active",)),
        scopes(study, "buckets", "Interest tags by bucket.", ("stable", "recent")),
        domains(study),
        narrowing(study),
        compared(study, "input", "full", "What the input shows: differences from the full input, paired by user."),
        compared(study, "prompt", "conservative", "The neutral prompt less the conservative one, paired by user."),
        compared(study, "setting", "direct", "Other settings less the direct one, paired by user."),
        losses(study),
    ]
    return [table for table in made if table.rows]


def _notes(study: Study) -> list[str]:
    matching = "; ".join(sorted({cell.matching for cell in study.cells}))
    return [HOW, f"Tags that aren't equal are matched by: {matching}."]


def main(study: Study) -> Table:
    """Activation and tags, a run a row."""
    table = Table("main", "Profile construction.", [*LABELS, *(name for name, _, _ in MAIN), "users"])
    table.notes = _notes(study)
    for cell, found in zip(study.cells, study.numbers, strict=True):
        table.rows.append([*cell.label, *(found[scope, measure] for _, scope, measure in MAIN), len(cell.counts)])
    return table


def scopes(study: Study, name: str, caption: str, chosen: Sequence[str]) -> Table:
    """Precision, recall and F1 of some scopes."""
    measures = ("precision", "recall", "f1")
    heads = [f"{scope} {measure}".replace("f1", "F1") for scope in chosen for measure in measures]
    table = Table(name, caption, [*LABELS, *heads])
    table.notes = _notes(study)
    for cell, found in zip(study.cells, study.numbers, strict=True):
        table.rows.append([*cell.label, *(found[scope, measure] for scope in chosen for measure in measures)])
    return table


def domains(study: Study) -> Table:
    """Tag F1 by domain."""
    table = Table("domains", "Tag F1 by domain.", [*LABELS, *(name.replace("_", " ") for name in DOMAINS)])
    table.notes = _notes(study)
    for cell, found in zip(study.cells, study.numbers, strict=True):
        table.rows.append([*cell.label, *(found[domain, "f1"] for domain in DOMAINS)])
    return table


def narrowing(study: Study) -> Table:
    """Over-generalization: tags per active domain; domains with fewer, as many and more tags than the gold profile."""
    heads = ["predicted per domain", "gold per domain", "ratio", "fewer", "as many", "more", "missed", "not gold"]
    table = Table("over_generalization", "Tags per active domain, predicted against gold.", [*LABELS, *heads])
    table.notes = [
        HOW,
        "Each side over the domains that it holds active.",
        "Of user-domain pairs: those active on both sides with fewer, as many or more tags than gold.",
        "Missed: active in the gold profile alone; not gold: predicted alone.",
    ]
    for cell, found in zip(study.cells, study.numbers, strict=True):
        kinds = Counter(kind for user in cell.counts.values() for domain in DOMAINS if (kind := _kind(user[domain])))
        ratios = [found["all", name] for name in ("predicted_per_domain", "gold_per_domain", "narrowing")]
        table.rows.append([*cell.label, *ratios, *(kinds[head] for head in heads[3:])])
    return table


def _kind(count: tuple[int, int, int]) -> str:
    _, mine, real = count
    if not mine or not real:
        return "missed" if real else "not gold" if mine else ""
    return "fewer" if mine < real else "more" if mine > real else "as many"


def compared(study: Study, key: str, base: str, caption: str) -> Table:
    """Differences of runs that differ in one thing alone from a run with `base`."""
    table = Table(f"{key}s", caption, [*LABELS, *(f"{name} difference" for name, _, _ in MAIN), "users"])
    table.notes = [*_notes(study), f"Each row: the run less the one with {key} {base}, over the users of both."]
    for cell, other in _pairs(study.cells, key, base):
        found = study.less(cell, other)
        values: list[Cell] = [found[scope, measure] for _, scope, measure in MAIN]
        table.rows.append([*cell.label, *values, found["all", "f1"].units])
    return table


def _pairs(cells: Sequence[ProfileCell], key: str, base: str) -> Iterator[tuple[ProfileCell, ProfileCell]]:
    place = LABELS.index(key)
    rest: Callable[[ProfileCell], tuple[str, ...]] = lambda cell: tuple(cell.label[:place] + cell.label[place + 1 :])  # noqa: E731 -- one use
    bases = {rest(cell): cell for cell in cells if getattr(cell, key) == base}
    for cell in cells:
        if getattr(cell, key) != base and rest(cell) in bases:
            yield cell, bases[rest(cell)]


def losses(study: Study) -> Table:
    """What was left out, dropped or not read."""
    table = Table("losses", "What was left out, dropped or not read.", [*LABELS, "reason", "count"])
    for cell in study.cells:
        table.rows += [[*cell.label, reason, count] for reason, count in sorted(cell.losses.items())]
    return table
