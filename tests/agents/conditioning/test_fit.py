"""Fitting to the window: the outcome is the paper's rule, the counting is cheap."""

# ruff: noqa: D102, D103 -- helpers of the tests

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from folkmoot.agents.conditioning import Fit, Recalled, Scene, SceneComment
from folkmoot.agents.conditioning.base import BaseConfig
from folkmoot.agents.conditioning.compose import compose
from folkmoot.agents.conditioning.fit import shrunk
from folkmoot.agents.conditioning.history import item_text
from folkmoot.sim.persona import HistoryComment
from folkmoot.sim.protocols import Message

ARTICLE = "The bridge was built of grey stone in 1871 and widened twice. " * 60
COMMENTS = (SceneComment("ben", 0, 0, "The lead says 38 m, the survey says 34 m."),)


def count(messages) -> int:
    return sum(len(message.content) // 4 + 1 for message in messages)


class Counting(Fit):
    def __init__(self, limit):
        self.counts = 0
        super().__init__(limit, self.tally)

    def tally(self, messages):
        self.counts += 1
        return count(messages)


def scene(article=ARTICLE) -> Scene:
    return Scene("ada", "en", 5, "Old Bridge", article, "Length", COMMENTS, 0)


def history(size) -> list[str]:
    return [item_text(Recalled(f"Matter {i}", (HistoryComment(time=i, text=f"Words {i} " * 12),))) for i in range(size)]


def walked(limit, article, items):
    """The rule, step by step: shorten to 90 % until nothing is left, then drop threads from the oldest on."""
    unlimited = Fit(10**9, count)
    for kept in shrunk(len(article)):
        cut = article if kept == len(article) else article[:kept] + "\n[the article goes on; it was shortened here]"
        messages = compose(scene(cut), "", unlimited, items).messages
        if count(messages) <= limit:
            return messages
    for dropped in range(1, len(items) + 1):
        messages = compose(scene(cut), "", unlimited, items[dropped:]).messages
        if count(messages) <= limit:
            return messages
    return None


@settings(deadline=None, max_examples=60)
@given(limit=st.integers(150, 2500), chars=st.integers(1, len(ARTICLE)), threads=st.integers(0, 8))
def test_the_search_ends_where_the_walk_would(limit, chars, threads):
    """For any limit, article and history the fitted prompt is the one that the paper's step-by-step rule reaches, with at most 12 counts."""
    fit = Counting(limit)
    prompt = compose(scene(ARTICLE[:chars]), "", fit, history(threads))
    expected = walked(limit, ARTICLE[:chars], history(threads))
    assert prompt.fits == (expected is not None)
    if expected is not None:
        assert prompt.messages == expected
    assert fit.counts <= 12


def test_a_prompt_that_surely_fits_is_not_counted():
    """Where one token a byte would fit, counting is spared."""
    fit = Counting(100_000)
    assert compose(scene(), "", fit).fits
    assert fit.counts == 0


def test_what_was_shortened_is_told():
    """A shortened article carries the marker and both lengths; a history below five threads is flagged; drops are counted."""
    prompt = compose(scene(), "", Fit(700, count))
    assert prompt.facts["article_chars"] == len(ARTICLE) > prompt.facts["article_kept"]
    assert "[the article goes on; it was shortened here]" in prompt.messages[1].content
    full = compose(scene(""), "", Fit(10**6, count), history(7))
    assert full.facts == {"history_threads": 7}
    tight = compose(scene(""), "", Fit(count(full.messages) - 100, count), history(7))
    assert tight.facts["history_dropped"] == 7 - tight.facts["history_threads"] > 0
    assert tight.facts["history_short"] == (tight.facts["history_threads"] < 5)
    assert "Matter 6" in tight.messages[1].content
    assert "Matter 0" not in tight.messages[1].content


def test_what_never_fits_says_so():
    """A discussion alone over the limit doesn't fit, and the limit stands in the facts."""
    prompt = compose(scene(), "", Fit(100, count), history(3))
    assert not prompt.fits
    assert prompt.facts["prompt_limit"] == 100


def test_few_comments_keep_the_opening_the_answered_and_the_newest():
    """With `max_comments`, what is left out is one gap; the opening, the comment answered and the newest stay."""
    comments = tuple(SceneComment("ben", i, 0, f"Words {i}.", i - 1 if i else None) for i in range(20))
    long = scene()._replace(comments=comments, answered=18)
    prompt = compose(long, "", Fit(10**6, count), most=5)
    text = prompt.messages[1].content
    assert prompt.facts == {"comments_omitted": 15}
    assert [i for i in range(20) if f"Words {i}." in text] == [0, 16, 17, 18, 19]
    early = compose(long._replace(answered=3), "", Fit(10**6, count), most=5).messages[1].content
    assert "Words 3." in early


@given(st.integers(0, 10**6))
def test_shrinking_ends_and_never_grows(length):
    """Each length is 90 % of the one before, rounded down; the last is 0."""
    lengths = shrunk(length)
    assert lengths[0] == length
    assert lengths[-1] == 0
    assert all(after == int(before * 0.9) < before for before, after in itertools.pairwise(lengths))


def test_bounds_are_checked():
    """A prompt bound too small for any prompt is refused at the border."""
    with pytest.raises(ValidationError, match="64"):
        BaseConfig(max_prompt_tokens=1)
    assert Message("user", "x").content


def test_the_article_can_be_kept_short():
    """With `max_article_words` only the first words are shown, marked as cut; 0 shows none; a shorter article is whole."""
    from folkmoot.agents.conditioning.base import abridged
    from folkmoot.agents.prompts import template

    plain = Scene(page="P", title="T", article="one two three", language="en", now=0, author="ada")
    assert abridged(plain, 2).article == f"one two\n{template('truncated').render()}"
    assert abridged(plain, 0).article == ""
    assert abridged(plain, 3) is plain
    assert abridged(plain, None) is plain
