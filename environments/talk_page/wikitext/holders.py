"""Templates in whose parameters people sign: their parameters are read as lines of talk."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from folkmoot.environments.talk_page.wikitext.clean import words
from folkmoot.environments.talk_page.wikitext.masking import FILL, Masked

_TOKENS = re.compile(r"\[\[|\]\]|\{\{|\}\}|\{\||\|\}(?!\})|\|")
_OPENS, _CLOSES = frozenset({"[[", "{{", "{|"}), frozenset({"]]", "}}", "|}"})
_SAYS = 5
"""Words of a parameter without a signature that say something; fewer are a title, a page, a width."""

_NAME = re.compile(r"[ \t]*[\w -]{1,40}=")


class Opened(NamedTuple):
    """The page with such templates opened.

    Attributes:
        text: masked text in which their parameters stand on lines of their own.
        raw: the page's own text without their syntax; FILL stands for each character of it.
    """

    text: str
    raw: str


class _Piece(NamedTuple):
    """A part of a call: syntax, or a parameter; `bar` if a line ends at its first character."""

    start: int
    end: int
    talk: bool
    bar: bool


def open_holders(raw: str, masked: Masked, holders: Iterable[tuple[int, int]], places: Sequence[int]) -> Opened:
    """Replace the syntax of these templates by as many characters: bars are line ends, braces and names vanish.

    A parameter in which nobody signs vanishes too, unless it says something.

    Args:
        raw: the page.
        masked: the same, masked.
        holders: where the templates start and end.
        places: where signatures start, ascending.
    """
    lined, shown, position = [], [], 0
    for start, end in sorted(holders):
        inside = masked.lined[start:end]
        pieces = [_judged(piece, inside, start, places) for piece in _pieces(inside)]
        lined += [masked.text[position:start], _with(inside.replace("\n=", f"\n{FILL}"), pieces, "\n")]
        shown += [raw[position:start], _with(raw[start:end], pieces, FILL)]
        position = end
    if not position:
        return Opened(masked.text, raw)
    return Opened("".join([*lined, masked.text[position:]]), "".join([*shown, raw[position:]]))


def _pieces(call: str) -> list[_Piece]:
    """Head, parameters and bars, in order; a parameter's name belongs to the bar before it."""
    bars, depth = [], 0
    for match in _TOKENS.finditer(call, 2, len(call) - 2):
        token = match[0]
        if token in _OPENS:
            depth += 1
        elif token in _CLOSES:
            depth = max(0, depth - 1)
        elif depth == 0:
            bars.append(match.start())
    last = len(call) - 2
    pieces = [_Piece(0, bars[0] if bars else 2, talk=False, bar=False)]
    if not bars:
        pieces.append(_Piece(2, last, talk=True, bar=False))
    for number, (bar, following) in enumerate(pairwise([*bars, last])):
        named = _NAME.match(call, bar + 1, following)
        start = named.end() if named else bar + 1
        pieces += [_Piece(bar, start, talk=False, bar=number > 0), _Piece(start, following, talk=True, bar=False)]
    return [*pieces, _Piece(last, len(call), talk=False, bar=True)]


def _judged(piece: _Piece, call: str, offset: int, places: Sequence[int]) -> _Piece:
    """Talk only if somebody signs in it, or it holds more than a few words."""
    if not piece.talk:
        return piece
    index = bisect_left(places, offset + piece.start)
    signed = index < len(places) and places[index] < offset + piece.end
    return piece._replace(talk=signed or words(call[piece.start : piece.end]) >= _SAYS)


def _with(call: str, pieces: Sequence[_Piece], line_end: str) -> str:
    def shown(piece: _Piece) -> str:
        length = piece.end - piece.start
        if piece.talk or not length:
            return call[piece.start : piece.end]
        return (line_end if piece.bar else FILL) + FILL * (length - 1)

    return "".join(map(shown, pieces))
