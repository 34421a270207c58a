"""The lines of a section as comments: each ends where somebody signed."""

import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from folkmoot.environments.talk_page.wikitext.appendix import begins_postscript, missing_signature, says_nothing
from folkmoot.environments.talk_page.wikitext.clean import clean_text, has_talk
from folkmoot.environments.talk_page.wikitext.holders import Opened
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.late import undated_name
from folkmoot.environments.talk_page.wikitext.masking import Masked
from folkmoot.environments.talk_page.wikitext.phrases import Phrases
from folkmoot.environments.talk_page.wikitext.posts import posts_of
from folkmoot.environments.talk_page.wikitext.signatures import Mark
from folkmoot.environments.talk_page.wikitext.structure import Line, Section
from folkmoot.environments.talk_page.wikitext.trim import after_signature, before_signature

SPLIT = "comments on the line of another (split off)"
UNSIGNED = "comments without a signature"
UNDATED = "signatures without a time"
ADDED = "additions below a signature"

_START = attrgetter("start")
_NEVER = sys.maxsize
_NO_NAME = re.compile(r"[\[\]{}<>#]")
"""What no template's name holds; braces that somebody left open aren't one."""


class Draft(NamedTuple):
    """A comment before its parent is known.

    Attributes:
        answers_last: whatever its indentation: it is outdented, or stands on the line of another.
        opens_section: the first after a heading of its own.
    """

    start: int
    end: int
    level: int
    body: str
    mark: Mark | None
    answers_last: bool
    opens_section: bool


class Page(NamedTuple):
    """What reading the comments of a page needs: its text as it stands and as it is read, and who signs how."""

    opened: Opened
    masked: Masked
    phrases: Phrases
    language: Language
    losses: Counter[str]


