"""What a reader of the page never sees as talk: comments, nowiki, templates.

`mask` returns text of the same length, so every offset in it is an offset in the page. One pass, linear time.
"""

import re
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
        self._lower: str | None = None
        self._open_braces: list[int] = []
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
        """Pair the braces of a piece in which nothing is hidden."""
        text, opened = self.text, self._open_braces
        left, right = text.find("{{", start, end), text.find("}}", start, end)
        while left >= 0 or right >= 0:
            if left >= 0 and (left < right or right < 0):
                opened.append(left)
                left = text.find("{{", left + 2, end)
                if right >= 0 and right < opened[-1] + 2:
                    right = text.find("}}", opened[-1] + 2, end)
            else:
                if opened:
                    self.braces.append((opened.pop(), right + 2))
                right = text.find("}}", right + 2, end)

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
        found = (self.text if mark == "-->" else self._lowered()).find(mark, position)
        if found < 0:
            self._absent.add(mark)
            return None
        return found + len(mark)

    def _lowered(self) -> str:
        if self._lower is None:
            lower = self.text.lower()
            self._lower = lower if len(lower) == len(self.text) else self.text
        return self._lower


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
