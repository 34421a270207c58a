"""A grid of cells and all that is measured of it, made once for tables and figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from folkmoot.metrics.next_turn.comparisons import Compared, comparisons
from folkmoot.metrics.next_turn.drawn import Drawn, Key, Rows, Settings, draw, key_of
from folkmoot.metrics.next_turn.pairs import Cell, Pair
from folkmoot.metrics.next_turn.scores import DELTAS, SCORES, rows
from folkmoot.metrics.next_turn.similarity import Similarity

GENDERS = ("man", "woman")
"""Authors whose deltas are shown apart; others are too few everywhere."""

STRATA = ((1, 50), (51, 100), (101, 150), (151, 200), (201, 250))
"""Words of a profile, from and to (Wiki-Talkie, appendix H)."""

STRATUM_SCORES = ("rouge", "rbert", "acts_js", "sentiment_js")


@dataclass(slots=True)
class Stratum:
    """Cells restricted to authors with profiles of some length.

    Attributes:
        words: from and to.
        drawn: their scores.
        share: cell -> share of its usable pairs that are in the stratum.
    """

    words: tuple[int, int]
    drawn: Drawn
    share: Mapping[Key, float]

    @property
    def name(self) -> str:
        """As it is written at an axis."""
        return f"{self.words[0]}-{self.words[1]}"


@dataclass
class Study:
    """Cells in order, their rows, and what is computed of them when it is asked for.

    Attributes:
        cells: of the grid, ordered by condition, community, model.
        rows: rows of each cell's usable pairs.
        settings: how numbers are made.
        similarity: how texts were compared; for the notes.
        against: the condition that others are compared with; None: every pair.
        facts: names of annotators, for the notes.
    """

    cells: Sequence[Cell]
    rows: Rows
    settings: Settings
    similarity: Similarity
    against: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def drawn(self) -> Drawn:
        """All scores of all cells."""
        return draw(self.cells, self.rows, self.settings)

    @cached_property
    def by_gender(self) -> dict[str, Drawn]:
        """Act deltas by the author's gender."""
        return {
            gender: draw(self.cells, self.rows, self.settings, _of_gender(gender), {**DELTAS}) for gender in GENDERS
        }

    @cached_property
    def strata(self) -> list[Stratum]:
        """Scores by length of the author's profile; strata without any pair are left out."""
        found = [self._stratum(words) for words in STRATA]
        return [stratum for stratum in found if any(stratum.share.values())]

    def _stratum(self, words: tuple[int, int]) -> Stratum:
        keep = _within(words)
        drawn = draw(self.cells, self.rows, self.settings, keep, {name: SCORES[name] for name in STRATUM_SCORES})
        share = {key_of(cell): sum(map(keep, cell.usable)) / max(1, len(cell.usable)) for cell in self.cells}
        return Stratum(words, drawn, share)

    @cached_property
    def compared(self) -> list[Compared]:
        """Conditions against one another."""
        return comparisons(self.cells, self.rows, self.settings, against=self.against)

    @property
    def conditions(self) -> list[str]:
        """In order."""
        return list(dict.fromkeys(cell.condition for cell in self.cells))

    @property
    def communities(self) -> list[str]:
        """In order."""
        return list(dict.fromkeys(cell.community for cell in self.cells))

    @property
    def models(self) -> list[str]:
        """In order."""
        return list(dict.fromkeys(cell.model for cell in self.cells))

    def keys(self, condition: str, community: str | None = None, model: str | None = None) -> list[Key]:
        """Cells of a condition, of one community or all, of one model or all."""
        return [
            key_of(cell)
            for cell in self.cells
            if cell.condition == condition and community in (None, cell.community) and model in (None, cell.model)
        ]


def make_study(
    cells: Sequence[Cell],
    settings: Settings,
    similarity: Similarity,
    *,
    against: str | None = None,
    facts: Mapping[str, str] | None = None,
) -> Study:
    """Measure the texts of all cells; the rest is computed when it is asked for."""
    usable = {key_of(cell): cell.usable for cell in cells}
    texts = similarity.of({key_of(cell): (cell.language, usable[key_of(cell)]) for cell in cells})
    table = {key: rows(pairs, texts[key]) for key, pairs in usable.items()}
    return Study(cells, table, settings, similarity, against, dict(facts or {}))


def _of_gender(gender: str) -> "_Keep":
    return _Keep(gender=gender)


def _within(words: tuple[int, int]) -> "_Keep":
    return _Keep(words=words)


@dataclass(frozen=True, slots=True)
class _Keep:
    """Which pairs count."""

    gender: str = ""
    words: tuple[int, int] | None = None

    def __call__(self, pair: Pair) -> bool:
        if self.words is not None and not self.words[0] <= pair.profile_words <= self.words[1]:
            return False
        return not self.gender or pair.gender == self.gender
