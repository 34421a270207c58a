"""Text by people and models, made harmless for a figure: no mathtext, no control, no missing glyph."""

import unicodedata
from functools import cache
from typing import Any


def shown(text: str, limit: int = 60) -> str:
    r"""Printable, on one line, at most `limit` characters; what the font lacks is a box.

    Mathtext is switched off where the text is drawn (`set_parse_math(False)`).

    >>> shown("a\tb\u202e" + "c" * 9, 8)
    'a bcccc…'
    """
    spaced = " ".join(text.split())
    safe = "".join(c if _drawn(c) else "\u25a1" for c in spaced if unicodedata.category(c)[0] != "C")
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"


def _drawn(character: str) -> bool:
    return bool(_font().get_char_index(ord(character)))


@cache
def _font() -> Any:
    """The font that figures are drawn with: it ships with matplotlib."""
    from matplotlib import font_manager

    return font_manager.get_font(font_manager.findfont("DejaVu Sans"))
