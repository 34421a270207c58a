"""What a reader of the page never sees as talk: comments, nowiki, templates.

`mask` returns text of the same length, so every offset in it is an offset in the page. One pass, linear time.
"""

import re
from functools import cache
from typing import NamedTuple

FILL = "\x01"
"""Stands for each hidden character."""

_TAGS = re.compile(
    r"<(?:!--|(?i:nowiki\s*/>|(?P<tag>nowiki|pre|source|syntaxhighlight|math|templatedata|score)\b[^<>]*>))"
)
"""Starts with one character, which is what makes scanning for it fast; so braces are looked for by themselves."""

_HEAD = 120
"""Characters of a template's head that are read; names are short."""


class Template(NamedTuple):
    """A template call: `text[start:end]` is the whole of it, braces included; depth 0 = not inside another."""

    start: int
    end: int
    name: str
    depth: int


class Masked(NamedTuple):
    """The page as the parser reads it.

    Attributes:
        text: hidden characters replaced by FILL, newlines inside them too; templates stay readable,
            but their newlines are FILL, so that each stands on one line.
        templates: all closed template calls, by start.
        outer_starts: where the outermost templates start, ascending.
        outer_ends: one past their ends, in the same order.
        lined: as `text`, but templates keep their newlines.
    """

    text: str
    templates: tuple[Template, ...]
    outer_starts: tuple[int, ...]
    outer_ends: tuple[int, ...]
    lined: str


class _Scanner:
    """Walks over the tokens once; remembers which closing marks don't come any more."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.hidden: list[tuple[int, int]] = []
        self.braces: list[tuple[int, int]] = []
        self._open_braces: list[int] = []
        self._left = self._right = -1
        self._absent: set[str] = set()

    def run(self) -> None:
        """Tags and braces in order; what is hidden holds neither."""
        position = 0
        for match in _TAGS.finditer(self.text):
            if match.start() >= position:
                self._nest(position, match.start())
                position = self._hide(match)
        self._nest(position, len(self.text))

    def _nest(self, start: int, end: int) -> None:
        """Pair the braces of a piece in which nothing is hidden; where the next ones stand is known from the last."""
        text, opened = self.text, self._open_braces
        left = self._left if self._left >= start else _pair(text, "{", start)
        right = self._right if self._right >= start else _pair(text, "}", start)
        last = end - 2
        while left <= last or right <= last:
            if left < right:
                opened.append(left)
                left = _pair(text, "{", left + 2)
            else:
                if opened:
                    self.braces.append((opened.pop(), right + 2))
                right = _pair(text, "}", right + 2)
        self._left, self._right = left, right

    def _hide(self, match: re.Match[str]) -> int:
        tag = match["tag"]
        closing = f"</{tag.lower()}>" if tag else "-->" if match[0] == "<!--" else ""
        end = self._closing(closing, match.end()) if closing else match.end()
        if end is None:
            return match.end()
        self.hidden.append((match.start(), end))
        return end

    def _closing(self, mark: str, position: int) -> int | None:
        if mark in self._absent:
            return None
        found = _anycase(mark).search(self.text, position)
        if found is None:
            self._absent.add(mark)
            return None
        return found.end()


def _pair(text: str, brace: str, position: int) -> int:
    """Where two of these braces stand next; the text's end if they don't. Looking for one character is fastest."""
    found = text.find(brace, position)
    while found >= 0 and not text.startswith(brace, found + 1):
        found = text.find(brace, found + 1)
    return found if found >= 0 else len(text)


@cache
def _anycase(mark: str) -> re.Pattern[str]:
    """A closing mark, whatever its case."""
    return re.compile(re.escape(mark), re.IGNORECASE | re.ASCII)


def mask(text: str) -> Masked:
    """Hide what isn't talk."""
    scanner = _Scanner(text)
    scanner.run()
    braces = sorted(scanner.braces, key=lambda span: (span[0], -span[1]))
    flat = outermost(braces)
    lined = _fill(text, scanner.hidden, newlines_only=False)
    chars = _fill(lined, flat, newlines_only=True)
    starts, ends = tuple(start for start, _ in flat), tuple(end for _, end in flat)
    return Masked(chars, _templates(chars, braces), starts, ends, lined)


def outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of spans in order, those that lie in no other."""
    kept: list[tuple[int, int]] = []
    end = 0
    for span in spans:
        if span[0] >= end:
            kept.append(span)
            end = span[1]
    return kept


def _fill(text: str, spans: list[tuple[int, int]], *, newlines_only: bool) -> str:
    pieces, position = [], 0
    for start, end in spans:
        inside = text[start:end]
        if newlines_only and "\n" not in inside:
            continue
        pieces += [text[position:start], inside.replace("\n", FILL) if newlines_only else FILL * len(inside)]
        position = end
    return "".join([*pieces, text[position:]]) if pieces else text


def _templates(text: str, spans: list[tuple[int, int]]) -> tuple[Template, ...]:
    """Calls with their name; a name is short, so only the head is read."""
    templates: list[Template] = []
    ends: list[int] = []
    for start, end in spans:
        while ends and ends[-1] <= start:
            ends.pop()
        templates.append(Template(start, end, template_name(text[start + 2 : min(end - 2, start + _HEAD)]), len(ends)))
        ends.append(end)
    return tuple(templates)


def template_name(inner: str) -> str:
    """The name that a call's inside starts with, in lower case and with spaces; no `subst:`, no namespace."""
    name = inner.split("|", 1)[0].split("}}", 1)[0].replace("_", " ").replace(FILL, " ").strip().lower()
    return name.removeprefix("subst:").removeprefix("template:").strip() if ":" in name else name
