"""Foreign text on a terminal: shown as it is, and unable to do anything.

Text of models and people may hold terminal escapes, markup of our own table maker, or invisible marks that turn the
reading direction. Nothing of it is dropped: what can't be printed is shown as a visible mark.
"""

import unicodedata
from datetime import UTC, datetime
from typing import Any

import msgspec
from rich.text import Text

_JOINERS = "\u200c\u200d"
"""Invisible, but part of honest writing (Persian, emoji); they can't reorder anything."""


def plain(text: str) -> str:
    r"""The text with every control and format character made visible; line breaks and tabs stay.

    >>> plain("a\x1b[2Jb")
    'a␛[2Jb'
    >>> plain("\u202eevil\u202c")
    '⟨U+202E⟩evil⟨U+202C⟩'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def line(text: str, most: int | None = None) -> str:
    r"""The text on one line, cut after `most` characters.

    >>> line("two\nlines", 5)
    'two l…'
    """
    flat = plain(" ".join(text.split()))
    return flat if most is None or len(flat) <= most else flat[:most] + "…"


def shown(text: str, style: str = "") -> Text:
    """The text for rich, of which nothing is read as markup."""
    return Text(plain(text), style=style)


def value(thing: Any) -> str:
    """A fact on one line: strings as they are, anything else as JSON."""
    return line(thing if isinstance(thing, str) else msgspec.json.encode(thing, enc_hook=str).decode())


def utc(milliseconds: int) -> str:
    """An instant as people read it.

    >>> utc(1_700_000_000_000), utc(10**18)
    ('2023-11-14 22:13:20 UTC', '1000000000000000000 ms')
    """
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{milliseconds} ms"


def span(milliseconds: int) -> str:
    """A length of time as people say it.

    >>> span(90_000), span(7_200_000), span(250)
    ('1.5 min', '2.0 h', '0.2 s')
    """
    for size, name in ((86_400_000, "days"), (3_600_000, "h"), (60_000, "min")):
        if abs(milliseconds) >= size:
            return f"{milliseconds / size:.1f} {name}"
    return f"{milliseconds / 1000:.1f} s"


def _shown(character: str) -> str:
    code = ord(character)
    if character in "\n\t" or character in _JOINERS:
        return character
    if code < 0x20:  # noqa: PLR2004 -- the C0 controls, which have pictures of their own
        return chr(0x2400 + code)
    kind = unicodedata.category(character)
    return f"⟨U+{code:04X}⟩" if kind in {"Cc", "Cf", "Cs", "Zl", "Zp"} else character
