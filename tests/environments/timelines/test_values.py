"""Values of any kind: instants in every form that an archive has, addresses of which anything may be wrong."""

import time

import pytest

from folkmoot.environments.corpora.timelines.values import place_of, time_of

NOON = 1_709_294_400_000
"""Noon of the first of March 2024, UTC."""


@pytest.mark.parametrize(
    "value",
    [
        "2024-03-01T12:00:00Z",
        "2024-03-01T12:00:00",
        "2024-03-01 12:00:00 UTC",
        "2024-03-01T13:00:00.000+01:00",
        "Fri Mar 01 12:00:00 +0000 2024",
        "Fri Mar 01 14:00:00 +0200 2024",
        1_709_294_400,
        1_709_294_400_000,
        "1709294400",
        1_709_294_400.0,
    ],
)
def test_one_instant(value):
    """ISO 8601, X's own form, seconds and milliseconds of one moment are one number."""
    assert time_of(value) == NOON


@pytest.mark.parametrize(
    "value",
    [None, "", "soon", True, [], {}, "Fri Foo 01 12:00:00 +0000 2024", "Fri Feb 31 12:00:00 +0000 2024", float("nan"), float("inf"), "9" * 5000, "2024-13-01", "Fri Mar 01 99:00:00 +0000 2024"],
)  # fmt: skip
def test_no_instant(value):
    """What is no instant is none, whatever its kind, and raises nothing."""
    assert time_of(value) is None


def test_a_number_without_bounds_is_no_instant():
    """A number of 5,000 digits, which no float holds, is none and raises nothing."""
    assert time_of(10**5000) is None


def test_an_instant_without_a_zone_is_utc(monkeypatch):
    """No number depends on the machine's zone."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert time_of("2024-03-01T12:00:00") == NOON
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("address", ["https://[bad", "@ada/1", "", "\ud800", "https://\u2100.example", "ada", "//["])
def test_what_is_no_address(address):
    """An address that leads nowhere has no host, and raises nothing."""
    assert place_of(address).host == ""
