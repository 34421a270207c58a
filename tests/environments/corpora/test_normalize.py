"""The corpus's one form of text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.corpora.normalize import normalize, without_decoration

PIECES = st.sampled_from(
    ["word", "{{tl|a=b}}", "[https://a.org x y]", "[[Page|label]]", "<br>", "<br />", "<div class='x'>", "</div>", "<u>", "</u>",
     '<span style="a">', "</span>", "<code>", "</code>", "<nowiki>x</nowiki>", " ", "  ", "\n", "\n\n", "::", "\n* ", "\n:# ", "--",
     "==", "-", "&nbsp;", "<!-- c -->", "'''b'''", "\t", "5"]
)  # fmt: skip
SOURCES = st.lists(PIECES, max_size=14).map("".join)


@pytest.mark.parametrize(
    ("raw", "want"),
    [
        ("--- Hello --", "Hello"),
        ("== Title ==", "Title"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<div style='x'>a <span>b</span> <u>c</u></div>", "a b c"),
        ("<nowiki>[[x]]</nowiki> <code>y = 1</code>", "[[x]] y = 1"),
        (":: a\n:* b\n# c", "a\nb\nc"),
        ("  a \t b \n\n\n c ", "a b\nc"),
        ("{{cite|x}} [https://a.org b]", "{{cite|x}} [https://a.org b]"),
        ("-5 degrees", "-5 degrees"),
        ("a -- b", "a -- b"),
        ("----", ""),
        ("", ""),
    ],
)
def test_row_by_row(raw, want):
    """Each rule of the table."""
    assert normalize(raw) == want


@settings(max_examples=150, deadline=None)
@given(SOURCES)
def test_laws(raw):
    """No layout is left, templates and external links all are, and a second pass changes nothing."""
    out = normalize(raw)
    assert not re.search(r"<(?:br|/?div|/?span|/?u|/?code|/?nowiki)\b", out)
    assert out == out.strip()
    assert not re.search(r"[ \t]{2}|\n\n|[ \t]\n|\n[ \t]", out)
    assert not re.match(r"--|==", out)
    assert not re.search(r"(?:--|==)\Z", out)
    for kept in ("{{tl|a=b}}", "[https://a.org x y]", "[[Page|label]]"):
        assert out.count(kept) == raw.count(kept)
    assert out.count("word") == raw.count("word")
    assert normalize(out) == out


@given(st.text(max_size=200))
def test_only_decoration_goes(text):
    """What is taken away are dashes, equals signs and white space at the ends."""
    bare = without_decoration(text)
    assert bare in text
    start = text.find(bare) if bare else len(text)
    gone = text[:start] + text[start + len(bare) :]
    assert bare == "" or not re.search(r"\w", gone)


def test_long_rows_of_dashes():
    """Decoration is read in linear time."""
    assert normalize("a" + " -" * 50_000 + "b").count("-") == 50_000
    assert normalize("- " * 50_000 + "x") == "x"
