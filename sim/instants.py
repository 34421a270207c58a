"""Instants as people write them, in milliseconds since the Unix epoch."""

from datetime import UTC, datetime

from folkmoot.sim.errors import ConfigError


def from_iso(text: str) -> int:
    """An ISO 8601 date or instant in ms since the epoch; UTC where it names no zone.

    Raises:
        ValueError: it isn't one.

    >>> from_iso("2024-03-01"), from_iso("2024-03-01T01:00:00.001+01:00")
    (1709251200000, 1709251200001)
    """
    moment = datetime.fromisoformat(text)
    return round(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1000)


def setting_instant(key: str, text: str, more: str = "") -> int:
    """The instant that a setting gives, in ms since the epoch.

    Args:
        key: the setting, as errors name it.
        text: its value.
        more: what else it may be.

    Raises:
        ConfigError: it isn't an instant.
    """
    try:
        return from_iso(text)
    except ValueError as error:
        raise ConfigError(f"{key}={text!r} isn't an ISO instant; write 2024-03-01T12:00{more}") from error
