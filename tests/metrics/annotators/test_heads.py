"""Heads: weights by language, and how four outputs become a point."""

import io

import numpy as np
import pytest

from folkmoot.metrics.annotators.embedded import points_of
from folkmoot.metrics.annotators.heads import Head, _read, save


def head(own):
    """Two features, one output: 1 everywhere unless a language has its own."""
    one = np.ones((2, 1), np.float32), np.zeros(1, np.float32)
    return Head(("A",), np.zeros(2, np.float32), np.ones(2, np.float32), (one,), np.zeros(1, np.float32), {}, own)


def test_a_language_has_its_own_weights():
    """Rows of a language with weights are judged by them, others and unnamed ones by those for all."""
    mine = head({"de": (np.full((2, 1), 3, np.float32), np.ones(1, np.float32))})
    rows = np.ones((3, 2), np.float32)
    assert mine.scores(rows, ["de", "xx", "de"]).ravel().tolist() == [7, 2, 7]
    assert mine.scores(rows).ravel().tolist() == [2, 2, 2]
    assert mine.scores(rows[:0], []).shape == (0, 1)


def test_own_weights_are_stored():
    """A head with weights by language is read back as it was, and its digest depends on them."""
    mine = head({"de": (np.full((2, 1), 0.5, np.float32), np.ones(1, np.float32))})
    digests = set()
    for one in (mine, head({})):
        file = io.BytesIO()
        save(one, file)
        file.seek(0)
        with np.load(file) as data:
            back = _read(data)
        digests.add(back.digest)
        assert back.own.keys() == one.own.keys()
        rows = np.ones((1, 2), np.float32)
        assert back.scores(rows, ["de"]).tolist() == one.scores(rows, ["de"]).tolist()
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("scores", "point"),
    [
        ([-1, -1, -1, -1], 1), ([1, -1, -1, -1], 2), ([1, 1, -1, -1], 3), ([1, 1, 1, -1], 4), ([1, 1, 1, 1], 5),
        ([1, -1, -1, 1], 2), ([-1, 1, 1, -1], 4), ([-1, 1, -1, 1], 3),
    ],
)  # fmt: skip
def test_a_perfect_fit_gives_its_point(scores, point):
    """Outputs of -1 and 1 give the point that they tell; an outer output alone moves nothing across the middle."""
    assert points_of(np.array([scores], np.float32), np.zeros(4, np.float32)).tolist() == [point]


def test_thresholds_shift_the_sides():
    """A larger inner threshold makes a side harder to reach, an outer one its outer point."""
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, (500, 4)).astype(np.float32)
    plain = points_of(scores, np.zeros(4, np.float32))
    shifted = [points_of(scores, np.array(cut, np.float32)) for cut in ([0, 0, 0.5, 0], [0, 0.5, 0, 0], [0, 0, 0, 0.5])]
    assert (shifted[0] >= 4).sum() < (plain >= 4).sum()
    assert (shifted[1] <= 2).sum() > (plain <= 2).sum()
    assert (shifted[2] == 5).sum() < (plain == 5).sum()
    assert ((shifted[2] >= 4) == (plain >= 4)).all()
