"""Localized timestamps of signatures: write them.

A format is written as in PHP's `date`, the notation of MediaWiki's own language files: H hour, i minute, j day,
n month's number, M short month, F long month, xg month's genitive, Y year, D short weekday; a backslash keeps the
next character.
"""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from folkmoot.environments.talk_page.wikitext.language import Language

_TOKENS = re.compile(r"\\(?P<kept>.)|(?P<token>xg|.)", re.DOTALL)


def pieces(form: str) -> list[tuple[str, bool]]:
    """Tokens of a format, each with whether it stands for itself."""
    return [(match["kept"] or match["token"], match["kept"] is not None) for match in _TOKENS.finditer(form)]


def format_timestamp(time: int, language: Language) -> str:
    """The instant as the wiki writes it, to the minute.

    Args:
        time: milliseconds since the epoch, UTC.
        language: whose format, month names and zone.

    >>> from folkmoot.environments.talk_page.wikitext.language import load_language
    >>> format_timestamp(1387789920000, load_language("de"))
    '10:12, 23. Dez. 2013 (CET)'
    >>> format_timestamp(1387789920000, load_language("ja"))
    '2013年12月23日 (月) 18:12 (JST)'
    """
    local = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time)).astimezone(ZoneInfo(language.timezone))
    parts = _parts(local, language)
    date = "".join(token if kept else parts.get(token, token) for token, kept in pieces(language.timestamps[0]))
    return f"{date} ({_zone(local, language)})"


def _parts(local: datetime, language: Language) -> dict[str, str]:
    numbers = {"H": f"{local.hour:02}", "i": f"{local.minute:02}", "j": str(local.day), "Y": f"{local.year:04}"}
    numbers["n"] = str(local.month)
    western = str.maketrans("0123456789", language.digits)
    month = local.month - 1
    return {
        **{token: number.translate(western) for token, number in numbers.items()},
        "M": language.months_short[month],
        "F": language.months_long[month],
        "xg": (language.months_genitive or language.months_long)[month],
        "D": language.weekdays_short[local.weekday()] if language.weekdays_short else "",
    }


def _zone(local: datetime, language: Language) -> str:
    """The wiki's abbreviation of the offset: the first in its list."""
    minutes = round((local.utcoffset() or timedelta()).total_seconds() / 60)
    return next((name for name, offset in language.zones.items() if offset == minutes), "UTC")
