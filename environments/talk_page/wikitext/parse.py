"""A raw Talk page as threads of comments. Nothing is lost silently: see `ParsedPage.losses` and `spans`."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from folkmoot.environments.talk_page.wikitext.clean import clean_title
from folkmoot.environments.talk_page.wikitext.comments import Draft, read_comments
from folkmoot.environments.talk_page.wikitext.language import Language, load_language
from folkmoot.environments.talk_page.wikitext.marks import find_marks
from folkmoot.environments.talk_page.wikitext.masking import Masked, mask
from folkmoot.environments.talk_page.wikitext.signatures import NOBODY, Mark, SignedBy
from folkmoot.environments.talk_page.wikitext.structure import Section, group_threads, read_sections

SpanKind = Literal["heading", "comment", "furniture"]


@dataclass(frozen=True, slots=True)
class ParsedComment:
    """One comment.

    Attributes:
        author: canonical user name; "" where nobody is named.
        time: milliseconds since the epoch, UTC, to the minute; None where no date is given.
        level: indentation level in the source, from 0.
        parent: index, in the thread's comments, of the comment answered; None for one that stands by itself.
        text: clean text, without signature.
        start: offset of its first raw character in the page.
        end: one past its last raw character.
        by: signed, signed by a template for somebody who forgot to, or by nobody.
    """

    author: str
    time: int | None
    level: int
    parent: int | None
    text: str
    start: int
    end: int
    by: SignedBy


@dataclass(frozen=True, slots=True)
class ParsedThread:
    """A thread; `title` is "" for the text above the first heading."""

    title: str
    start: int
    end: int
    comments: tuple[ParsedComment, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the page and what it was taken for."""

    start: int
    end: int
    kind: SpanKind


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """All threads that hold a comment.

    Attributes:
        threads: in the order of the page.
        spans: a partition of the page: every character lies in exactly one.
        losses: what was seen and not taken for a comment, and what was taken with doubt, counted by reason.
    """

    threads: tuple[ParsedThread, ...]
    spans: tuple[Span, ...]
    losses: Counter[str] = field(default_factory=Counter)

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
    groups = group_threads(read_sections(masked.text))
    threads = [_thread(text, masked, group, marks.found, known, losses) for group in groups]
    kept = tuple(thread for thread in threads if thread.comments)
    losses["threads without comments"] += sum(thread.title != "" for thread in threads) - sum(
        t.title != "" for t in kept
    )
    return ParsedPage(kept, tuple(_spans(text, groups, kept)), +losses)


def _thread(
    text: str, masked: Masked, group: list[Section], marks: list[Mark], language: Language, losses: Counter[str]
) -> ParsedThread:
    heading = group[0].heading
    title = clean_title(text[heading.title_start : heading.title_end]) if heading else ""
    start = heading.start if heading else 0
    drafts = [draft for section in group for draft in read_comments(text, masked, section, marks, language, losses)]
    if heading is None and all(draft.mark is None for draft in drafts):
        drafts = []
    return ParsedThread(title, start, group[-1].end, tuple(_linked(drafts)))


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
        yield _comment(draft, parent)


def _comment(draft: Draft, parent: int | None) -> ParsedComment:
    mark = draft.mark or NOBODY
    return ParsedComment(mark.author, mark.time, draft.level, parent, draft.text, draft.start, draft.end, mark.by)


def _spans(text: str, groups: list[list[Section]], threads: tuple[ParsedThread, ...]) -> Iterator[Span]:
    headings = [s.heading for group in groups for s in group if s.heading]
    taken = [Span(h.start, h.end, "heading") for h in headings]
    taken += [Span(c.start, c.end, "comment") for thread in threads for c in thread.comments]
    position = 0
    for span in sorted(taken, key=lambda span: span.start):
        if span.start > position:
            yield Span(position, span.start, "furniture")
        yield span
        position = span.end
    if position < len(text):
        yield Span(position, len(text), "furniture")
