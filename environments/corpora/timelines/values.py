"""Values in archives, which may be of any kind: what is wanted of them, or nothing."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from folkmoot.environments.corpora.sources.instants import read_instant
from folkmoot.sim.errors import CorpusError

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_OF_X = re.compile(rf"\w{{3}} ({'|'.join(MONTHS)}) ([0-9]{{2}}) ([0-9:]{{8}}) ([+-][0-9]{{4}}) ([0-9]{{4}})")

LARGEST = 2**63 - 1
"""What a count may be, where it is stored."""


def map_of(value: Any) -> Mapping[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> Sequence[Mapping[str, Any]]:
    """The objects in a list, or the one in its place."""
    return [each for each in list_of(value) if isinstance(each, dict)]


def list_of(value: Any) -> Sequence[Any]:
    """A list, or what stands in its place as one."""
    return value if isinstance(value, list) else [] if value is None else [value]


def text_of(value: Any) -> str:
    """A text; "" for anything else."""
    return value if isinstance(value, str) else ""


def name_of(value: Any) -> str:
    """A name or an id; a whole number as it is written; "" for anything else.

    >>> name_of(" ada "), name_of(7), name_of(True), name_of(None)
    ('ada', '7', '', '')
    """
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def count_of(value: Any) -> int | None:
    """How many, from 0 on; None where it doesn't say.

    >>> count_of("12"), count_of(-3), count_of("few"), count_of(float("inf")), count_of(10**30)
    (12, 0, None, None, None)
    """
    with suppress(ValueError, TypeError, OverflowError):
        count = max(0, int(value))
        return count if count <= LARGEST else None
    return None


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Each text once, in order, without empty ones."""
    return tuple(dict.fromkeys(value for value in values if value))


def on_one_line(value: Any) -> str:
    """A text without line breaks and double blanks; "" for anything else."""
    return " ".join(text_of(value).split())


def time_of(value: Any) -> int | None:
    """An instant in ms since the epoch, UTC; None where it can't be read.

    It is ISO 8601 (UTC where it names no zone), as X writes it, or a number of seconds or milliseconds.

    >>> time_of("2025-05-01T12:00:00+02:00"), time_of("Thu May 01 10:00:00 +0000 2025"), time_of(1746093600)
    (1746093600000, 1746093600000, 1746093600000)
    >>> time_of("2025-05-01T10:00:00"), time_of("soon"), time_of(["2025"]), time_of("")
    (1746093600000, None, None, None)
    """
    if not isinstance(value, str | int | float):
        return None
    found = _OF_X.fullmatch(value) if isinstance(value, str) else None
    if found:
        month, day, clock, zone, year = found.groups()
        value = f"{year}-{MONTHS.index(month) + 1:02}-{day}T{clock}{zone}"
    with suppress(CorpusError):
        return read_instant(value)
    return None


class Place(NamedTuple):
    """Where an address leads; empty texts where it is none. `site` is the host with its port."""

    scheme: str = ""
    site: str = ""
    host: str = ""
    path: str = ""


def place_of(address: str) -> Place:
    """The parts of an address, of which anything may be wrong.

    >>> place_of("https://Moot.example:80/@ada")
    Place(scheme='https', site='Moot.example:80', host='moot.example', path='/@ada')
    >>> place_of("https://[bad"), place_of("@ada/1").host
    (Place(scheme='', site='', host='', path=''), '')
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return Place()
    return Place(parts.scheme, parts.netloc, parts.hostname or "", parts.path)
