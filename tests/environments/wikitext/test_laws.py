"""Laws that hold for any text."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.environments.talk_page.wikitext import known_languages, parse_page, render_page
from folkmoot.environments.talk_page.wikitext.clean import clean_text, collapse
from folkmoot.environments.talk_page.wikitext.names import canonical_name

PIECES = [
    "[[User:Ada|Ada]]", "[[User talk:Ada|talk]]", "12:00, 3 May 2011 (UTC)", "10:12, 23. Dez. 2013 (CET)",
    "[[Spezial:Beiträge/1.2.3.4]]", "== T ==", "=== S ===", "\n", "\n\n", ":", "::", "*", "#", ";", "{{", "}}", "|",
    "{{unsigned|Bob|12:00, 3 May 2011 (UTC)}}", "{{od}}", "<nowiki>", "</nowiki>", "<nowiki/>", "<!--", "-->", "<br>",
    "<div class='x'>", "</div>", "<pre>", "&nbsp;", "&amp;", "&lt;br&gt;", "&#58;", "----", "=", "--", "—", " ",
    "[[", "]]", "[http://x.org y]", "'''", "~~~~", "word", "Привет", "\r\n", "\t", "{|", "|}", "(UTC)", "12:00",
    "– Preceding unsigned comment added by ", "nicht signierter Beitrag von ", "\x01", "‎", "{{ping|Ada}}", "<small>",
]  # fmt: skip
hostile = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
actors = st.sampled_from(
    ["Ada", "Bob the 2nd", "ab12cd34ef", "1.2.3.4", "2A02:8109:0:0:0:0:0:1", "A|b]c/d", "Ünï&amp;x"]
)
languages = st.sampled_from(known_languages())


@given(hostile, languages)
@settings(max_examples=200, deadline=None)
def test_any_text_is_accounted_for(text, language):
    """Any text parses; its spans partition it; a comment's parent stands before it; what it says is in its span."""
    page = parse_page(text, language)
    position = 0
    for span in page.spans:
        assert span.start == position
        assert span.end >= span.start
        position = span.end
    assert position == len(text)
    for thread in page.threads:
        for index, comment in enumerate(thread.comments):
            assert comment.parent is None or comment.parent < index
            assert thread.start <= comment.start <= comment.end <= thread.end
            source = text[comment.start : comment.end]
            assert all(word in source for word in re.findall(r"\w+", comment.body))


@st.composite
def threads(draw):
    """A page of threads with hostile texts, titles and parents."""
    events = []
    for number in range(draw(st.integers(1, 3))):
        first = len(events)
        for index in range(draw(st.integers(1, 5))):
            common = {
                "seq": len(events), "time": 60_000 * draw(st.integers(20_000_000, 30_000_000)), "actor": draw(actors),
                "community": "x", "origin": "simulated", "thread": str(number), "text": draw(hostile), "language": "en", "page": "P",
            }  # fmt: skip
            if index == 0:
                events.append(ThreadOpened(title=draw(hostile), **common))
            else:
                events.append(CommentPosted(parent=draw(st.integers(first, len(events) - 1)), **common))
    return events


def as_tree(rows):
    """Comments with the whole way to the opening, so that order among siblings doesn't matter."""
    ways = []
    for author, time_ms, text, parent in rows:
        before = () if parent is None else ways[parent]
        ways.append((*before, (author, time_ms, text)))
    return sorted(ways)


@given(threads(), languages)
@settings(max_examples=200, deadline=None)
def test_round_trip(events, language):
    """A rendered page reads back to the same threads: titles, authors, minutes, parents and texts, however hostile."""
    page = parse_page(render_page(events, language), language)
    by_thread: dict[str, list] = {}
    for event in events:
        by_thread.setdefault(event.thread, []).append(event)
    assert len(page.threads) == len(by_thread)
    for thread, group in zip(page.threads, by_thread.values(), strict=True):
        place = {event.seq: index for index, event in enumerate(group)}
        want = [(canonical_name(e.actor), e.time, collapse(e.text), place.get(e.parent)) for e in group]
        assert thread.title == " ".join(collapse(group[0].title).split())
        assert as_tree((c.author, c.time, c.text, c.parent) for c in thread.comments) == as_tree(want)
        assert all(c.by == "signed" for c in thread.comments)


@given(hostile)
def test_clean_text_is_simple(raw):
    """Clean text has no outer white space, no double spaces, no blank lines, no control characters."""
    text = clean_text(raw)
    assert text == collapse(text)
    assert not re.search(r"  |\n\n|^\s|\s$", text)


BOMBS = ["[[User:", "[[User:A|", "<", "<span ", "<!--", "{{", "}}", "{{a|", "[[", "''", ":", "=", "12:00, 3 May 2011 (UTC) ", "&", "<nowiki>", "=\n", "-", "12:00, ", "[[User:A|A]] 12:00, 3 May 2011 (UTC) ", "{{unsigned|", "{{unsigned|A|12:00, 3 May 2011 (UTC)}}", "<small>(", "unsigned ", " \n", ":\n", "a\n"]  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS)
def test_no_text_is_a_bomb(bomb):
    """200 kB of any repeated mark take well under two seconds on a slow machine: no quadratic path."""
    text = (bomb * (200_000 // len(bomb))) + " [[User:A|A]] 12:00, 3 May 2011 (UTC)"
    start = time.process_time()
    parse_page(text, "en")
    assert time.process_time() - start < 2.0
