"""Monitors: the streaming form of every family. They read the growing log and never change the run.

Numbers are named `family.number` over all comments so far and `window.family.number` over the last
`window`; beside each stand `.low`, `.high` and `.n` (comments), beside a divergence `.floor` (mean)
and `.floor.low`, `.floor.high`: the distance of two real halves at about this size. Torch is
imported at the first publish.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from folkmoot.metrics.alarms import Alarm, may_stop
from folkmoot.metrics.names import numbers
from folkmoot.metrics.tallies import Columns, Counting, LabelTally, make_tally
from folkmoot.metrics.target import Target
from folkmoot.metrics.threads import Places
from folkmoot.sim.errors import ConfigError, did_you_mean
from folkmoot.sim.events import Event
from folkmoot.sim.persona import Frozen

if TYPE_CHECKING:
    from folkmoot.metrics.measure import Reference
    from folkmoot.metrics.uncertainty import Estimate


BLOCKS = 512
"""Threads past which a publish point draws blocks of threads (`Resampler.blocks`)."""

_FLOOR_DRAWS = 100
_BESIDE = (".floor.low", ".floor.high", ".floor", ".low", ".high", ".n")


class MonitorConfig(Frozen):
    """One monitor.

    Attributes:
        every_comments: publish every so many simulated comments (and at each simulated day).
        window: comments that the windowed numbers look back on; 0: none.
        draws: bootstrap draws at a publish point.
        level: of the intervals.
        interval: how they are made.
        alarms: thresholds.
    """

    every_comments: int = Field(default=50, ge=1)
    window: int = Field(default=200, ge=0)
    draws: int = Field(default=200, ge=1)
    level: float = Field(default=0.95, gt=0, lt=1)
    interval: Literal["bias-corrected", "percentile"] = "bias-corrected"
    alarms: tuple[Alarm, ...] = ()


@dataclass(frozen=True, slots=True)
class Shared:
    """What monitors of one feed need once: places of comments, and bootstrap weights."""

    places: Places = field(default_factory=Places)
    memory: dict[tuple[int | str, ...], Any] = field(default_factory=dict)


class FamilyMonitor:
    """The monitor of one family of numbers.

    Args:
        name: of the family: acts, sentiment, text, threads, network.
        config: when and how to publish.
        target: the real side.
        counting: what counts as simulated.
        seed: of the bootstrap draws.
        device: torch device of the draws.
        shared: what monitors of one feed need once.

    Raises:
        ConfigError: an unknown family, an alarm on a number of another family.
    """

    def __init__(
        self,
        name: str,
        config: MonitorConfig,
        target: Target,
        *,
        counting: Counting | None = None,
        seed: int = 0,
        device: str = "cpu",
        shared: Shared | None = None,
    ) -> None:
        self.config = config
        self._name = name
        self._target = target
        shared = shared or Shared()
        self._tally = make_tally(name, counting or Counting(), config.window, target.roles, shared.places)
        self._seed, self._device = seed, device
        self._memory = shared.memory
        self._reference: Reference | None = None
        if name not in target.tallies:
            raise ConfigError(f"the target doesn't hold {name!r}; {did_you_mean(name, target.tallies)}")
        for alarm in config.alarms:
            self._check(alarm)

    @property
    def name(self) -> str:
        """Of the family."""
        return self._name

    @property
    def may_stop(self) -> bool:
        """True where an alarm may stop the run."""
        return may_stop(self.config.alarms)

    def update(self, events: Sequence[Event], columns: Columns) -> None:
        """Take the next committed events, in order."""
        self._tally.update(events, columns)

    def publish(self) -> Mapping[str, float]:
        """Numbers of this moment; those that aren't defined yet are left out."""
        from folkmoot.metrics.tensors import one_thread  # torch: not before the first publish

        with one_thread():
            published = self._numbers(self.name, recent=False)
            if isinstance(self._tally, LabelTally):
                published[f"{self.name}.unlabelled"] = float(self._tally.unlabelled())
            if self.config.window:
                published |= self._numbers(f"window.{self.name}", recent=True)
            return published

    def _numbers(self, prefix: str, *, recent: bool) -> dict[str, float]:
        from folkmoot.metrics.measure import floor_size

        reference = self._real()
        estimates = reference.measure(self._tally, recent=recent)
        size = next((estimate.n_items for estimate in estimates.values()), 0)
        found = {f"{prefix}.n": float(size)} | flatten(prefix, estimates)
        if estimates:
            floors = reference.floor(floor_size(size), _FLOOR_DRAWS)
            for name, floor in floors.items():
                key = f"{prefix}.{name}.floor"
                found |= {key: floor.mean, f"{key}.low": floor.low, f"{key}.high": floor.high}
        # Six digits: the last ones of a float depend on the machine, and nobody reads them.
        return {name: float(f"{value:.6g}") for name, value in found.items() if math.isfinite(value)}

    def _real(self) -> "Reference":
        if self._reference is None:
            from folkmoot.metrics.measure import Reference
            from folkmoot.metrics.uncertainty import Resampler

            config = self.config
            resampler = Resampler(
                self._seed, config.draws, config.level, config.interval, self._device, BLOCKS, self._memory
            )
            self._reference = Reference(self.name, self._target.tallies[self.name], resampler)
        return self._reference

    def _check(self, alarm: Alarm) -> None:
        known = {f"{self.name}.{name}" for name in ("n", *numbers(self.name, self._target.roles))}
        if self.config.window:
            known |= {f"window.{name}" for name in known}
        alarm.check(self.name, known, _BESIDE)


def flatten(prefix: str, estimates: Mapping[str, "Estimate"]) -> dict[str, float]:
    """Estimates as flat numbers: name, name.low, name.high, name.n."""
    flat: dict[str, float] = {}
    for name, estimate in estimates.items():
        key = f"{prefix}.{name}"
        flat[key] = estimate.value
        flat[f"{key}.low"], flat[f"{key}.high"] = estimate.low, estimate.high
        flat[f"{key}.n"] = float(estimate.n_items)
    return flat


def build_monitors(
    configs: Mapping[str, MonitorConfig],
    target: Target,
    *,
    counting: Counting | None = None,
    seed: int = 0,
    device: str = "cpu",
) -> tuple[FamilyMonitor, ...]:
    """The monitors of a run's config: family name -> its settings."""
    shared = Shared()
    return tuple(
        FamilyMonitor(name, config, target, counting=counting, seed=seed, device=device, shared=shared)
        for name, config in configs.items()
    )
