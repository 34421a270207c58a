"""What tables say beside their numbers."""

import pytest

from folkmoot.metrics.next_turn.drawn import Settings
from folkmoot.metrics.next_turn.pairs import Cell, Pair
from folkmoot.metrics.next_turn.similarity import Similarity
from folkmoot.metrics.next_turn.study import Study
from folkmoot.metrics.next_turn.tables_about import sample
from folkmoot.metrics.uncertainty import Resampler


def notes(*cells):
    """Notes of the sample's table on cells of (community, condition, counts of traits)."""
    grid = [
        Cell(community, "en", "m", condition, [Pair("t", 1, "u", "man", 0, "A b.", "C d.")], sample=facts)
        for community, condition, facts in cells
    ]
    return sample(Study(grid, {}, Settings(Resampler(1, 10)), Similarity())).notes


def counts(targets, read, unknown):
    """Facts of a sample."""
    return {"traits": {"as_of_target": False, "targets": targets, "thread_read": read, "unknown": unknown}}


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ([("en", "base", counts(9, 2, 1)), ("en", "behavior", counts(9, 2, 1))], "en: 9, 2, 1."),
        (
            [("en", "base", counts(9, 2, 1)), ("de", "base", counts(3, 0, 3)), ("en", "history", counts(4, 1, 0))],
            "en (base): 9, 2, 1; en (history): 4, 1, 0; de: 3, 0, 3.",
        ),
        ([("en", "base", {}), ("de", "base", counts(3, 0, 3))], "de: 3, 0, 3."),
    ],
)
def test_counts_of_traits_stand_once_a_community(cells, told):
    """Equal counts are said once; where conditions have other targets, they are named."""
    assert notes(*cells)[-1].endswith(f" was read: {told}")


def test_without_traits_nothing_is_said_of_them():
    """A corpus without traits has no such note."""
    assert not any("raits" in note for note in notes(("en", "base", {})))