class Reader:
    """Gathers the lines of one section until somebody signs.

    Attributes:
        drafts: the comments so far.
        open: lines since the last signature; a blank one means nothing where there are none.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.raw = page.opened.raw
        self._templates = page.masked.templates
        self.drafts: list[Draft] = []
        self.open: list[Line] = []
        self._signed: Line | None = None
        self._joined = 0
        """Pending lines, all of them, that go on in the paragraph of the last signature; 0 where it has ended."""

    def signed(self, line: Line, marks: Sequence[Mark]) -> None:
        """The comments that end on this line, after one that nobody signed, if there is one.

        Nothing goes on below a signature in a template: each parameter is a paragraph.
        """
        if not line.marks and self._continues(line, marks):
            lines, self.open, self._joined = [*self.open, line], [], 0
            self._add(lines, marks)
        elif self.open or len(marks) > 1:
            lines, self.open, self._joined = [*self.open, line], [], 0
            self._several(lines, marks)
        else:
            self._draft((line,), marks, line.start, line.end)
        self._signed = None if marks[-1].by == "in_template" else line

    def _several(self, lines: list[Line], marks: Sequence[Mark]) -> None:
        """Several lines, several signatures, or both."""
        line = lines[-1]
        cut = missing_signature(lines, self.raw)
        self._unattributed(lines[:cut])
        lines = self._trimmed(lines[cut:])
        first, *others = posts_of(marks, line, self.raw, self.page.phrases)
        self._draft(lines, first.marks, lines[0].start, first.end)
        for post in others:
            self.page.losses[SPLIT] += 1
            self._draft([line], post.marks, post.start, post.end, inline=post.inline)

    def _continues(self, line: Line, marks: Sequence[Mark]) -> bool:
        """Whether the same user signs once more in the same paragraph; a list mark would start another."""
        if self._signed is None or self._signed.marks:
            return False
        last = self.drafts[-1].mark if self.drafts else None
        if last is None:
            return False
        adjacent = self._joined or self._signed.end + 1 == line.start
        return bool(
            adjacent and last.author and all(mark.author == last.author and mark.by != "in_template" for mark in marks)
        )

    def unsigned(self, line: Line) -> None:
        """A line on which nobody signs with a date."""
        if line.blank:
            self._end_paragraph()
            if self.open:
                self.open.append(line)
            return
        above = self._signed if self._signed and self._signed.end + 1 == line.start and not self.open else None
        if not line.marks and (self._joined or (above and not above.marks)):
            self._joined += 1
        else:
            self._end_paragraph()
            if above and above.level == line.level and self._is_postscript(line):
                self._add([line], ())
                self._signed = line
                return
        self.open.append(line)
        self._undated(line)

    def _is_postscript(self, line: Line) -> bool:
        return begins_postscript(self.raw[line.start : line.end], self.page.language)

    def _undated(self, line: Line) -> None:
        mark = undated_name(self.page.opened.text, line.start, line.end, self.page.language)
        if mark is None:
            return
        lines, self.open = self._trimmed(self.open), []
        self._joined = 0
        self.page.losses[UNDATED] += 1
        self._draft(lines, (mark,), lines[0].start, line.end)
        self._signed = line

    def _end_paragraph(self) -> None:
        """What stood in the last comment's paragraph, behind its signature, is an addition to it."""
        if self._joined and self.drafts:
            lines, self.open = self.open, []
            self._add(lines, ())
        self._joined = 0

    def _add(self, lines: list[Line], marks: Sequence[Mark]) -> None:
        last = self.drafts[-1]
        body = self._body(marks, lines[0].start, lines[-1].end)
        self.page.losses[ADDED] += 1
        mark = marks[0] if marks and last.mark and last.mark.time is None else last.mark
        self.drafts[-1] = last._replace(end=lines[-1].end, body=f"{last.body}\n{body}", mark=mark)
        self._signed = lines[-1] if marks else self._signed

    def finish(self) -> list[Draft]:
        """All comments, with what stands after the last signature."""
        self._end_paragraph()
        lines, self.open = self.open, []
        self._unattributed(lines)
        return self.drafts

    def _unattributed(self, lines: list[Line]) -> None:
        while lines and lines[-1].blank:
            lines = lines[:-1]
        lines = self._trimmed(lines) if lines else lines
        if not lines or not has_talk(clean_text(self.raw[lines[0].start : lines[-1].end])):
            return
        self.page.losses[UNSIGNED] += 1
        self._draft(lines, (), lines[0].start, lines[-1].end)

    def _trimmed(self, lines: list[Line]) -> list[Line]:
        """Without leading lines that say nothing: blank ones, wrappers, pictures and templates at another level."""
        last = lines[-1]
        first = 0
        while first < len(lines) - 1:
            line = lines[first]
            if not line.blank and not says_nothing(self.raw, line, last, self.page.language):
                break
            first += 1
        return lines[first:] if first else lines

    def _draft(
        self, lines: Sequence[Line], marks: Sequence[Mark], start: int, end: int, *, inline: bool = False
    ) -> None:
        mark = marks[0] if marks else None
        if mark is not None and mark.by == "unattributed":
            self.page.losses[UNSIGNED] += 1
        line = lines[0]
        behind = self._outdent(line) if self._templates and not inline else 0
        body = self._body(marks, behind or start, end)
        if mark is not None and mark.by == "in_template" and not clean_text(body):
            body = self._holder(mark)
        level = line.level if len(lines) == 1 else min(line.level, lines[-1].level)
        self.drafts.append(Draft(start, end, level, body, mark, inline or behind > 0, not self.drafts))

    def _body(self, marks: Sequence[Mark], start: int, end: int) -> str:
        """What is said: up to the signature, then what was added after it on its line."""
        raw, phrases = self.raw, self.page.phrases
        pieces, position = [], start
        for mark in marks:
            if mark.start > position:
                pieces.append(before_signature(raw, position, mark, phrases))
            position = mark.end if mark.end >= end else after_signature(raw, mark, end, phrases)
        if position < end or not marks:
            pieces.append(raw[position:end])
        return pieces[0] if len(pieces) == 1 else "\n".join(pieces)

    def _outdent(self, line: Line) -> int:
        """Where the line goes on behind a template that brings it back to the margin; 0 if there is none."""
        templates = self._templates
        if not self.raw.startswith(("{{", " "), line.start + len(line.marks)):
            return 0
        index = bisect_left(templates, line.start, key=_START)
        if index >= len(templates) or templates[index].start >= line.end:
            return 0
        call = templates[index]
        before = self.raw[line.start : call.start]
        return call.end if call.name in self.page.language.outdent and not before.strip(" \t:*#") else 0

    def _holder(self, mark: Mark) -> str:
        """A comment that is nothing but a signature in a template: the template's name says what it says."""
        masked = self.page.masked
        index = bisect_left(masked.outer_starts, mark.start) - 1
        head = masked.lined[masked.outer_starts[index] + 2 : mark.start] if index >= 0 else ""
        name, bar, _ = head.partition("|")
        return f"{{{{{' '.join(name.split())}}}}}" if bar and not _NO_NAME.search(name) else ""


def read_comments(page: Page, section: Section, marks: Sequence[Mark], index: int) -> tuple[list[Draft], int]:
    """The comments of one section, in order, and the index of the first mark behind it."""
    reader = Reader(page)
    count = len(marks)
    above = section.heading.end if section.heading else 0
    while index < count and marks[index].end <= above:
        index += 1
    upcoming = marks[index].end if index < count else _NEVER
    for line in section.lines:
        if upcoming <= line.end:
            here = index
            while index < count and marks[index].end <= line.end:
                index += 1
            upcoming = marks[index].end if index < count else _NEVER
            reader.signed(line, marks[here:index])
        elif not line.blank or reader.open:
            reader.unsigned(line)
    return reader.finish(), index
