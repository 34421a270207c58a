"""Localized timestamps of signatures: find, read and write them.

A format is written as in PHP's `date` (the notation of MediaWiki's own language files):
H hour, i minute, j day, M short month, F long month, Y year, backslash = the next character as it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from zoneinfo import ZoneInfo

from folkmoot.environments.talk_page.wikitext.language import Language, load_language

SPACE = r"(?:\s|&nbsp;|&#160;|\u200e|\u200f|\u202f){0,4}"
"""White space between the parts of a date, entities and direction marks included; bounded, so it can't run wild."""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A date found in the text.

    Attributes:
        start: first character.
        end: one past the last, the zone's bracket included.
        time: milliseconds since the epoch, UTC; None where no such instant exists ("0 January 0000").
        zoned: whether a zone is named; people's own dates mostly name none.
    """

    start: int
    end: int
    time: int | None
    zoned: bool


def _token(language: Language, char: str) -> str:
    digit = "[0-9]" if language.digits == "0123456789" else f"[0-9{language.digits}]"
    months = "|".join(sorted((re.escape(name) for name in language.months), key=len, reverse=True))
    return {
        "H": rf"(?P<hour>{digit}{{1,2}})",
        "i": rf"(?P<minute>{digit}{{2}})",
        "j": rf"(?P<day>{digit}{{1,2}})",
        "M": rf"(?P<month>{months})\.?",
        "F": rf"(?P<month>{months})\.?",
        "Y": rf"(?P<year>{digit}{{4}})",
        ":": "[:.]",
        ",": ",?",
        ".": r"\.?",
        " ": SPACE,
    }.get(char, re.escape(char))


def _pattern(language: Language, form: str) -> str:
    """A format as a regular expression; commas, dots and white space are optional, as people write them."""
    chars = iter(form)
    return "".join(re.escape(next(chars, "")) if char == "\\" else _token(language, char) for char in chars)


@cache
def patterns(code: str) -> tuple[re.Pattern[str], ...]:
    """One compiled pattern a format of the language."""
    language = load_language(code)
    zones = "|".join(sorted(map(re.escape, language.zones), key=len, reverse=True))
    zone = rf"(?:{SPACE}\({SPACE}(?P<zone>{zones}){SPACE}\)|{SPACE}(?P<bare>{zones})\b)?"
    return tuple(
        re.compile(rf"(?<![0-9]){_pattern(language, form)}(?![0-9]){zone}", re.IGNORECASE)
        for form in language.timestamps
    )


def find_timestamps(text: str, language: Language) -> list[Timestamp]:
    """All dates with hour and minute, in order, without overlaps (the longest wins, then the first format)."""
    found = [_read(match, language) for pattern in patterns(language.code) for match in pattern.finditer(text)]
    found.sort(key=lambda stamp: (stamp.start, -stamp.end))
    return list(_without_overlaps(found))


def _without_overlaps(found: list[Timestamp]) -> Iterator[Timestamp]:
    held: Timestamp | None = None
    for stamp in found:
        if held is None or stamp.start >= held.end:
            if held is not None:
                yield held
            held = stamp
        elif stamp.end - stamp.start > held.end - held.start:
            held = stamp
    if held is not None:
        yield held


def _read(match: re.Match[str], language: Language) -> Timestamp:
    zone = match["zone"] or match["bare"]
    parts = [int(_latin(match[name], language)) for name in ("year", "day", "hour", "minute")]
    month = language.months[match["month"].lower().rstrip(".")]
    time = _epoch(parts[0], month, parts[1], parts[2], parts[3], _offset(zone, language), language.timezone)
    return Timestamp(match.start(), match.end(), time, zoned=zone is not None)


def _latin(number: str, language: Language) -> str:
    return number.translate(str.maketrans(language.digits, "0123456789"))


def _offset(zone: str | None, language: Language) -> int | None:
    return None if zone is None else language.zones.get(zone.upper())


@lru_cache(maxsize=4096)
def _epoch(year: int, month: int, day: int, hour: int, minute: int, offset: int | None, timezone: str) -> int | None:  # noqa: PLR0917 -- the parts of a date
    """Milliseconds since the epoch; None for a date that the calendar or the clock doesn't know."""
    try:
        local = datetime(year, month, day, hour, minute, tzinfo=UTC if offset is not None else ZoneInfo(timezone))
        return int((local - timedelta(minutes=offset or 0)).timestamp()) * 1000
    except (ValueError, OverflowError):
        return None


def format_timestamp(time: int, language: Language) -> str:
    """The instant as the wiki writes it, to the minute.

    Args:
        time: milliseconds since the epoch, UTC.
        language: whose format, month names and zone.

    >>> format_timestamp(1387789920000, load_language("de"))
    '10:12, 23. Dez. 2013 (CET)'
    """
    local = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time)).astimezone(ZoneInfo(language.timezone))
    parts = {
        "H": f"{local.hour:02}",
        "i": f"{local.minute:02}",
        "j": str(local.day),
        "M": language.months_short[local.month - 1],
        "F": language.months_long[local.month - 1],
        "Y": f"{local.year:04}",
    }
    chars = iter(language.timestamps[0])
    date = "".join(next(chars, "") if char == "\\" else _digits(parts.get(char, char), language) for char in chars)
    return f"{date} ({_zone(local, language)})"


def _digits(text: str, language: Language) -> str:
    return text.translate(str.maketrans("0123456789", language.digits))


def _zone(local: datetime, language: Language) -> str:
    """The wiki's abbreviation of the offset: the first in its list."""
    minutes = round((local.utcoffset() or timedelta()).total_seconds() / 60)
    return next((name for name, offset in language.zones.items() if offset == minutes), "UTC")
