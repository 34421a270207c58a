"""From the parts of a local date to an instant."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

_MINUTE = 60_000
_HOURS, _MINUTES = 24, 60


class _Day(NamedTuple):
    """One day of a zone: its midnight as if it were UTC (ms), offsets (minutes) at its start, end, and in its year."""

    midnight: int
    early: int
    late: int
    seasons: tuple[int, ...]


@lru_cache(maxsize=4096)
def _day(year: int, month: int, day: int, timezone: str) -> _Day | None:
    zone = ZoneInfo(timezone)
    try:
        midnight = datetime(year, month, day, tzinfo=UTC)
        seasons = {_minutes(datetime(year, half, 1, tzinfo=zone)) for half in (1, 7)}
        early = _minutes(datetime(year, month, day, tzinfo=zone))
        late = _minutes(datetime(year, month, day, 23, 59, tzinfo=zone))
        return _Day(int(midnight.timestamp()) * 1000, early, late, tuple(sorted(seasons)))
    except (ValueError, OverflowError):
        return None


def _minutes(local: datetime) -> int:
    return round((local.utcoffset() or timedelta()).total_seconds() / 60)


def instant(year: int, month: int, day: int, hour: int, minute: int, named: int | None, timezone: str) -> int | None:  # noqa: PLR0917 -- the parts of a date
    """Milliseconds since the epoch of a date as a wiki writes it; None for one that calendar or clock don't know.

    A wiki writes its own zone's standard and summer abbreviation; which of the two stands there only matters in the
    hour that comes twice. Somebody who adds a forgotten signature by hand often copies the wrong one, beside a clock
    that is right. Any other zone counts as it is named.

    Args:
        year: of the calendar.
        month: 1 to 12.
        day: 1 to 31.
        hour: 0 to 23.
        minute: 0 to 59.
        named: minutes east of UTC of the zone that is named; None if none is.
        timezone: the wiki's IANA zone.

    >>> instant(2014, 12, 15, 13, 22, 120, "Europe/Berlin") == instant(2014, 12, 15, 13, 22, 60, "Europe/Berlin")
    True
    """
    facts = _day(year, month, day, timezone)
    if facts is None or hour >= _HOURS or minute >= _MINUTES:
        return None
    offset = facts.early
    if named is not None and named not in facts.seasons:
        offset = named
    elif facts.early != facts.late:
        offset = _on_the_change(datetime(year, month, day, hour, minute), named, timezone)  # noqa: DTZ001 -- its zone is the argument
    return facts.midnight + (hour * _MINUTES + minute - offset) * _MINUTE


def _on_the_change(local: datetime, named: int | None, timezone: str) -> int:
    """The offset on a day on which it changes; the name decides in the hour that comes twice."""
    sides = [_minutes(local.replace(tzinfo=ZoneInfo(timezone), fold=fold)) for fold in (0, 1)]
    return named if named in sides else sides[0]
