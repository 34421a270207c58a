"""Hashed character n-grams against scikit-learn's own cutting, and their product with weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from folkmoot.metrics.annotators.spelling import grams, hashed, product


@settings(deadline=None)
@given(st.text(st.sampled_from("abÄé ñ!\n🙂"), max_size=30))
def test_runs_are_scikit_learns(text):
    """The runs of a text of composed letters are those of scikit-learn's `char_wb` analyser, short words padded alike."""
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=(2, 5)).build_analyzer()(text)
    assert set(grams(text)) == set(theirs)


def test_a_row_has_unit_length():
    """Places are distinct and within the width, values of unit length; an empty text has none."""
    places, values = hashed("Großartig!! 🙂", 64)
    assert len(set(places.tolist())) == len(places)
    assert places.max() < 64
    assert np.linalg.norm(values) == pytest.approx(1)
    assert [len(side) for side in hashed("  \n", 64)] == [0, 0]


@settings(deadline=None)
@given(st.lists(st.text(max_size=20), max_size=4))
def test_the_product_is_the_dense_one(texts):
    """Summing weights at places is the product of the dense rows with the weights, whatever the texts."""
    weights = np.random.default_rng(0).normal(size=(32, 3)).astype(np.float32)
    dense = np.zeros((len(texts), 32), np.float32)
    for row, text in zip(dense, texts, strict=True):
        places, values = hashed(text, 32)
        row[places] = values
    np.testing.assert_allclose(product(texts, weights), dense @ weights, atol=1e-5)


def test_composed_and_decomposed_are_alike():
    """An accent counts the same however it is written, and case doesn't."""
    assert list(grams("ÉTÉ")) == list(grams("e\u0301te\u0301"))


def test_broken_and_huge_texts():
    """Lone surrogates and texts of a megabyte are read without complaint."""
    assert len(hashed("\ud800 ok", 64)[0]) > 0
    assert len(hashed("wow " * 300_000, 64)[0]) > 0
