"""Several signatures on one line: one comment, or several."""

from collections.abc import Sequence
from typing import NamedTuple

from folkmoot.environments.talk_page.wikitext.clean import clean_text, words
from folkmoot.environments.talk_page.wikitext.phrases import Phrases
from folkmoot.environments.talk_page.wikitext.signatures import Mark
from folkmoot.environments.talk_page.wikitext.structure import Line
from folkmoot.environments.talk_page.wikitext.trim import after_signature, before_signature

POST_WORDS = 4
"""Words between two users' signatures on one line that make a comment of its own; fewer are a remark on the first."""

_BREAK = "<br"


class Post(NamedTuple):
    """The signatures of one comment, and which part of the page is its own.

    `inline`: it stands on the line of the one before, which it answers whatever its indentation.
    """

    marks: tuple[Mark, ...]
    start: int
    end: int
    inline: bool


def posts_of(marks: Sequence[Mark], line: Line, raw: str, phrases: Phrases) -> list[Post]:
    """The comments that end on a line.

    A break behind a signature starts a new one, as it does for MediaWiki's own parser; else one more signature by
    the same user, or after a few words, only adds to the comment.
    """
    posts: list[Post] = []
    start, inline, own = line.start, False, [marks[0]]
    for mark in marks[1:]:
        cut, broken = _cut(own[-1], mark, raw, line, phrases)
        if cut is None:
            own.append(mark)
        else:
            posts.append(Post(tuple(own), start, cut, inline))
            start, inline, own = cut, not broken, [mark]
    return [*posts, Post(tuple(own), start, line.end, inline)]


def _cut(last: Mark, mark: Mark, raw: str, line: Line, phrases: Phrases) -> tuple[int | None, bool]:
    """Where the next comment starts, None if this signature belongs to the one before; and if a break stands there."""
    position = _find_break(raw, last.end, mark.start)
    if position >= 0 and mark.author:
        return position, True
    if not mark.author or not last.author or mark.author == last.author:
        return None, False
    said = clean_text(before_signature(raw, last.end, mark, phrases))
    if words(said) < POST_WORDS:
        return None, False
    return min(after_signature(raw, last, line.end, phrases), mark.start), False


def _find_break(raw: str, start: int, end: int) -> int:
    between = raw[start:end].lower() if start < end else ""
    found = between.find(_BREAK)
    return start + found if found >= 0 else -1
