"""The lines of a section as comments: each ends where somebody signed."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from folkmoot.environments.talk_page.wikitext.clean import clean_text, has_talk, words
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.masking import Masked
from folkmoot.environments.talk_page.wikitext.signatures import Mark
from folkmoot.environments.talk_page.wikitext.structure import Line, Section
from folkmoot.environments.talk_page.wikitext.trim import after_signature, before_signature

POST_WORDS = 4
"""Words between two users' signatures on one line that make a comment of its own; fewer are a remark on the first."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A comment before its parent is known.

    Attributes:
        answers_last: whatever its indentation: it is outdented, or stands on the line of another.
        opens_section: the first after a heading of its own.
    """

    start: int
    end: int
    level: int
    text: str
    mark: Mark | None
    answers_last: bool
    opens_section: bool


class _Reader:
    """Gathers lines until one is signed."""

    def __init__(self, text: str, masked: Masked, language: Language, losses: Counter[str]) -> None:
        self.text, self.masked, self.language, self.losses = text, masked, language, losses
        self.pending: list[Line] = []
        self.first = True

    def signed(self, line: Line, marks: Sequence[Mark]) -> Iterator[Draft]:
        """The comments that end on this line, after one that nobody signed, if there is one."""
        lines = [*self.pending, line]
        self.pending = []
        cut = _missing_signature(lines)
        if cut:
            yield from self._unattributed(lines[:cut])
        first, *others = self._posts(marks)
        lines = lines[cut:]
        end = after_signature(self.text, first[-1], line.end, self.language) if others else line.end
        yield self._draft(lines, first, lines[0].start, end)
        for number, post in enumerate(others, 1):
            start = end
            end = after_signature(self.text, post[-1], line.end, self.language) if number < len(others) else line.end
            self.losses["comments on the line of another (split off)"] += 1
            yield self._draft([line], post, start, end)

    def _posts(self, marks: Sequence[Mark]) -> list[list[Mark]]:
        """Signatures by comment: one more by the same user, or after a few words, only adds to the comment."""
        posts = [[marks[0]]]
        for mark in marks[1:]:
            last = posts[-1][-1]
            said = clean_text(before_signature(self.text, last.end, mark, self.language))
            if mark.author and last.author and mark.author != last.author and words(said) >= POST_WORDS:
                posts.append([mark])
            else:
                posts[-1].append(mark)
        return posts

    def rest(self) -> Iterator[Draft]:
        """What stands after the last signature."""
        lines, self.pending = self.pending, []
        yield from self._unattributed(lines)

    def _unattributed(self, lines: list[Line]) -> Iterator[Draft]:
        while lines and lines[-1].blank:
            lines = lines[:-1]
        if not lines:
            return
        draft = self._draft(lines, (), lines[0].start, lines[-1].end)
        if has_talk(draft.text):
            self.losses["comments without a signature"] += 1
            yield draft

    def _draft(self, lines: list[Line], marks: Sequence[Mark], start: int, end: int) -> Draft:
        mark = marks[0] if marks else None
        first, self.first = self.first, False
        level = min(lines[0].level, lines[-1].level)
        answers_last = start > lines[0].start or self._outdented(lines[0])
        self.losses["comments without a signature"] += mark is not None and mark.by == "unattributed"
        text = self._body(lines, marks, start, end)
        return Draft(start, end, level, text, mark, answers_last, first)

    def _body(self, lines: list[Line], marks: Sequence[Mark], start: int, end: int) -> str:
        """The clean text: the lines up to the signature, then what was added after it on its line."""
        pieces = [self.text[line.start : line.end] for line in lines[:-1]]
        position = max(start, lines[-1].start)
        for mark in marks:
            pieces.append(before_signature(self.text, position, mark, self.language))
            position = after_signature(self.text, mark, end, self.language)
        pieces.append(self.text[position:end])
        return clean_text("\n".join(pieces))

    def _outdented(self, line: Line) -> bool:
        templates = self.masked.templates
        index = bisect_left(templates, line.start, key=lambda template: template.start)
        if index >= len(templates) or templates[index].start >= line.end:
            return False
        before = self.text[line.start : templates[index].start]
        return templates[index].name in self.language.outdent and not before.strip(" \t:*#")


def _missing_signature(lines: list[Line]) -> int:
    """How many leading lines are a comment that nobody signed: the signed line answers it, one step deeper."""
    last = lines[-1]
    above = [line for line in lines[:-1] if not line.blank]
    if not above or not last.marks.endswith(":"):
        return 0
    if min(line.level for line in above) >= last.level:
        return 0
    index = len(lines) - 1
    while index and (lines[index - 1].blank or lines[index - 1].level >= last.level):
        index -= 1
    return index


def read_comments(
    text: str, masked: Masked, section: Section, marks: list[Mark], language: Language, losses: Counter[str]
) -> Iterator[Draft]:
    """The comments of one section, in order."""
    reader = _Reader(text, masked, language, losses)
    index = bisect_left(marks, section.lines[0].start, key=lambda mark: mark.start) if section.lines else 0
    for line in section.lines:
        here = index
        while index < len(marks) and marks[index].start < line.end:
            index += 1
        if here < index:
            yield from reader.signed(line, marks[here:index])
        elif reader.pending or not line.blank:
            reader.pending.append(line)
    yield from reader.rest()
