"""The lines of a section as comments: each ends where somebody signed."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from folkmoot.environments.talk_page.wikitext.clean import clean_text, has_talk
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.masking import FILL, Masked
from folkmoot.environments.talk_page.wikitext.signatures import Mark, last_phrase
from folkmoot.environments.talk_page.wikitext.structure import Line, Section

_LEAD_OUT = re.compile(r"(?:\s|'{2,5}|</[a-zA-Z]{1,12}\s{0,4}>|<nowiki\s{0,4}/>|<!--[^\n]{0,300}?-->|[)\].,;:|~–—-])*")  # noqa: RUF001
_WINDOW = 1200
"""Raw characters before a signature in which its decoration is looked for."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A comment before its parent is known; `opens_section`: the first after a heading of its own."""

    start: int
    end: int
    level: int
    text: str
    mark: Mark | None
    outdented: bool
    opens_section: bool


class _Reader:
    """Gathers lines until one is signed."""

    def __init__(self, text: str, masked: Masked, language: Language, losses: Counter[str]) -> None:
        self.text, self.masked, self.language, self.losses = text, masked, language, losses
        self.pending: list[Line] = []
        self.first = True
        self.last: Draft | None = None

    def signed(self, line: Line, marks: Sequence[Mark]) -> Iterator[Draft]:
        """The comment that ends on this line, after one that nobody signed, if there is one."""
        lines = [*self.pending, line]
        cut = _missing_signature(lines)
        if cut:
            yield from self._unattributed(lines[:cut])
        lines = lines[cut:]
        self.pending = []
        yield self._draft(lines, marks)

    def rest(self) -> Iterator[Draft]:
        """What stands after the last signature."""
        lines, self.pending = self.pending, []
        yield from self._unattributed(lines)

    def _unattributed(self, lines: list[Line]) -> Iterator[Draft]:
        while lines and lines[-1].blank:
            lines = lines[:-1]
        if not lines:
            return
        draft = self._draft(lines, ())
        if has_talk(draft.text):
            self.losses["comments without a signature"] += 1
            yield draft

    def _draft(self, lines: list[Line], marks: Sequence[Mark]) -> Draft:
        start, end = lines[0].start, lines[-1].end
        mark = marks[0] if marks else None
        first, self.first = self.first, False
        level = min(lines[0].level, lines[-1].level)
        body = self._body(lines, marks)
        return Draft(start, end, level, body, mark, self._outdented(lines[0]), first)

    def _body(self, lines: list[Line], marks: Sequence[Mark]) -> str:
        """The clean text: the lines up to the signature, then what was added after it on its line."""
        pieces = [self.text[line.start : line.end] for line in lines[:-1]]
        last, position = lines[-1], lines[-1].start
        for mark in marks:
            pieces.append(self._unsigned_end(position, mark))
            position = mark.end
            position = match.end() if (match := _LEAD_OUT.match(self.text, position, last.end)) else position
        pieces.append(self.text[position : last.end])
        return clean_text("\n".join(pieces))

    def _unsigned_end(self, start: int, mark: Mark) -> str:
        """Text before a signature, without dashes, brackets and tags that lead into it."""
        near = max(start, mark.start - _WINDOW)
        before = self.text[near : mark.start]
        phrase = self.language.unsigned_phrase
        if mark.by == "unsigned_template" and phrase:
            found = last_phrase(before, phrase)
            before = before[:found] if found is not None else before
        return self.text[start:near] + before[: decoration(before)]

    def _outdented(self, line: Line) -> bool:
        templates = self.masked.templates
        index = bisect_left(templates, line.start, key=lambda template: template.start)
        if index >= len(templates) or templates[index].start >= line.end:
            return False
        before = self.text[line.start : templates[index].start]
        return templates[index].name in self.language.outdent and not before.strip(" \t:*#")


def decoration(before: str) -> int:
    """Where the dashes, brackets and opening tags that lead into a signature start; walked from the end."""
    end = len(before)
    while end:
        cut = _step(before, end)
        if cut == end:
            return end
        end = cut
    return 0


def _step(before: str, end: int) -> int:
    char = before[end - 1]
    if char in " \t\n-–—―~•·|([{/‣→»" + FILL:  # noqa: RUF001
        return end - 1
    if char == "'":
        bare = len(before[max(0, end - 10) : end].rstrip("'")) + max(0, end - 10)
        return bare if end - bare > 1 else end
    opening = (
        before.rfind("<", 0, end) if char == ">" else before.rfind("&", max(0, end - 8), end) if char == ";" else -1
    )
    if opening < 0:
        return end
    token = before[opening:end]
    if token.lower().startswith("<nowiki"):
        return end
    if re.fullmatch(r"<[a-zA-Z][^<>\n]{0,800}>|&(?:nbsp|mdash|ndash|middot|bull|#[0-9]{2,5});|<!--.*-->", token):
        return opening
    return end


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
