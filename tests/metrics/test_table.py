"""Tables in three formats."""

import csv
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from folkmoot.metrics.table import Number, Table, escape_latex, escape_markdown


def table():
    """A table with hostile text, a number, a missing one and an undefined one."""
    rows = [
        ["a|b & c_d", 3, Number(0.5, 0.4, 0.6, 30, 12)],
        ["x", 1, None],
        ["y", 2, Number(float("nan"))],
        ["z", 2, Number(-0.1, -0.2, 0.0, 9, 4)],
    ]
    return Table("t", "A 100 % caption.", ["name", "n", "score ↑"], rows, ["a note"])


def test_markdown_shows_intervals_and_what_is_missing():
    """A number carries its interval, too few samples say so, an undefined number is a dash, few units are starred."""
    text = table().markdown()
    assert "| a\\|b & c_d | 3 | 0.500 [0.400, 0.600] |" in text
    assert "| x | 1 | too few |" in text
    assert "| y | 2 | \u2013 |" in text
    assert "| z | 2 | -0.100 [-0.200, 0.000]\\* |" in text


def test_csv_reads_back():
    """Each part of a number has a column of its own, in full precision."""
    rows = list(csv.DictReader(io.StringIO(table().csv())))
    assert rows[0]["score ↑ low"] == "0.4"
    assert (rows[0]["score ↑ n"], rows[0]["score ↑ units"]) == ("30", "12")
    assert rows[1]["score ↑"] == rows[2]["score ↑"] == ""


def test_latex_is_escaped():
    """No text opens a command, a cell or a comment."""
    text = table().latex()
    assert r"a\textbar{}b \& c\_d & 3 & 0.500 {\scriptsize [0.400, 0.600]} \\" in text
    assert r"\caption{A 100 \% caption.}" in text
    assert r"$\uparrow$" in text


@given(st.text())
def test_escapes_leave_no_control(text):
    """Escaped text has one line and no bare control of its format, whatever it is made of."""
    latex, markdown = escape_latex(text), escape_markdown(text)
    assert "\n" not in latex + markdown
    rest = re.sub(r"\\text[a-z]+\{\}|\$(?:-|\\[a-z]+)\$|\\[&%$#_{}]", "", latex)
    assert not set(rest) & set("&%#_{}$\\^~")
    assert markdown.count("|") == markdown.count("\\|")
