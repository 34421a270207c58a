"""A real comment and what was written for it, and the cells of a grid that such pairs make."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from folkmoot.metrics.next_turn.prefixes import Prefixes

Labels = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Pair:
    """One target.

    Attributes:
        thread, position: the target: its thread, and how many comments came before it.
        user: its author's pseudonym.
        gender: of the author's attributes.
        profile_words: length of the author's profile.
        real: what was said.
        text: what was written; "" where nothing was.
        kind: "" for a comment, else what it is instead (`answers.KINDS`).
        acts, sentiment: labels of the real and of the generated comment; None where none could be read.
        facts: what was shortened in the prompt (`article_kept`, `history_dropped`, `history_short`, ...).
    """

    thread: str
    position: int
    user: str
    gender: str
    profile_words: int
    real: str
    text: str = ""
    kind: str = ""
    acts: tuple[Labels, Labels] = (None, None)
    sentiment: tuple[Labels, Labels] = (None, None)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def target(self) -> tuple[str, int]:
        """What it stands for: the same in every cell of a community."""
        return self.thread, self.position


@dataclass(slots=True)
class Cell:
    """One cell of the grid: community x model x condition; runs that differ in their seed alone are put together.

    Attributes:
        pairs: of all of its runs.
        mended: what was taken off or put right in answers, counted.
        sample: facts of the sample (`sim.experiments.next_turn_sample`).
        prefixes: how much of the prompts' beginnings is shared.
    """

    community: str
    language: str
    model: str
    condition: str
    pairs: list[Pair] = field(default_factory=list)
    mended: Counter[str] = field(default_factory=Counter)
    sample: Mapping[str, Any] = field(default_factory=dict)
    prefixes: Prefixes = field(default_factory=Prefixes)
    runs: int = 0

    @property
    def usable(self) -> list[Pair]:
        """The pairs with a comment on both sides: every number rests on these."""
        return [pair for pair in self.pairs if not pair.kind]

    @property
    def left_out(self) -> float:
        """Share of targets without a comment, 0 to 1; NaN for no targets."""
        return 1 - len(self.usable) / len(self.pairs) if self.pairs else float("nan")

    @property
    def kinds(self) -> Counter[str]:
        """How many of each kind were left out."""
        return Counter(pair.kind for pair in self.pairs if pair.kind)
