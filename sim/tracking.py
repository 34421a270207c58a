"""Where a run's numbers are shown beside those of other runs: Weights & Biases, or nowhere.

A tracker is told what happens and never answers: nothing that goes wrong in it touches the run.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from pydantic import Field

from folkmoot.sim.persona import Frozen
from folkmoot.sim.sinks.wandb_tracker import WandbConfig, WandbTracker


class Table(NamedTuple):
    """A table of the report."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class Tracker(Protocol):
    """Takes a run's numbers. No method raises or waits for anything outside, `finish` excepted, for a bounded time."""

    @property
    def failures(self) -> Counter[str]:
        """What went wrong so far, counted by reason."""

    def start(self, config: Mapping[str, Any], run_dir: Path) -> None:
        """The run begins; secrets in the config are left out."""

    def log(self, step: int, scalars: Mapping[str, float]) -> None:
        """Numbers of one publish point; `step` (comments so far) never goes down."""

    def finish(
        self,
        state: str,
        summary: Mapping[str, Any],
        figures: Sequence[Path] = (),
        tables: Mapping[str, Table] | None = None,
        artifact: Path | None = None,
    ) -> None:
        """The run is over.

        Args:
            state: "finished", "failed" or "stopped: ...".
            summary: final numbers and sentences.
            figures: PNG files.
            tables: by name.
            artifact: the run folder; only what holds no text of the community is taken, unless configured so.
        """


class NullConfig(Frozen):
    """No tracking."""

    kind: Literal["null"] = "null"


TrackingConfig = Annotated[WandbConfig | NullConfig, Field(discriminator="kind")]


class NullTracker:
    """Takes everything and keeps nothing."""

    def __init__(self) -> None:
        self.failures: Counter[str] = Counter()

    def start(self, config: Mapping[str, Any], run_dir: Path) -> None:
        """See `Tracker`."""

    def log(self, step: int, scalars: Mapping[str, float]) -> None:
        """See `Tracker`."""

    def finish(
        self,
        state: str,
        summary: Mapping[str, Any],
        figures: Sequence[Path] = (),
        tables: Mapping[str, Table] | None = None,
        artifact: Path | None = None,
    ) -> None:
        """See `Tracker`."""


def build_tracker(config: WandbConfig | NullConfig) -> Tracker:
    """The tracker of a configuration."""
    return WandbTracker(config) if isinstance(config, WandbConfig) else NullTracker()
