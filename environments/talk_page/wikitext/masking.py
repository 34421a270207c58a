"""What a reader of the page never sees as talk: comments, nowiki, templates.

`mask` returns text of the same length, so every offset in it is an offset in the page. One pass, linear time.
"""

import re
from dataclasses import dataclass

FILL = "\x01"
"""Stands for each hidden character."""

_TOKENS = re.compile(
    r"<!--|<nowiki\s*/>|<(?P<tag>nowiki|pre|source|syntaxhighlight|math|templatedata|score)\b[^<>]*>|\{\{|\}\}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Template:
    """A template call: `text[start:end]` is the whole of it, braces included; depth 0 = not inside another."""

    start: int
    end: int
    name: str
    depth: int


@dataclass(frozen=True, slots=True)
class Masked:
    """The page as the parser reads it.

    Attributes:
        text: hidden characters replaced by FILL, newlines inside them too; templates stay readable,
            but their newlines are FILL, so that each stands on one line.
        templates: all closed template calls, by start.
        outer_starts: where the outermost templates start, ascending.
        outer_ends: one past their ends, in the same order.
    """

    text: str
    templates: tuple[Template, ...]
    outer_starts: tuple[int, ...]
    outer_ends: tuple[int, ...]


class _Scanner:
    """Walks over the tokens once; remembers which closing marks don't come any more."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lower = text.lower() if len(text.lower()) == len(text) else text
        self.hidden: list[tuple[int, int]] = []
        self.braces: list[tuple[int, int]] = []
        self._open_braces: list[int] = []
        self._absent: set[str] = set()

    def run(self) -> None:
        position = 0
        while match := _TOKENS.search(self.text, position):
            position = self._take(match)

    def _take(self, match: re.Match[str]) -> int:
        mark = match[0]
        if mark in {"{{", "}}"}:
            return self._nest(match, self._open_braces, self.braces, mark == "{{")
        closing = "-->" if mark == "<!--" else f"</{match['tag'].lower()}>" if match["tag"] else ""
        end = self._closing(closing, match.end()) if closing else match.end()
        if end is None:
            return match.end()
        self.hidden.append((match.start(), end))
        return end

    def _closing(self, mark: str, position: int) -> int | None:
        if mark in self._absent:
            return None
        found = self.lower.find(mark, position)
        if found < 0:
            self._absent.add(mark)
            return None
        return found + len(mark)

    @staticmethod
    def _nest(match: re.Match[str], opened: list[int], closed: list[tuple[int, int]], opens: bool) -> int:
        if opens:
            opened.append(match.start())
        elif opened:
            closed.append((opened.pop(), match.end()))
        return match.end()


def mask(text: str) -> Masked:
    """Hide what isn't talk."""
    scanner = _Scanner(text)
    scanner.run()
    flat = _outermost(scanner.braces)
    chars = _fill(text, scanner.hidden, newlines_only=False)
    chars = _fill(chars, flat, newlines_only=True)
    starts, ends = tuple(start for start, _ in flat), tuple(end for _, end in flat)
    return Masked(chars, _templates(chars, scanner.braces), starts, ends)


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _fill(text: str, spans: list[tuple[int, int]], *, newlines_only: bool) -> str:
    pieces, position = [], 0
    for start, end in spans:
        inside = text[start:end]
        pieces += [text[position:start], inside.replace("\n", FILL) if newlines_only else FILL * len(inside)]
        position = end
    return "".join([*pieces, text[position:]])


def _templates(text: str, spans: list[tuple[int, int]]) -> tuple[Template, ...]:
    """Calls with their name; a name is short, so only the head is read."""
    templates: list[Template] = []
    ends: list[int] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        while ends and ends[-1] <= start:
            ends.pop()
        head = text[start + 2 : min(end - 2, start + 120)].split("|", 1)[0].split("}}", 1)[0]
        name = head.replace("_", " ").replace(FILL, " ").strip().lower()
        templates.append(Template(start, end, name, len(ends)))
        ends.append(end)
    return tuple(templates)
