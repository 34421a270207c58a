"""When people act: rates, hours of the week, bursty gaps, reaction and think delays.

Gaps have mean 1 and are measured in expected activations: an agent's next activation is where the
integral of its intensity, rate x hour profile, has grown by one gap (time rescaling), so rate, hours
and burstiness combine without distorting one another. Every draw is the quantile of one uniform.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from math import exp, inf, log1p
from statistics import NormalDist
from sys import float_info
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import Frozen
from folkmoot.sim.protocols import Trigger

HOUR = 3_600_000
DAY = 24 * HOUR
WEEK_HOURS = 168
_NORMAL = NormalDist()
_MEAN = f"a finite mean of at least {float_info.min:.2g}"


def _divides(mean: float) -> bool:
    """Whether values can be scaled to mean 1: never by 0, a subnormal number (which has lost digits), inf or NaN."""
    return float_info.min <= mean < inf


class Exponential(Frozen):
    """Memoryless, mean 1."""

    kind: Literal["exponential"] = "exponential"

    def quantile(self, u: float) -> float:
        """Inverse distribution function."""
        return -log1p(-u)


class LogNormal(Frozen):
    """Log-normal, scaled to mean 1; `sigma` is the standard deviation of the logarithm."""

    kind: Literal["lognormal"] = "lognormal"
    sigma: float = Field(gt=0, le=10)

    def quantile(self, u: float) -> float:
        """Inverse distribution function."""
        return exp(self.sigma * _NORMAL.inv_cdf(u) - self.sigma**2 / 2)


class PowerLaw(Frozen):
    """p(x) ~ x^-alpha exp(-x/cutoff) for x >= 1, scaled to mean 1 (power law with exponential cut-off)."""

    kind: Literal["power_law"] = "power_law"
    alpha: float = Field(gt=0, le=10)
    cutoff: float = Field(gt=0, description="in units of the smallest gap")

    def quantile(self, u: float) -> float:
        """Inverse distribution function, by a table of 4,096 points."""
        grid, cdf, mean = _power_law_table(self.alpha, self.cutoff)
        return float(np.interp(u, cdf, grid)) / mean


@lru_cache(maxsize=64)
def _power_law_table(alpha: float, cutoff: float) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    grid = np.geomspace(1.0, 1.0 + 40.0 * cutoff, 4096)
    density = grid**-alpha * np.exp(-(grid - 1.0) / cutoff)
    steps = (density[1:] + density[:-1]) / 2 * np.diff(grid)
    cdf = np.concatenate([[0.0], np.cumsum(steps)])
    cdf /= cdf[-1]
    mean = float(np.trapezoid(np.interp(np.linspace(0, 1, 20001), cdf, grid), dx=1 / 20000))
    return grid, cdf, mean


class Empirical(Frozen):
    """Resampling of observed values by their quantile function (linear between them), scaled to mean 1."""

    kind: Literal["empirical"] = "empirical"
    values: tuple[float, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _positive(self) -> "Empirical":
        mean = _sorted_values(self.values)[1]
        if min(self.values) < 0 or not _divides(mean):
            raise ValueError(
                f"values must be >= 0 with {_MEAN}; the smallest is {min(self.values)}, the mean between them {mean}"
            )
        return self

    def quantile(self, u: float) -> float:
        """Inverse distribution function."""
        values, mean = _sorted_values(self.values)
        place = u * (len(values) - 1)
        index = min(int(place), len(values) - 2)
        low = values[index]
        # What numpy.interp does, to the last bit, without making arrays of one number: a tenth of its time.
        return ((values[index + 1] - low) * (place - index) + low) / mean


@lru_cache(maxsize=64)
def _sorted_values(values: tuple[float, ...]) -> tuple[list[float], float]:
    array = np.sort(np.asarray(values, dtype=np.float64))
    with np.errstate(over="ignore"):  # an infinite mean is told by whoever checks
        return array.tolist(), float((array[1:] + array[:-1]).mean() / 2)


Gaps = Annotated[Exponential | LogNormal | PowerLaw | Empirical, Field(discriminator="kind")]


class Delay(Frozen):
    """A delay of so many seconds on average, with the shape of `gaps`; 0 is allowed and means at once."""

    mean_s: float = Field(ge=0)
    shape: Gaps = Exponential()
    max_s: float = Field(default=30 * 86400.0, gt=0)

    def sample_ms(self, u: float) -> int:
        """Milliseconds, from one uniform draw."""
        return round(1000 * min(self.mean_s * self.shape.quantile(u), self.max_s)) if self.mean_s else 0


FLAT = (1.0,) * WEEK_HOURS


class Activity(Frozen):
    """The activity of one community; fitted from its corpus or set by hand, frozen in the manifest.

    Attributes:
        rate_per_day: exogenous activations a day of an agent that has no rate of its own.
        gaps: inter-event times, mean 1.
        profile: relative intensity by hour of the local week (Monday 0:00 first), 168 values, mean 1.
        timezone: IANA zone of that week.
        think: activation to commit.
        reaction: an alert to the activation that it triggers.
        react: probability of such an activation, by trigger.
        phase: `random`: we come upon people in the middle of a gap; `aligned`: all gaps begin with the
            simulation, so that constant gaps make steps, as turn-based simulators have them.
        exogenous_share: share of all activity that isn't a reaction; scales agents' own rates.
    """

    rate_per_day: float = Field(default=1.0, ge=0)
    gaps: Gaps = Exponential()
    profile: tuple[float, ...] = FLAT
    timezone: str = "UTC"
    think: Delay = Delay(mean_s=600)
    reaction: Delay = Delay(mean_s=7200)
    react: dict[Trigger, float] = Field(default={"reply": 0.4, "mention": 0.5, "watch": 0.05})
    phase: Literal["random", "aligned"] = "random"
    exogenous_share: float = Field(default=1.0, gt=0, le=1)
    fitted: dict[str, float | int | str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _sound(self) -> "Activity":
        mean = sum(self.profile) / WEEK_HOURS
        if len(self.profile) != WEEK_HOURS or min(self.profile) < 0 or not _divides(mean):
            raise ValueError(
                f"profile must be {WEEK_HOURS} values >= 0 with {_MEAN}, got {len(self.profile)} of mean {mean}"
            )
        for trigger, p in self.react.items():
            if not 0 <= p <= 1:
                raise ValueError(f"react.{trigger} is a probability between 0 and 1, got {p}")
        return self

    def clock(self) -> "Clock":
        """The integral of the profile, ready for draws."""
        return Clock(self.profile, self.timezone)


class Clock:
    """Time rescaling: wall time <-> expected activations at one activation a day."""

    def __init__(self, profile: Sequence[float], timezone: str) -> None:
        weights = np.asarray(profile, dtype=np.float64)
        self._cumulative = np.concatenate([[0.0], np.cumsum(weights / weights.mean() / 24)])
        self._week = float(self._cumulative[-1])
        self._flat = bool((weights == weights[0]).all())
        try:
            self._zone = ZoneInfo(timezone)
        except (KeyError, ValueError, OSError) as error:
            raise ConfigError(f"unknown time zone {timezone!r}; give an IANA name such as 'Europe/Berlin'") from error

    def after(self, now: int, expected: float) -> int:
        """The instant (ms) by which `expected` activations, at one a day on average, have fallen due after `now`."""
        if self._flat:
            return now + max(1, round(expected * DAY))
        hour = self._hour_of_week(now)
        due = self._integral(hour) + expected
        weeks, rest = divmod(due, self._week)
        at = float(np.interp(rest, self._cumulative, _HOURS)) + weeks * WEEK_HOURS
        return now + max(1, round((at - hour) * HOUR))

    def _integral(self, hour: float) -> float:
        return float(np.interp(hour, _HOURS, self._cumulative))

    def _hour_of_week(self, now: int) -> float:
        local = datetime.fromtimestamp(now / 1000, self._zone)
        return local.weekday() * 24 + local.hour + local.minute / 60 + local.second / 3600


_HOURS = np.arange(WEEK_HOURS + 1, dtype=np.float64)
