"""How lasting and how recent an interest is, from its evidence (SocialPersona, appendix D).

The published rendering of the stable score has weights 60/20/20 and a threshold of 0.65: 0.60/0.20/0.20 is meant.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from math import fsum
from typing import Literal, NamedTuple

from pydantic import Field

from folkmoot.sim.errors import MetricError
from folkmoot.sim.persona import Frozen

Bucket = Literal["stable", "recent"]

BUCKETS: tuple[Bucket, ...] = ("stable", "recent")

DAY = 86_400_000
"""Milliseconds."""

_SLACK = 1e-9
"""Sums of weights such as 1/3 reach a bound in spite of rounding."""


class Thresholds(Frozen):
    """Bounds of the two buckets.

    Attributes:
        stable: of the stable score, at least.
        support: effective support of a stable interest, at least.
        months: distinct months with evidence of a stable interest, at least.
        recent: of the recent score, at least.
        recent_support: effective support within the window, at least (the paper omits this bound).
        window_days: the last days of the timeline that count as recent.
    """

    stable: float = Field(default=0.65, ge=0, le=1)
    support: float = Field(default=3, gt=0)
    months: int = Field(default=2, ge=1)
    recent: float = Field(default=0.60, ge=0, le=1)
    recent_support: float = Field(default=1, ge=0)
    window_days: float = Field(default=90, gt=0)


class Evidence(NamedTuple):
    """A post that supports an interest.

    Attributes:
        time: of the post, ms since the epoch, UTC.
        confidence: of the extraction, 0 to 1.
        weight: 1 / the size of its cluster of near-duplicates.
        counted: the time whose month has this evidence: that of its cluster's first post. None: its own.
    """

    time: int
    confidence: float
    weight: float = 1.0
    counted: int | None = None


class Span(NamedTuple):
    """First and last instant of a timeline, ms since the epoch, UTC."""

    first: int
    last: int

    @property
    def months(self) -> int:
        """Calendar months that it touches, UTC; at least 1.

        >>> Span(0, 31 * DAY).months, Span(0, 0).months
        (2, 1)
        """
        return month(self.last) - month(self.first) + 1


class Scores(NamedTuple):
    """What the evidence of an interest comes to.

    Attributes:
        support: S_eff, the sum of weights.
        confidence: weighted mean; 0 without evidence.
        months: B_distinct.
        stable: the stable score, 0 to 1.
        recent_support: S_90.
        recent_confidence: weighted mean within the window; 0 without evidence there.
        recent: the recent score, 0 to 1.
    """

    support: float
    confidence: float
    months: int
    stable: float
    recent_support: float
    recent_confidence: float
    recent: float


def month(time: int) -> int:
    """Number of the calendar month (UTC) of a time in ms.

    >>> month(31 * DAY) - month(0)
    1
    """
    moment = datetime.fromtimestamp(time // 1000, UTC)
    return 12 * moment.year + moment.month


def score(evidence: Sequence[Evidence], span: Span, thresholds: Thresholds = Thresholds()) -> Scores:  # noqa: B008 -- immutable
    """Scores of one interest.

    score_stable = 0.60 min(1, S_eff / 3) + 0.20 c + 0.20 min(1, B_distinct / m), m = max(2, min(6, B_span) - 1);
    score_recent = 0.65 min(1, S_90 / 2) + 0.35 c_90.

    Args:
        evidence: its items.
        span: of the user's whole timeline; the recent window ends with it.
        thresholds: for the length of the window.

    Raises:
        MetricError: a confidence or a weight out of bounds.

    >>> four = [Evidence(31 * DAY * k, 0.9) for k in range(4)]
    >>> found = score(four, Span(0, 360 * DAY))
    >>> found.support, round(found.stable, 3), found.recent
    (4.0, 0.94, 0.0)
    """
    for item in evidence:
        if not (0 <= item.confidence <= 1 and 0 < item.weight <= 1):
            raise MetricError(f"evidence with confidence {item.confidence}, weight {item.weight}; [0, 1] and (0, 1]")
    support, confidence = _support(evidence)
    months = len({month(item.time if item.counted is None else item.counted) for item in evidence})
    needed = max(2, min(6, span.months) - 1)
    window = span.last - thresholds.window_days * DAY
    late, late_confidence = _support([item for item in evidence if item.time >= window])
    return Scores(
        support=support,
        confidence=confidence,
        months=months,
        stable=0.60 * min(1.0, support / 3) + 0.20 * confidence + 0.20 * min(1.0, months / needed),
        recent_support=late,
        recent_confidence=late_confidence,
        recent=0.65 * min(1.0, late / 2) + 0.35 * late_confidence,
    )


def bucket(found: Scores, thresholds: Thresholds = Thresholds()) -> Bucket | None:  # noqa: B008 -- immutable
    """The bucket of an interest; None where there is too little evidence for either."""
    lasting = (found.stable, found.support, found.months)
    if _reach(lasting, (thresholds.stable, thresholds.support, thresholds.months)):
        return "stable"
    late = (found.recent, found.recent_support)
    return "recent" if _reach(late, (thresholds.recent, thresholds.recent_support)) else None


def _reach(values: Sequence[float], bounds: Sequence[float]) -> bool:
    return all(value >= bound - _SLACK for value, bound in zip(values, bounds, strict=True))


def _support(evidence: Sequence[Evidence]) -> tuple[float, float]:
    """Sum of weights, and the weighted mean confidence; (0, 0) without evidence."""
    total = fsum(item.weight for item in evidence)
    if not total:
        return 0.0, 0.0
    return total, min(1.0, fsum(item.weight * item.confidence for item in evidence) / total)
