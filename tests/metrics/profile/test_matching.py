"""Matching: one to one, exact first, best assignment; checked by trying every assignment."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from folkmoot.metrics.profile.matching import (
    EncoderLikeness,
    JudgedLikeness,
    assign,
    distinct,
    match,
    normalize,
    nothing_alike,
)
from folkmoot.sim.errors import MetricError

tables = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.0, 0.3, 0.5, 0.8, 0.9, 1.0]))
)
names = st.lists(st.text("abcd #-", min_size=1, max_size=3), max_size=6)


def best(scores):
    """(pairs, sum) of the best one-to-one assignment, by trying all of them."""
    rows, columns = scores.shape
    found = (0, 0.0)
    for size in range(1, min(rows, columns) + 1):
        for chosen in combinations(range(rows), size):
            for places in permutations(range(columns), size):
                values = [scores[row, column] for row, column in zip(chosen, places, strict=True)]
                if all(values):
                    found = max(found, (size, sum(values)))
    return found


@settings(deadline=None)  # the first call imports scipy
@given(tables)
def test_assignment_is_the_best_of_all(scores):
    """No assignment has more pairs, and none with as many has a greater sum; each row and column is used once."""
    pairs = assign(scores)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    assert all(scores[pair] > 0 for pair in pairs)
    size, total = best(scores)
    assert len(pairs) == size
    assert sum(scores[pair] for pair in pairs) == pytest.approx(total)


@settings(deadline=None)  # the first call imports scipy
@given(names, names)
def test_without_likeness_matches_are_set_intersection(predicted, gold):
    """With equal tags alone, the matches are the intersection of the sets of normalized tags."""
    mine, real = ({normalize(tag) for tag in tags} - {""} for tags in (predicted, gold))
    assert {normalize(one.predicted) for one in match(predicted, gold, nothing_alike)} == mine & real


@settings(deadline=None)  # the first call imports scipy
@given(names, names)
def test_matches_are_one_to_one(predicted, gold):
    """However alike all are, there are as many matches as the smaller side has distinct tags."""
    found = match(predicted, gold, lambda p, g: np.ones((len(p), len(g))))
    assert len(found) == min(len(distinct(predicted)), len(distinct(gold)))
    assert len({one.predicted for one in found}) == len({one.gold for one in found}) == len(found)


def test_exact_comes_before_meaning():
    """An equal tag is matched to its equal, even where another fits it too."""
    everything = match(["hiking", "walks"], ["Walks", "hiking"], lambda p, g: np.ones((len(p), len(g))))
    assert [(one.predicted, one.gold, one.exact) for one in everything] == [
        ("hiking", "hiking", True),
        ("walks", "Walks", True),
    ]


def test_a_judges_word_counts_for_its_pair_only():
    """Pairs that the judge called the same are matched, others aren't; spelling doesn't matter."""
    judged = JudgedLikeness({("soccer", "football"): True, ("soccer", "rugby"): False})
    assert [(m.predicted, m.gold) for m in match(["Soccer!", "chess"], ["rugby", "Football"], judged)] == [
        ("Soccer!", "Football")
    ]


def test_scores_out_of_bounds_are_refused():
    """A likeness above 1 is an error: it would outweigh a pair."""
    with pytest.raises(MetricError, match=r"1\.5"):
        assign(np.array([[1.5]]))


class Angles:
    """An encoder whose vectors have a known cosine with that of `gold`."""

    name, dimension = "angles", 2

    def __init__(self, cosine):
        self.cosine = cosine

    def encode(self, texts):
        """One vector a text, of float64: float32 blurs what is tested."""
        other = (self.cosine, np.sqrt(1 - self.cosine**2))
        return np.array([(1.0, 0.0) if text == "gold" else other for text in texts])


@pytest.mark.parametrize(("cosine", "alike"), [(0.9 - 5e-8, 0.9), (0.9 + 5e-8, 0.9), (0.9 - 2e-6, 0.0)])
def test_how_vectors_were_batched_decides_nothing(cosine, alike):
    """Law: cosines count to six digits, so that the 5e-8 between a batch and a single text move no match."""
    assert EncoderLikeness(Angles(cosine), 0.9)(["mine"], ["gold"]) == [[pytest.approx(alike, abs=1e-12)]]
