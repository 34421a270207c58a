"""Headings and lines of a page."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from folkmoot.environments.talk_page.wikitext.masking import FILL

THREAD_LEVEL = 2
"""Headings up to this level open a thread; deeper ones belong to it."""

_PREFIX = re.compile(rf"[ \t{FILL}]*(?P<marks>[:*#;]*)")
_MARKS = frozenset(":*#")
_LEADS = frozenset(":*#;\t" + FILL)
_SPECIAL = _LEADS | frozenset(" {|-=\r")
_TABLE = ("{|", "|-", "|}", "|+")
_RULE = "----"
_NOTHING = f" \t\r:*#;{FILL}"


class Line(NamedTuple):
    """One line of masked text, `text[start:end]` without its newline.

    Attributes:
        marks: list marks in front, e.g. ":*"; a space for a preformatted line, which is no part of a paragraph.
        level: indentation level, from 0; a definition's term (;) is no indentation.
        blank: nothing to read: empty, marks only, a rule, or a table's syntax.
    """

    start: int
    end: int
    marks: str
    level: int
    blank: bool


class Heading(NamedTuple):
    """A heading line; `level` 1 to 6, `title` as masked text shows it."""

    start: int
    end: int
    level: int
    title_start: int
    title_end: int


class Section(NamedTuple):
    """What stands between two headings; the page's lead has no heading."""

    heading: Heading | None
    lines: tuple[Line, ...]
    end: int


def _line(raw: str, start: int) -> Line:
    """A line that starts with a list mark, or with something else that may make it no text."""
    end, first = start + len(raw), raw[0]
    if first in _MARKS:
        said = raw.lstrip(":*#")
        if said and said[0] not in _LEADS:
            depth = len(raw) - len(said)
            return Line(start, end, raw[:depth], depth, not said.strip(_NOTHING))
    if first not in _LEADS:
        blank = not raw.strip(_NOTHING) or (first in "{|-" and raw.startswith((*_TABLE, _RULE)) and _bare(raw))
        return Line(start, end, " " if first == " " and not blank else "", 0, blank)
    match = _PREFIX.match(raw)
    marks = match["marks"] if match else ""
    return Line(start, end, marks, len(marks) - marks.count(";"), not raw.strip(_NOTHING))


def _bare(raw: str) -> bool:
    """Whether a line that starts as a rule or as a table's syntax holds nothing else."""
    return not raw.strip("- \t\r" + FILL) if raw.startswith(_RULE) else not raw.startswith("|+")


def read_heading(raw: str, start: int) -> Heading | None:
    """The heading that this line is, if it is one: as many equals signs behind as in front, up to six."""
    body = raw.rstrip(f" \t\r{FILL}")
    before = len(body) - len(body.lstrip("="))
    after = len(body) - len(body.rstrip("="))
    level = min(before, after, 6)
    if before == len(body) or level == 0:
        return None
    return Heading(start, start + len(raw), level, start + level, start + len(body) - level)


def read_sections(text: str) -> list[Section]:
    """The page cut at its headings, the lead first. Most lines are empty or start with a letter."""
    sections: list[Section] = []
    heading: Heading | None = None
    lines: list[Line] = []
    start = 0
    for raw in text.split("\n"):
        end = start + len(raw)
        if not raw:
            lines.append(Line(start, end, "", 0, True))  # noqa: FBT003 -- in the fields' order; keywords cost time here
        elif raw[0] not in _SPECIAL:
            lines.append(Line(start, end, "", 0, False))  # noqa: FBT003
        elif raw[0] != "=" or (found := read_heading(raw, start)) is None:
            lines.append(_line(raw, start))
        else:
            sections.append(Section(heading, tuple(lines), start))
            heading, lines = found, []
        start = end + 1
    return [*sections, Section(heading, tuple(lines), len(text))]


def group_threads(sections: list[Section]) -> Iterator[list[Section]]:
    """Sections by thread: the lead by itself, then each heading of level 1 or 2 with the deeper ones after it."""
    thread: list[Section] = []
    for section in sections:
        deeper = section.heading is not None and section.heading.level > THREAD_LEVEL
        if not (deeper and thread and thread[0].heading is not None):
            if thread:
                yield thread
            thread = []
        thread.append(section)
    if thread:
        yield thread
