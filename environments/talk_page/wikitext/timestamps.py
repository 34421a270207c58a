"""Localized timestamps of signatures: find and read them.

Every format holds a time of day, which is how a timestamp is found: the clock first, then the rest.
"""

import html
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from operator import methodcaller
from typing import NamedTuple

from folkmoot.environments.talk_page.wikitext.instants import Day, day_of, instant
from folkmoot.environments.talk_page.wikitext.language import Language, load_language
from folkmoot.environments.talk_page.wikitext.stamping import pieces

SPACE = "[\\s\u200e\u200f\u202f]{0,4}"
"""White space between the parts of a date, direction marks included; bounded, so it can't run wild."""

LOOSE = rf"{SPACE}(?:&(?:nbsp|#160);{SPACE}){{0,3}}"
"""The same with entities; slower, so only used where there is an ampersand."""

_DATE_REACH = 60
"""Raw characters before the clock in which the date may stand, where it comes first."""

_MONTH = r"(?<![^\W\d_])(?P<month>[^\W\d_]{2,14}%s)\.?"
"""Any word, or two where a language has such months; its months decide."""

_SECOND_WORD = "(?: [^\\W\\d_]{2,8})?"
_ZONE = rf"(?:{SPACE}\((?P<zone>[^()\n]{{1,24}})\))?"
_BARE = re.compile(rf"{SPACE}(?P<zone>[^\W\d_]{{2,5}})\b")
_NUMBER = re.compile(r"\d")
_NUMBER_REACH = 16
"""A date that ends with its year or its day has a digit so near before the clock, raw characters."""

_GOES_ON = r"[:|\]/]|\.\d"
"""Behind two digits these make an address, a version or a link of what looks like a clock."""

_FIRST, _SECOND = ("H", False), ("i", False)
_START = methodcaller("start")


class Timestamp(NamedTuple):
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


class _Reader(NamedTuple):
    """How the timestamps of one language are read.

    Attributes:
        language: whose.
        clocks: what stands behind the hour, one pattern for each sign that parts it from the minute; each starts
            with that one character, which is what makes scanning for it fast. Most people sign in the language's first
            format; where the clock comes first in it, its date and zone are read in the same go.
        date: what follows the clock in that format.
        after: formats that start with the clock, matched at it.
        before: formats that end with it: their dates, matched right before it, each with the clock's pattern.
    """

    language: Language
    clocks: tuple[re.Pattern[str], ...]
    date: re.Pattern[str]
    after: tuple[re.Pattern[str], ...]
    before: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]


def _token(language: Language, sign: str) -> str:
    """A token as a regular expression; commas, dots and white space are optional, as people write them."""
    month = _MONTH % (_SECOND_WORD if any(" " in name for name in language.months) else "")
    return {
        "H": r"(?P<hour>\d{1,2})",
        "i": r"(?P<minute>\d{2})",
        "j": r"(?P<day>\d{1,2})",
        "n": r"(?P<number>\d{1,2})",
        "M": month,
        "F": month,
        "xg": month,
        "Y": r"(?P<year>\d{4})",
        "D": r"[^\W\d_]{1,9}\.?",
        ":": "[:.]",
        ".": r"\.?",
        " ": SPACE,
        "(": r"\(?",
        ")": r"\)?",
    }.get(sign, f"{sign}?" if sign in ",\u060c\u3001" else re.escape(sign))


def _pattern(language: Language, form: Sequence[tuple[str, bool]]) -> str:
    return "".join(re.escape(sign) if kept and sign != "." else _token(language, sign) for sign, kept in form)


@cache
def _reader(code: str, *, loose: bool = False) -> _Reader:
    language = load_language(code)
    forms = [pieces(form) for form in language.timestamps]
    signs = {sign for form in forms for sign in _signs(form[form.index(_FIRST) + 1])}
    return _Reader(
        language,
        tuple(_clock(language, sign, forms[0]) for sign in sorted(signs)),
        _compiled(_date(language, forms[0]), forms[0], loose=False),
        tuple(_whole(language, form, loose=loose) for form in forms if form[0] == _FIRST),
        tuple(_halves(language, form, loose=loose) for form in forms if form[0] != _FIRST),
    )


def _date(language: Language, form: list[tuple[str, bool]]) -> str:
    """What follows the clock in a format that starts with it, zone included; what never matches for any other."""
    if form[0] != _FIRST or form[2] != _SECOND:
        return "(?!)"
    return rf"{_pattern(language, form[3:])}(?!\d){SPACE}\((?P<zone>[^()\n]{{1,24}})\)"


def _clock(language: Language, sign: str, form: list[tuple[str, bool]]) -> re.Pattern[str]:
    date = _date(language, form) if sign in _signs(form[1]) else "(?!)"
    pattern = rf"{re.escape(sign)}(?P<minute>\d\d)(?!\d|{_GOES_ON})(?:(?=(?P<date>{date}))|)"
    return _compiled(pattern, form, loose=False)


def _signs(piece: tuple[str, bool]) -> str:
    sign, kept = piece
    return sign if kept or sign not in ":." else ":."


def _whole(language: Language, form: list[tuple[str, bool]], *, loose: bool) -> re.Pattern[str]:
    return _compiled(rf"(?P<all>{_pattern(language, form)})(?!\d){_ZONE}", form, loose=loose)


