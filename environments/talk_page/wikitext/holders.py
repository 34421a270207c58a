"""Templates in whose parameters people sign: their parameters are read as lines of talk."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from folkmoot.environments.talk_page.wikitext.masking import FILL, Masked

_TOKENS = re.compile(r"\[\[|\]\]|\{\{|\}\}|\{\||\|\}(?!\})|\|")
_OPENS, _CLOSES = frozenset({"[[", "{{", "{|"}), frozenset({"]]", "}}", "|}"})
_NAME = re.compile(r"[ \t]*[\w -]{1,40}=")


class Opened(NamedTuple):
    """The page with such templates opened.

    Attributes:
        text: masked text in which their parameters stand on lines of their own.
        raw: the page's own text without their syntax; FILL stands for each character of it.
    """

    text: str
    raw: str


def open_holders(raw: str, masked: Masked, holders: Iterable[tuple[int, int]]) -> Opened:
    """Replace the syntax of these templates by as many characters: bars are line ends, braces and names vanish."""
    lined, shown, position = [], [], 0
    for start, end in sorted(holders):
        inside = masked.lined[start:end]
        syntax = _syntax(inside)
        lined += [masked.text[position:start], _with(inside.replace("\n=", f"\n{FILL}"), syntax, "\n")]
        shown += [raw[position:start], _with(raw[start:end], syntax, FILL)]
        position = end
    if not position:
        return Opened(masked.text, raw)
    return Opened("".join([*lined, masked.text[position:]]), "".join([*shown, raw[position:]]))


def _syntax(call: str) -> list[tuple[int, int, bool]]:
    """What isn't talk in a call: start, end, and whether a line ends there."""
    bars, depth = [], 0
    for match in _TOKENS.finditer(call, 2, len(call) - 2):
        token = match[0]
        if token in _OPENS:
            depth += 1
        elif token in _CLOSES:
            depth = max(0, depth - 1)
        elif depth == 0:
            bars.append(match.start())
    pieces = [(0, bars[0] if bars else 2, False)]
    for number, bar in enumerate(bars):
        named = _NAME.match(call, bar + 1)
        pieces.append((bar, named.end() if named else bar + 1, number > 0))
    return [*pieces, (len(call) - 2, len(call), True)]


def _with(call: str, syntax: list[tuple[int, int, bool]], line_end: str) -> str:
    pieces, position = [], 0
    for start, end, ends_line in syntax:
        mark = line_end if ends_line else FILL
        pieces += [call[position:start], mark + FILL * (end - start - 1) if end > start else ""]
        position = end
    return "".join([*pieces, call[position:]])
