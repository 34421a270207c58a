"""Whether a file holds the benchmark that it is said to hold, as far as it lets it be seen (PRISM, section 3)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from folkmoot.metrics.fidelity.benchmarks import UNNAMED, Case


@dataclass(frozen=True, slots=True)
class Form:
    """What a benchmark's groups are like.

    Attributes:
        traits: whether its personas are polarities of a trait.
        negatives: of a group; None: any number.
        kinds: what the names of its sorts of negative begin with; none: they are named by options.
    """

    traits: bool
    negatives: int | None
    kinds: tuple[str, ...]


FORMS: Mapping[str, Form] = {
    "easy": Form(traits=True, negatives=1, kinds=("swap_within_trait",)),
    "hard": Form(traits=True, negatives=2, kinds=("profile_swap", "cross_trait")),
    "social": Form(traits=False, negatives=None, kinds=()),
}


def misfits(name: Literal["easy", "hard", "social"], groups: Sequence[Sequence[Case]]) -> list[str]:
    """What in the groups isn't as this benchmark has it, a sentence each; none where all fits.

    Args:
        name: of the benchmark.
        groups: the cases of a file by group.
    """
    found = Counter(fault for group in groups for fault in set(_faults(FORMS[name], group)))
    return [
        f"warning: benchmark={name}, but {count} of {len(groups)} groups {fault}; is it another benchmark's file?"
        for fault, count in sorted(found.items())
    ]


def _faults(form: Form, group: Sequence[Case]) -> Iterator[str]:
    negatives = [case for case in group if not case.positive]
    if form.negatives is not None and len(negatives) != form.negatives:
        yield f"don't have {form.negatives} negative{'s' * (form.negatives > 1)}"
    if any(bool(case.trait) != form.traits for case in group):
        yield "have personas in open words, not of a trait" if form.traits else "have personas of a trait"
    if form.kinds and any(case.kind != UNNAMED and not case.kind.startswith(form.kinds) for case in negatives):
        yield f"have negatives of another kind than {' and '.join(form.kinds)}"
