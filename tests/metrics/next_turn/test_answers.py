"""Kinds of answers that are no comment, tables in three formats, and shared beginnings of prompts."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.language import language_guesser
from folkmoot.environments.corpora.demo import load_demo
from folkmoot.metrics.next_turn.answers import KINDS, judge, kind_of_reason, words_of
from folkmoot.metrics.next_turn.drawn import Number
from folkmoot.metrics.next_turn.prefixes import Prefixes, Prompt, blocks
from folkmoot.metrics.next_turn.table import Table, escape_latex, escape_markdown


def english(text):
    """A guesser that holds everything for English but what begins in German."""
    return "de" if text.startswith("Ich") else "en"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("...", "empty"),
        ("", "empty"),
        ("I'm sorry, but I can't help with this request.", "refusal"),
        ("I cannot generate that comment.", "refusal"),
        ("I can't find that source, sorry. Which page is it on?", ""),
        ("You write the next comment of ada as an answer to comment three by ben", "prompt"),
        ("Ich halte das für falsch, die Quelle sagt es anders.", "wrong language"),
        ("Ja, gut.", ""),
        ("The survey of 1912 says 34 m, and I'd keep it.", ""),
    ],
)
def test_each_kind_is_told_by_its_rule(text, kind):
    """An answer that is no comment gets its kind; ordinary comments that look like one don't."""
    prompt = words_of("Now you write the next comment of ada, as an answer to comment three by ben. Mind the rules.")
    assert judge(text, "en", prompt, english) == kind


@pytest.mark.parametrize(
    "text",
    [
        "Es tut mir leid, aber ich kann dir dabei nicht helfen.",
        "Lo siento, pero no puedo ayudarte con eso.",
        "Désolé, mais je ne peux pas vous aider.",
        "Mi dispiace, ma non posso aiutarti.",
    ],
)
def test_refusals_are_told_in_every_language(text):
    """A model that declines is recognised in each of the five languages."""
    assert judge(text, "xx", "", lambda _: None) == "refusal"


def test_every_reason_of_the_checks_has_a_kind():
    """What an agent's own check refuses is one of the kinds."""
    reasons = ("empty", "leaked delimiter", "AI talk", "signature", "timestamp", "over-long", "wrong language")
    assert {kind_of_reason(reason) for reason in (*reasons, "prompt over window", "text over 10 characters")} <= set(
        KINDS
    )


@pytest.mark.parametrize("lang", ["de", "en", "es", "fr", "it"])
def test_comments_by_people_are_comments(lang):
    """No comment of the demo's people is held for something else."""
    guess = language_guesser()
    assert [e.text for e in load_demo(lang).utterances() if judge(e.text, lang, "", guess)] == []


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


def test_prompts_queued_by_their_beginnings_share_more():
    """Two authors in turn share nothing with the prompt before; queued by author they share their beginnings."""
    found = Prefixes()
    for time in range(6):
        author = "ab"[time % 2]
        found.add(Prompt((author, time), (time,), blocks(author * 640 + str(time) * 64), 11))
    assert found.shared(found.in_time) == 0
    assert found.shared(found.queued) == pytest.approx(4 / 6 * 10 / 11)
    assert found.kept(found.in_time) == pytest.approx(4 / 6 * 10 / 11)
