"""A raw Talk page as threads of comments. Nothing is lost silently: see `ParsedPage.losses` and `spans`."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Literal, NamedTuple

from folkmoot.environments.talk_page.wikitext.clean import clean_text, clean_title
from folkmoot.environments.talk_page.wikitext.comments import Draft, Page, read_comments
from folkmoot.environments.talk_page.wikitext.holders import open_holders
from folkmoot.environments.talk_page.wikitext.language import Language, load_language
from folkmoot.environments.talk_page.wikitext.marks import find_marks
from folkmoot.environments.talk_page.wikitext.masking import mask
from folkmoot.environments.talk_page.wikitext.signatures import NOBODY, Mark, SignedBy
from folkmoot.environments.talk_page.wikitext.structure import Section, group_threads, read_sections

SpanKind = Literal["heading", "comment", "furniture"]

_START = attrgetter("start")


class ParsedComment(NamedTuple):
    """One comment.

    Attributes:
        author: canonical user name; "" where nobody is named.
        time: milliseconds since the epoch, UTC, to the minute; None where no date is given.
        level: indentation level in the source, from 0.
        parent: index, in the thread's comments, of the comment answered; None for one that stands by itself.
        body: its wikitext, without signature.
        start: offset of its first raw character in the page.
        end: one past its last raw character.
        by: signed; signed by a template, or by the sentence it leaves, for somebody who forgot to; signed in the
            parameter of some other template; signed by a name without a time; or by nobody.
    """

    author: str
    time: int | None
    level: int
    parent: int | None
    body: str
    start: int
    end: int
    by: SignedBy

    @property
    def text(self) -> str:
        """Clean text, without signature; made each time that it is asked for, so that reading a page stays fast."""
        return clean_text(self.body)


@dataclass(frozen=True, slots=True)
class ParsedThread:
    """A thread; `title` is "" for the text above the first heading."""

    title: str
    start: int
    end: int
    comments: tuple[ParsedComment, ...]


class Span(NamedTuple):
    """A piece of the page and what it was taken for."""

    start: int
    end: int
    kind: SpanKind


@dataclass(frozen=True)
class ParsedPage:
    """All threads that hold a comment.

    Attributes:
        threads: in the order of the page.
        headings: where the page's headings start and end.
        length: characters of the page.
        losses: what was seen and not taken for a comment, and what was taken with doubt, counted by reason.
    """

    threads: tuple[ParsedThread, ...]
    headings: tuple[tuple[int, int], ...]
    length: int = 0
    losses: Counter[str] = field(default_factory=Counter)

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """A partition of the page: every character lies in exactly one."""
        return tuple(_spans(self))

    def comments(self) -> Iterator[ParsedComment]:
        """All comments, in the order of the page."""
        return (comment for thread in self.threads for comment in thread.comments)


def parse_page(text: str, language: str | Language) -> ParsedPage:
    """Read a page.

    Linear in the length of the text for any text; never raises for a known language.

    Args:
        text: raw wikitext.
        language: its data, or the code of a shipped language.

    Raises:
        ConfigError: the language isn't known.
    """
    known = load_language(language) if isinstance(language, str) else language
    masked = mask(text)
    marks = find_marks(masked, known)
    losses = Counter({"timestamps without a user": marks.without_user, "impossible dates": marks.impossible})
    opened = open_holders(text, masked, marks.holders, [mark.start for mark in marks.found] if marks.holders else [])
    page = Page(opened, masked, marks.phrases, known, losses)
    groups = list(group_threads(read_sections(opened.text)))
    threads = list(_threads(text, page, groups, marks.found))
    kept = tuple(thread for thread in threads if thread.comments)
    losses["threads without comments"] += sum(t.title != "" for t in threads) - sum(t.title != "" for t in kept)
    headings = tuple((s.heading.start, s.heading.end) for group in groups for s in group if s.heading)
    return ParsedPage(kept, headings, len(text), +losses)


def _threads(text: str, page: Page, groups: list[list[Section]], marks: list[Mark]) -> Iterator[ParsedThread]:
    index = 0
    for group in groups:
        heading = group[0].heading
        drafts: list[Draft] = []
        for section in group:
            found, index = read_comments(page, section, marks, index)
            drafts += found
        if heading is None and all(draft.mark is None for draft in drafts):
            drafts = []
        title = clean_title(text[heading.title_start : heading.title_end]) if heading else ""
        yield ParsedThread(title, heading.start if heading else 0, group[-1].end, tuple(_linked(drafts)))


def _linked(drafts: list[Draft]) -> Iterator[ParsedComment]:
    """Comments with their parents: the last one before that is less indented, in the same subsection."""
    open_levels: list[tuple[int, int]] = []
    for index, draft in enumerate(drafts):
        if draft.opens_section:
            open_levels.clear()
        while open_levels and open_levels[-1][0] >= draft.level:
            open_levels.pop()
        parent = open_levels[-1][1] if open_levels else None
        if draft.answers_last and index:
            parent = index - 1
        open_levels.append((draft.level, index))
        mark = draft.mark or NOBODY
        yield ParsedComment(mark.author, mark.time, draft.level, parent, draft.body, draft.start, draft.end, mark.by)


def _spans(page: ParsedPage) -> Iterator[Span]:
    taken = [Span(start, end, "heading") for start, end in page.headings]
    taken += [Span(comment.start, comment.end, "comment") for comment in page.comments()]
    taken.sort(key=_START)
    position = 0
    for span in taken:
        if span.start > position:
            yield Span(position, span.start, "furniture")
        yield span
        position = span.end
    if position < page.length:
        yield Span(position, page.length, "furniture")
