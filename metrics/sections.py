"""What the sections of a run's summary have in common: numbers as JSON, and in words."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from folkmoot.metrics.uncertainty import Estimate


def with_section(
    summary: Mapping[str, Any], name: str, found: Mapping[str, Any], said: Sequence[str], warned: Sequence[str]
) -> dict[str, Any]:
    """A community's summary with a section, its sentences and its warnings."""
    return {
        **summary,
        name: dict(found),
        "sentences": [*summary["sentences"], *said],
        "warnings": [*summary["warnings"], *warned],
    }


def plain(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    """Estimates as JSON."""
    return {name: number(one) for name, one in estimates.items()}


def number(one: Estimate) -> dict[str, Any]:
    """As JSON, six digits: the last ones of a float depend on the machine. None where a part isn't defined."""
    found = asdict(one) | {"few": one.few}
    return {k: _six(v) if isinstance(v, float) else v for k, v in found.items()}


def interval(one: Mapping[str, Any]) -> str:
    """A number in words.

    >>> interval({"value": 0.5, "low": 0.25, "high": 0.75}), interval({"value": None, "low": None, "high": None})
    ('0.50 [0.25, 0.75]', 'not defined')
    """
    if one["value"] is None:
        return "not defined"
    if one["low"] is None:
        return f"{one['value']:.2f}"
    return f"{one['value']:.2f} [{one['low']:.2f}, {one['high']:.2f}]"


def _six(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None
