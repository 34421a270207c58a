"""From the parts of a local date to an instant."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

_MINUTE = 60_000
_HOURS, _MINUTES = 24, 60


class Day(NamedTuple):
    """One day of a zone.

    Attributes:
        midnight: of that date as if the zone were UTC, ms since the epoch.
        early: offset at its start, minutes east of UTC.
        late: offset at its end.
        seasons: the zone's offsets in January and in July of its year.
        date: year, month, day.
        timezone: the zone.
    """

    midnight: int
    early: int
    late: int
    seasons: tuple[int, ...]
    date: tuple[int, int, int]
    timezone: str


@lru_cache(maxsize=4096)
def day_of(year: int, month: int, day: int, timezone: str) -> Day | None:
    """The facts of a day; None for one that the calendar doesn't know."""
    zone = ZoneInfo(timezone)
    try:
        midnight = datetime(year, month, day, tzinfo=UTC)
        seasons = {_minutes(datetime(year, half, 1, tzinfo=zone)) for half in (1, 7)}
        early = _minutes(datetime(year, month, day, tzinfo=zone))
        late = _minutes(datetime(year, month, day, 23, 59, tzinfo=zone))
    except (ValueError, OverflowError):
        return None
    return Day(int(midnight.timestamp()) * 1000, early, late, tuple(sorted(seasons)), (year, month, day), timezone)


def _minutes(local: datetime) -> int:
    return round((local.utcoffset() or timedelta()).total_seconds() / 60)


def instant(day: Day | None, hour: int, minute: int, named: int | None) -> int | None:
    """Milliseconds since the epoch of a time of day as a wiki writes it; None for one that no clock shows.

    A wiki writes its own zone's standard and summer abbreviation; which of the two stands there only matters in the
    hour that comes twice. Somebody who adds a forgotten signature by hand often copies the wrong one, beside a clock
    that is right. Any other zone counts as it is named.

    Args:
        day: in the wiki's zone; None gives None.
        hour: 0 to 23.
        minute: 0 to 59.
        named: minutes east of UTC of the zone that is named; None if none is.

    >>> winter = day_of(2014, 12, 15, "Europe/Berlin")
    >>> instant(winter, 13, 22, 120) == instant(winter, 13, 22, 60)
    True
    """
    if day is None or hour >= _HOURS or minute >= _MINUTES:
        return None
    offset = day.early
    if named is not None and named not in day.seasons:
        offset = named
    elif offset != day.late:
        offset = _on_the_change(datetime(*day.date, hour, minute), named, day.timezone)  # noqa: DTZ001 -- its zone is an argument
    return day.midnight + (hour * _MINUTES + minute - offset) * _MINUTE


def _on_the_change(local: datetime, named: int | None, timezone: str) -> int:
    """The offset on a day on which it changes; the name decides in the hour that comes twice."""
    sides = [_minutes(local.replace(tzinfo=ZoneInfo(timezone), fold=fold)) for fold in (0, 1)]
    return named if named in sides else sides[0]
