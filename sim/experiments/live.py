"""The live view: simulated clock, comments a minute, calls in flight, tokens, divergences so far."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any, Protocol, Self

from folkmoot.sim.events import Abstained, ActionRefused, Event, TextEvent
from folkmoot.sim.turn import Turn

REFRESH_S = 0.25
LINE_S = 2.0
"""Where the output isn't a terminal: seconds between two lines at least."""


class Usage(Protocol):
    """The pool's counters."""

    @property
    def in_flight(self) -> int:
        """Calls in flight now."""

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens so far."""


@dataclass(slots=True)
class Counts:
    """What the view shows; plain numbers, updated by commits and publish points."""

    comments: int = 0
    refused: int = 0
    abstained: int = 0
    now: int = 0
    values: dict[str, float] = field(default_factory=dict)

    def take(self, events: Sequence[Event]) -> None:
        """Count committed events."""
        for event in events:
            if event.origin in {"recorded", "injected"}:
                continue
            self.now = event.time
            self.comments += isinstance(event, TextEvent)
            self.refused += isinstance(event, ActionRefused)
            self.abstained += isinstance(event, Abstained)


class LiveView:
    """A sink that draws; where the output isn't a terminal it prints the newest publish point, one a while.

    Args:
        title: of the run.
        usage: what the calls use.
        show: auto, on, off.
        out: where to; the standard error by default.
        clock: seconds that go by.
    """

    def __init__(
        self,
        title: str,
        usage: Usage,
        show: str = "auto",
        out: IO[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out = out or sys.stderr
        self._terminal = self._out.isatty() if show == "auto" else show == "on"
        self._quiet = show == "off"
        self._title = title
        self._usage = usage
        self._clock = clock
        self._started = self._told = clock()
        self._untold: str | None = None
        self._counts = Counts()
        self._live: Any = None

    def __enter__(self) -> Self:
        if self._terminal and not self._quiet:
            from rich.console import Console
            from rich.live import Live

            console = Console(file=self._out)
            self._live = Live(
                get_renderable=self._panel, console=console, refresh_per_second=1 / REFRESH_S, transient=True
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()
            self._live = None
        self._tell()

    def committed(self, events: Sequence[Event], turn: Turn | None) -> None:  # noqa: ARG002 -- part of the protocol
        """Count committed events."""
        self._counts.take(events)

    async def settle(self) -> str | None:
        """Never stops a run."""
        return None

    def published(self, comments: int, values: Mapping[str, float]) -> None:
        """Take the monitors' newest numbers: those of the first so many comments."""
        self._counts.values.update(values)
        if not self._live and not self._quiet:
            shown = "  ".join(f"{name} {value:.3f}" for name, value in _headline(self._counts.values))
            self._untold = f"{self._line()}  | after {comments}: {shown}\n"
            if self._clock() - self._told >= LINE_S:
                self._tell()

    def _tell(self) -> None:
        """Print the line that waits, if one does."""
        if self._untold is not None:
            self._out.write(self._untold)
            self._out.flush()
            self._untold, self._told = None, self._clock()

    def _line(self) -> str:
        minutes = max(self._clock() - self._started, 1e-6) / 60
        clock = (
            datetime.fromtimestamp(self._counts.now / 1000, UTC).strftime("%Y-%m-%d %H:%M") if self._counts.now else "-"
        )
        return (
            f"{clock}  comments {self._counts.comments} ({self._counts.comments / minutes:.0f}/min)  "
            f"in flight {self._usage.in_flight}  tokens {self._usage.tokens:,}"
        )

    def _panel(self) -> Any:
        from rich.markup import escape
        from rich.panel import Panel
        from rich.table import Table

        table = Table.grid(padding=(0, 2))
        table.add_row("simulated", escape(self._line()))
        table.add_row("refused / abstained", f"{self._counts.refused} / {self._counts.abstained}")
        for name, value in _headline(self._counts.values):
            table.add_row(escape(name), f"{value:.3f}" + _interval(self._counts.values, name))
        return Panel(table, title=escape(self._title), expand=False)


HEADLINE: tuple[str, ...] = (
    *("acts.js_distance", "sentiment.wasserstein", "text.words_mean", "threads.turns"),
    *("fidelity.score", "fidelity.swap.auc", "recovery.f1", "recovery.real.f1"),
)


def _headline(values: Mapping[str, float]) -> list[tuple[str, float]]:
    """The headline numbers; those of several communities carry the community's name before a slash."""
    return [(name, value) for name, value in values.items() if name.rsplit("/", 1)[-1] in HEADLINE]


def _interval(values: Mapping[str, float], name: str) -> str:
    low, high = values.get(f"{name}.low"), values.get(f"{name}.high")
    return f" [{low:.3f}, {high:.3f}]" if low is not None and high is not None else ""
