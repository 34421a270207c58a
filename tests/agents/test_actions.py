"""Model text to actions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.actions import TITLE_CHARS, abstain, act, read, refuse
from folkmoot.agents.plan import Plan
from folkmoot.sim.discussion import OpenThread, Reply
from folkmoot.sim.protocols import Abstain, Refuse

REPLY = Plan("reply", "Old Bridge", "t1", 3)
OPEN = Plan("open", "Old Bridge")


@pytest.mark.parametrize(
    ("text", "title", "body", "made"),
    [
        ("TITLE: Length\nIt is 34 m.", "Length", "It is 34 m.", False),
        ("Title: == Length ==\n\nIt is 34 m.", "Length", "It is 34 m.", False),
        ("**TITLE:** “Length”\nIt is 34 m.", "Length", "It is 34 m.", False),
        ("It is 34 m, says the survey of 1912 on page twelve.", "It is 34 m, says the survey of", "It is 34 m, says the survey of 1912 on page twelve.", True),
        ("TITLE:\nIt is 34 m.", "It is 34 m", "It is 34 m.", True),
        ("TITLE: Length", "Length", "", False),
        ('TITLE: The "Old Mill"\nIt is 34 m.', 'The "Old Mill"', "It is 34 m.", False),
        ('TITLE: "The Old Mill"\nIt is 34 m.', "The Old Mill", "It is 34 m.", False),
        ('TITLE: "Old" or "Ancient"\nWhich?', '"Old" or "Ancient"', "Which?", False),
        ("TITLE: ''Old'' or «Mill»\nWhich?", "''Old'' or «Mill»", "Which?", False),
        ('TITLE: The "Old Mill\nIt is 34 m.', "The Old Mill", "It is 34 m.", False),
        ('It is the "Old Mill of the Lower Weir" and so on.', "It is the Old Mill of the Lower", 'It is the "Old Mill of the Lower Weir" and so on.', True),
    ],
)  # fmt: skip
def test_a_title_is_read_or_made(text, title, body, made):
    """The first line TITLE: ... is the heading; where it is missing or empty the first words stand for it."""
    assert read(text, opens=True) == (body, title, made)


def test_a_reply_loses_a_title_line():
    """A heading in a reply is no part of the comment."""
    assert read("TITLE: Length\nIt is 34 m.", opens=False) == ("It is 34 m.", "", False)


@given(st.text())
def test_headings_are_one_short_line(text):
    """Whatever the model writes, the heading is one line of bounded length."""
    title = read(text, opens=True).title
    assert len(title) <= TITLE_CHARS
    assert "\n" not in title
    assert title.count('"') % 2 == 0


def test_actions_carry_who_what_and_why(turn):
    """Each action names its agent, the view's version and the activation's causes; a refusal names the action it replaces."""
    activation = turn("ada", causes=(2, 3))
    draft = read("It is 34 m.", opens=True)
    common = {"agent": "ada", "based_on": 7, "causes": (2, 3)}
    assert act(REPLY, draft, activation, 7) == Reply(
        **common, page="Old Bridge", thread="t1", parent=3, text="It is 34 m."
    )
    assert act(OPEN, draft, activation, 7) == OpenThread(
        **common, page="Old Bridge", title="It is 34 m", text="It is 34 m."
    )
    assert abstain(Plan("abstain", reason="tired"), activation, 7) == Abstain(**common, reason="tired")
    assert refuse(REPLY, "empty", "", activation, 7) == Refuse(
        **common, action="Reply", reason="empty", thread="t1", text=""
    )
    assert refuse(OPEN, "empty", None, activation, 7).action == "OpenThread"
