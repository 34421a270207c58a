"""Halves of characters (lone surrogates) in JSON: mended and counted.

Of the two halves that write a rare character in JSON one alone is no text, and can't be stored.
"""

import re

HALVES = "halves of characters (kept, as the sign for what can't be read)"

SIGN = "\ufffd"

_HALF = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(u[dD][89a-fA-F]\w\w)|.)", re.DOTALL)
"""A sequence of JSON: a whole pair, a half (the group), or another one."""


def without_halves(text: str) -> tuple[str, int]:
    """A text with the sign in place of each half, and how many there were."""
    if text.isascii():
        return text, 0
    return _HALF.subn(SIGN, text)


def without_escaped(raw: str) -> tuple[str, int]:
    r"""JSON with the sign's escape in place of each half that is written as one, and how many there were.

    >>> without_escaped(r'"\ud83e, \ud83e\udd16, \\ud83e"')
    ('"\\ufffd, \\ud83e\\udd16, \\\\ud83e"', 1)
    """
    if "\\ud" not in raw and "\\uD" not in raw:
        return raw, 0
    halves = sum(found[1] is not None for found in _ESCAPE.finditer(raw))
    return (_ESCAPE.sub(lambda found: r"\ufffd" if found[1] else found[0], raw), halves) if halves else (raw, 0)
