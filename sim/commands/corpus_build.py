"""`folkmoot corpus build`: the settings, a progress bar, and what was built in a few lines."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import typer

from folkmoot.environments.corpora.feed_words import TALK_STAGES
from folkmoot.environments.corpora.pipeline.build import PAGES, Listener, build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.pipeline.shards import ShardRecord
from folkmoot.environments.corpora.sources.registry import FEEDS, scheme_of
from folkmoot.sim.commands.corpus_summary import CONVERSATIONS, summary
from folkmoot.sim.commands.run import INTERRUPTED
from folkmoot.sim.config import check

LINE_S = 20.0
"""Seconds between two lines where the output isn't a terminal."""

UNKNOWN = "?"


def build_corpus(values: Mapping[str, Any], out: IO[str] | None = None) -> str:
    """Build a corpus as the command line says; returns what to print.

    Raises:
        ConfigError, CorpusError: see `build`.
    """
    settings = check(BuildSettings, dict(values), "corpus build")
    try:
        items = CONVERSATIONS if scheme_of(settings.source)[0] in FEEDS else PAGES
        with _watching(out or sys.stderr, items) as listener:
            store = build(settings, listener)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; the same command goes on from the last whole shard in {settings.out}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    return "\n".join(summary(store))


class Pace:
    """How fast a build goes, and how long it still takes at the speed of this session.

    Args:
        clock: seconds, monotonic.
        items: what the source's items are called.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, items: str = PAGES) -> None:
        self._clock = clock
        self._items = items
        self._began = clock()
        self._before: int | None = None
        self.pages = 0
        self.new = 0
        self.done = 0
        self.total = 0

    def take(self, record: ShardRecord, *, new: bool) -> None:
        """A shard is whole."""
        self.pages += record.items
        position, self.total = record.position
        if not new:
            self._before = self.done = max(self.done, position)
            return
        self.new += record.items
        self.done = max(self.done, position)

    @property
    def seconds(self) -> float:
        """Since the session began."""
        return max(self._clock() - self._began, 1e-9)

    @property
    def pages_per_s(self) -> float:
        """Pages of this session."""
        return self.new / self.seconds

    @property
    def remaining(self) -> str:
        """Hours, minutes and seconds, by how much of the input was used up in this session; "?" where unknown."""
        read = self.done - (self._before or 0)
        if not self.total or read <= 0:
            return UNKNOWN
        return clock_text(self.seconds * max(0, self.total - self.done) / read)

    @property
    def share(self) -> str:
        """How much of the input is used up."""
        return f"{self.done / self.total:.1%}" if self.total else UNKNOWN

    def line(self) -> str:
        """All of it on one line."""
        speed = f"{self.pages:,} {self._items}, {self.pages_per_s:,.0f} {self._items}/s"
        if not self.total:  # the source doesn't say how much there is
            return speed
        return f"{self.share} of the input, {speed}, {self.remaining} remaining"


def clock_text(seconds: float) -> str:
    """Hours, minutes, seconds.

    >>> clock_text(3725)
    '1:02:05'
    """
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


class _Lines:
    """Tells of a build line by line."""

    def __init__(self, out: IO[str], items: str) -> None:
        self._out = out
        self._items = items
        self._pace = Pace(items=items)
        self._said = time.monotonic()

    def started(self, stage: str) -> None:
        """A stage begins."""
        if self._items == PAGES or stage not in TALK_STAGES:
            self._out.write(f"{self._items if stage == PAGES else stage}...\n")
            self._out.flush()

    def shard(self, record: ShardRecord, *, new: bool) -> None:
        """A shard is whole."""
        self._pace.take(record, new=new)
        if record.last or time.monotonic() - self._said > LINE_S:
            self._said = time.monotonic()
            self._out.write(f"  {self._pace.line()}\n")
            self._out.flush()

    def told(self, done: int, total: int) -> None:
        """Nothing: later stages are short."""

    def noticed(self, what: str) -> None:
        """Something that was asked for isn't done."""
        self._out.write(f"{what}\n")
        self._out.flush()


class _Bar:
    """Draws a bar."""

    def __init__(self, progress: Any, items: str) -> None:
        self._progress = progress
        self._items = items
        self._pace = Pace(items=items)
        self._task: Any = None

    def started(self, stage: str) -> None:
        """A stage begins."""
        if self._task is not None:
            self._progress.update(self._task, visible=False)
        self._task = self._progress.add_task(self._items if stage == PAGES else stage, total=None, told="")

    def shard(self, record: ShardRecord, *, new: bool) -> None:
        """A shard is whole."""
        self._pace.take(record, new=new)
        pace = self._pace
        total = pace.total or None
        self._progress.update(self._task, completed=pace.done, total=total, told=pace.line())

    def told(self, done: int, total: int) -> None:
        """A later stage is so far."""
        self._progress.update(self._task, completed=done, total=total or None)

    def noticed(self, what: str) -> None:
        """Something that was asked for isn't done; said above the bar."""
        self._progress.console.print(what, markup=False, highlight=False)


@contextmanager
def _watching(out: IO[str], items: str = PAGES) -> Iterator[Listener]:
    if not out.isatty():
        yield _Lines(out, items)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"))
    with Progress(*columns, console=Console(file=out), transient=True) as progress:
        yield _Bar(progress, items)