def _compiled(pattern: str, form: list[tuple[str, bool]], *, loose: bool) -> re.Pattern[str]:
    """Case only matters where the format itself holds letters; matching without it is faster."""
    letters = any(kept and sign.isalpha() for sign, kept in form)
    return re.compile(pattern.replace(SPACE, LOOSE) if loose else pattern, re.IGNORECASE if letters else 0)


def _halves(
    language: Language, form: list[tuple[str, bool]], *, loose: bool
) -> tuple[re.Pattern[str], re.Pattern[str]]:
    cut = form.index(_FIRST)
    date = _compiled(rf"(?<!\d){_pattern(language, form[:cut])}\Z", form, loose=loose)
    return date, _whole(language, form[cut:], loose=loose)


def find_timestamps(text: str, language: Language) -> list[Timestamp]:
    """All dates with hour and minute, in order, without overlaps; linear in the length of the text.

    Where a language names `foreign` ones, their timestamps are read too if they name a zone.
    """
    own, *others = [_reader(code) for code in (language.code, *language.foreign)]
    return list(_found(text, own, others))


def _clocks(text: str, reader: _Reader) -> list[re.Match[str]]:
    """What starts with the sign between an hour and a minute, in order."""
    found = [clock for pattern in reader.clocks for clock in pattern.finditer(text)]
    return sorted(found, key=_START) if len(reader.clocks) > 1 else found


def _found(text: str, own: _Reader, others: Sequence[_Reader]) -> Iterator[Timestamp]:
    until = 0
    for clock in _clocks(text, own):
        start = clock.start() - 1
        if start < until or not text[start].isdigit():
            continue
        if start > until and text[start - 1].isdigit():
            start -= 1
            if start and text[start - 1].isdigit():
                continue
        stamp = (
            _quick(start, clock, own.language) or _read(text, start, until, own) or _foreign(text, start, until, others)
        )
        if stamp is not None:
            until = stamp.end
            yield stamp


def _quick(start: int, clock: re.Match[str], language: Language) -> Timestamp | None:
    """The timestamp that was read with its clock; None for another format, and for a month or a zone that is none."""
    minute, date = clock.group("minute", "date")
    if date is None:
        return None
    day, offset = _dated(date, language.code)
    hour = clock.string[start : clock.start()]
    if offset is None or not hour.isdecimal():
        return None
    return Timestamp(start, clock.end("date"), instant(day, int(hour), int(minute), offset), True)  # noqa: FBT003


@lru_cache(maxsize=4096)
def _dated(date: str, code: str) -> tuple[Day | None, int | None]:
    """The day and the zone that stand behind a clock; dates repeat on a page. No zone where one of them is none."""
    match = _reader(code).date.match(date)
    known, day = _day(*match.group("year", "month", "day"), code) if match else (False, None)
    return day, load_language(code).offsets.get(match["zone"]) if match and known else None


def _foreign(text: str, start: int, until: int, readers: Sequence[_Reader]) -> Timestamp | None:
    """A timestamp in another language's form; without a zone it means nothing."""
    for reader in readers:
        stamp = _read(text, start, until, reader)
        if stamp is not None and stamp.zoned:
            return stamp
    return None


def _read(text: str, start: int, until: int, reader: _Reader) -> Timestamp | None:
    """The timestamp whose clock starts here."""
    if "&" in text[max(0, start - _DATE_REACH) : start + _DATE_REACH]:
        reader = _reader(reader.language.code, loose=True)
    for pattern in reader.after:
        match = pattern.match(text, start)
        stamp = _stamp(start, match, match, reader.language) if match else None
        if stamp is not None:
            return stamp
    if not reader.before or _NUMBER.search(text, max(0, start - _NUMBER_REACH), start) is None:
        return None
    return _date_first(text, start, until, reader)


def _date_first(text: str, start: int, until: int, reader: _Reader) -> Timestamp | None:
    for date, clock in reader.before:
        first = date.search(text, max(until, start - _DATE_REACH), start)
        match = clock.match(text, start) if first else None
        stamp = _stamp(first.start(), first, match, reader.language) if first and match else None
        if stamp is not None:
            return stamp
    return None


def _stamp(start: int, date: re.Match[str], clock: re.Match[str], language: Language) -> Timestamp | None:
    """None if what stands for the month is none."""
    known, day = _day(
        *date.group("year", "number" if "number" in date.re.groupindex else "month", "day"), language.code
    )
    if not known:
        return None
    hour, minute = clock.group("hour", "minute")
    end, offset = _zoned(clock, language)
    return Timestamp(start, end, instant(day, int(hour), int(minute), offset), offset is not None)


@lru_cache(maxsize=4096)
def _day(year: str, month: str, day: str, code: str) -> tuple[bool, Day | None]:
    """Whether the month is one, and the day as it is written; days repeat on a page."""
    language = load_language(code)
    number = int(month) if month.isdecimal() else language.months.get(month.lower())
    return number is not None, day_of(int(year), number, int(day), language.timezone) if number else None


def _zoned(clock: re.Match[str], language: Language) -> tuple[int, int | None]:
    """Where the timestamp ends, and the offset of the zone that it names, in brackets or bare."""
    name = clock["zone"]
    if name is not None:
        offset = language.offsets.get(name)
        if offset is not None:
            return clock.end(), offset
        offset = language.offsets.get(" ".join(html.unescape(name).upper().split()))
        return clock.end("all" if offset is None else 0), offset
    bare = _BARE.match(clock.string, clock.end())
    offset = language.offsets.get(bare["zone"].upper()) if bare else None
    return (bare.end() if bare and offset is not None else clock.end()), offset
