"""Words and sentences in many languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.metrics import text


@pytest.mark.parametrize(
    ("written", "n"),
    [
        ("", 0),
        ("...", 0),
        ("No stop at all", 1),
        ("One. Two! Three?", 3),
        ("Wait... what? Yes.", 3),
        ("He left... and came back.", 2),
        ("See e.g. the lead, cf. the talk page, vs. the old one.", 1),
        ("Dr. Berg and Prof. A. B. Meyer agree. I don't.", 2),
        ("So do I. Then it is settled.", 2),
        ("Version 3.5 is out. Get it at example.org today.", 2),
        ('He said "No." Then he left. (Really.) Yes.', 4),
        ("Das gilt z.B. hier, bzw. dort. Siehe Abs. 3 u.a. Quellen.", 2),
        ("Z. B. hier. Und dort.", 2),
        ("M. Dupont et Mme. Durand sont d'accord. Merci !", 2),
        ("¿Qué opinas? ¡Gracias! Lo dijo el Sr. López. Vale.", 4),
        ("Il sig. Rossi ha ragione, p.es. qui. Grazie.", 2),
        ("我同意。你觉得呢？谢谢！", 3),
        ("「そうです。」と言った。はい。", 3),
        ("यह ठीक है। धन्यवाद।", 2),
        ("هل توافق؟ نعم.", 2),
        ("First line\nSecond line\n\nThird", 3),
        ("* item one\n* item two", 2),
    ],
)
def test_sentences(written, n):
    """Full stops of every script end sentences; abbreviations, initials and numbers don't."""
    assert text.count_sentences(written) == n
    assert len(text.sentences(written)) == n


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Thanks, I agree.", ["Thanks", "I", "agree"]),
        ("l'été d’hier", ["l'été", "d’hier"]),
        ("naïve co-op 3.5", ["naïve", "co-op", "3.5"]),
        ("Straße über Ähre", ["Straße", "über", "Ähre"]),
        ("我同意", ["我", "同", "意"]),
        ("snake_case -- :-)", ["snake", "case"]),
    ],
)
def test_words(written, expected):
    """Letters of every language count; a Han character is a word; punctuation isn't."""
    assert text.words(written) == expected
    assert text.count_words(written) == len(expected)


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=200))
def test_the_fast_way_is_the_same(written):
    """ASCII text gives the same words with the general pattern."""
    assert text.words(written) == text._WORD.findall(written)


@given(st.text(max_size=200))
def test_sentences_keep_all_words(written):
    """No word is lost or cut by the splitter, and there are never more sentences than words."""
    pieces = text.sentences(written)
    kept = "".join(pieces)
    assert [c for c in written if c.isalnum()] == [c for c in kept if c.isalnum()]
    assert all(any(c.isalnum() for c in piece) for piece in pieces)
