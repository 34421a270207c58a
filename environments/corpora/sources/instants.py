"""Instants as archives write them: seconds, milliseconds, or a date in words of figures."""

import re
from datetime import UTC, datetime
from typing import Any

from folkmoot.sim.errors import CorpusError

_NUMBER = re.compile(r"[+-]?\d{1,20}(\.\d{0,20})?(e[+-]?\d{1,3})?", re.IGNORECASE)

MILLISECONDS = 100_000_000_000
"""A number from here on can't be seconds (the year 5138); it is milliseconds (1973 on)."""

FIRST, LAST = -62_135_596_800_000, 253_402_300_799_999
"""The first millisecond of the year 1 and the last of the year 9999."""


def read_instant(value: Any) -> int | None:
    """Ms since the epoch, UTC; None for nothing ("", null).

    Numbers, also as text, are seconds, or milliseconds where they can't be seconds; text is ISO 8601, with a blank for
    the T and " UTC" for the Z if need be. A date without a zone is in UTC.

    Raises:
        CorpusError: neither.

    >>> read_instant(1_600_000_000), read_instant("1600000000.5"), read_instant(1_600_000_000_000)
    (1600000000000, 1600000000500, 1600000000000)
    >>> read_instant("2006-03-10 14:50:43 UTC"), read_instant("2006-03-10T15:50:43+01:00"), read_instant("")
    (1142002243000, 1142002243000, None)
    """
    if value is None or value == "" or isinstance(value, bool):
        return None
    text = type(value).__name__  # a number of over 4,300 digits has no text
    try:
        text = str(value).strip()
        instant = _number(text) if _NUMBER.fullmatch(text) else _date(text)
    except (ValueError, OverflowError):
        instant = LAST + 1
    if not FIRST <= instant <= LAST:
        raise CorpusError(f"{text[:40]!r} is no time; give seconds since 1970, or a date like 2024-05-01T12:00:00Z")
    return instant


def _number(text: str) -> int:
    number = float(text)
    return round(number if abs(number) >= MILLISECONDS else number * 1000)


def _date(text: str) -> int:
    moment = datetime.fromisoformat(text.removesuffix(" UTC").strip())
    return round(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1000)
