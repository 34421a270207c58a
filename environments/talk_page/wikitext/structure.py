"""Headings and lines of a page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from folkmoot.environments.talk_page.wikitext.masking import FILL

THREAD_LEVEL = 2
"""Headings up to this level open a thread; deeper ones belong to it."""

_PREFIX = re.compile(rf"[ \t{FILL}]*(?P<marks>[:*#;]*)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of masked text, `text[start:end]` without its newline.

    Attributes:
        marks: list marks in front, e.g. ":*".
        blank: nothing to read.
    """

    start: int
    end: int
    marks: str
    blank: bool

    @property
    def level(self) -> int:
        """Indentation level, from 0; a definition's term (;) is no indentation."""
        return len(self.marks.replace(";", ""))


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line; `level` 1 to 6, `title` as masked text shows it."""

    start: int
    end: int
    level: int
    title_start: int
    title_end: int


@dataclass(frozen=True, slots=True)
class Section:
    """What stands between two headings; the page's lead has no heading."""

    heading: Heading | None
    lines: tuple[Line, ...]
    end: int


def read_lines(text: str) -> Iterator[Line]:
    """All lines, in order; their spans and the newlines between them make up the text."""
    start = 0
    for raw in text.split("\n"):
        end = start + len(raw)
        prefix = _PREFIX.match(raw)
        marks = prefix["marks"] if prefix and raw[:1] != " " else ""
        yield Line(start, end, marks, not raw.strip(f" \t\r:*#;{FILL}"))
        start = end + 1


def read_heading(text: str, line: Line) -> Heading | None:
    """The heading that this line is, if it is one: as many equals signs behind as in front, up to six."""
    raw = text[line.start : line.end]
    if raw[:1] != "=":
        return None
    body = raw.rstrip(f" \t\r{FILL}")
    before = len(body) - len(body.lstrip("="))
    after = len(body) - len(body.rstrip("="))
    level = min(before, after, 6)
    if before == len(body) or level == 0:
        return None
    return Heading(line.start, line.end, level, line.start + level, line.start + len(body) - level)


def read_sections(text: str) -> list[Section]:
    """The page cut at its headings, the lead first."""
    sections: list[Section] = []
    heading: Heading | None = None
    lines: list[Line] = []
    for line in read_lines(text):
        found = read_heading(text, line)
        if found is None:
            lines.append(line)
            continue
        sections.append(Section(heading, tuple(lines), line.start))
        heading, lines = found, []
    return [*sections, Section(heading, tuple(lines), len(text))]


def group_threads(sections: list[Section]) -> list[list[Section]]:
    """Sections by thread: the lead by itself, then each heading of level 1 or 2 with the deeper ones after it."""
    threads: list[list[Section]] = []
    for section in sections:
        deeper = section.heading is not None and section.heading.level > THREAD_LEVEL
        if deeper and threads and threads[-1][0].heading is not None:
            threads[-1].append(section)
        else:
            threads.append([section])
    return threads
