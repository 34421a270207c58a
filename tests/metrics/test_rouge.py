"""ROUGE-L against the rouge-score package, published answers and a plain dynamic programme."""

import json
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from folkmoot.metrics.rouge import f_values, rouge_l, rouge_l_all, tokens

WORDS = st.lists(st.sampled_from(["a", "b", "c", "the", "x1"]), max_size=40)


def longest(first, second):
    """Length of the longest common subsequence by the textbook table."""
    table = np.zeros((len(first) + 1, len(second) + 1), int)
    for i, one in enumerate(first, 1):
        for j, other in enumerate(second, 1):
            table[i, j] = table[i - 1, j - 1] + 1 if one == other else max(table[i - 1, j], table[i, j - 1])
    return table[-1, -1]


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=127), max_size=80), st.text(st.characters(max_codepoint=127), max_size=80))
def test_ascii_scores_are_those_of_rouge_score(reference, candidate):
    """On any ASCII text P, R and F are the package's without stemming, to 1e-9."""
    theirs = RougeScorer(["rougeL"], use_stemmer=False).score(reference, candidate)["rougeL"]
    mine = rouge_l(reference, candidate)
    assert (mine.precision, mine.recall, mine.f) == pytest.approx(tuple(theirs), abs=1e-9)


@settings(deadline=None)
@given(WORDS, WORDS)
def test_the_common_subsequence_is_the_longest(first, second):
    """The bit-parallel length is that of the textbook table, through P and R."""
    score = rouge_l(" ".join(first), " ".join(second))
    assert score.recall * len(first) == pytest.approx(longest(first, second) if second else 0)
    assert score.precision * len(second) == pytest.approx(longest(first, second) if first else 0)


@pytest.mark.shared
def test_published_answers(shared):
    """All rougeL answers of rouge_score.json (no stemming, the best of several references) to 1e-9."""
    cases = json.loads((shared / "expected" / "rouge_score.json").read_text())
    cases = [case for case in cases if case["type"] == "rougeL"]
    assert len(cases) == 4
    for case in cases:
        score = rouge_l(case["refs"] if "refs" in case else case["ref"], case["hyp"])
        assert score.f == pytest.approx(case["F"], abs=1e-9)
        if "P" in case:
            assert (score.precision, score.recall) == pytest.approx((case["P"], case["R"]), abs=1e-9)


@pytest.mark.parametrize(
    ("first", "second"),
    [("schon gut", "schön gut"), ("el año", "el ano"), ("già là", "gia la"), ("pêche", "péché"), ("Ärger", "Arger"), ("łódź", "lodz")],
)  # fmt: skip
def test_accents_and_umlauts_count(first, second):
    """Words that differ in a diacritic alone aren't the same token; the package's ASCII tokens can't tell."""
    assert rouge_l(first, second).f < 1
    assert rouge_l(first, first).f == 1


def test_letters_of_every_language_are_kept():
    """No letter of Cyrillic, Greek, Arabic, Hindi or Han text is lost; words aren't cut at accents or vowel signs."""
    assert tokens("Ёлка, Straße ὕδωρ كِتَاب हिन्दी") == ["ёлка", "straße", "ὕδωρ", "كِتَاب", "हिन्दी"]
    assert tokens("日本語のテキスト ok") == [*"日本語のテキスト", "ok"]
    assert tokens("한국어 문장") == [unicodedata.normalize("NFC", word) for word in ("한국어", "문장")]


@settings(deadline=None)
@given(st.text(max_size=60))
def test_composed_and_decomposed_are_the_same(text):
    """A text agrees with its own decomposed form wholly, whatever its script, unless it has no token."""
    score = rouge_l(unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text))
    assert score.f == 1 or score.empty == "both"


def test_an_empty_side_is_named():
    """A side without tokens scores 0 and says which it is."""
    assert rouge_l("word", " -- ").empty == "candidate"
    assert rouge_l("...", "word").empty == "reference"
    assert rouge_l("", "").empty == "both"
    assert rouge_l([], "word").empty == "reference"
    assert rouge_l("a", "b").empty == ""


def test_many_pairs_are_scored_as_one_by_one():
    """Pairs, repeated ones too, get what each gets alone, in order."""
    pairs = [("One two, three.", "two three"), ("One two, three.", "four"), ("", "x"), ("One two, three.", "two three")]
    assert rouge_l_all(pairs) == [rouge_l(*pair) for pair in pairs]
    assert f_values(rouge_l_all(pairs)).tolist() == pytest.approx([0.8, 0, 0, 0.8])


def test_long_texts():
    """Two texts of 20,000 words: the odd words of the one are the other, so R is a half and P 1."""
    text = [f"w{number}" for number in range(20_000)]
    score = rouge_l(" ".join(text), " ".join(text[1::2]))
    assert (score.precision, score.recall) == (1.0, 0.5)
