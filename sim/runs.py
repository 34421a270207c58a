"""A run's folder and what stands in it.

config.yaml      the composed config
manifest.json    versions, seeds, hashes, model, device, fitted parameters
events.jsonl     the log
calls.jsonl      model calls, by (agent, activation, call, attempt)
notes.jsonl      what agents noted of their turns (truncation, checks), by seq; made again on a re-run
annotations/     labels, Parquet, keyed by (log hash, seq)
metrics.jsonl    the monitors' stream; made again on a re-run
figures/         PNG and SVG
summary.json     the result
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.sim.calls import CallRecord, read_calls
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import Event
from folkmoot.sim.log import digest, read
from folkmoot.sim.manifest import read_json


@dataclass(frozen=True, slots=True)
class Run:
    """A run on disk, opened for reading.

    >>> Run.open("no/such/folder")
    Traceback (most recent call last):
    folkmoot.sim.errors.LogError: no/such/folder isn't a run folder: it has no events.jsonl...
    """

    path: Path

    @classmethod
    def open(cls, path: str | Path) -> "Run":
        """Open a run folder.

        Raises:
            LogError: it isn't one.
        """
        run = cls(Path(path))
        if not run.log.is_file():
            raise LogError(f"{path} isn't a run folder: it has no {run.log.name}; runs stand in runs/ by default")
        return run

    @property
    def log(self) -> Path:
        """The event log."""
        return self.path / "events.jsonl"

    @property
    def calls_path(self) -> Path:
        """The call records."""
        return self.path / "calls.jsonl"

    @property
    def notes_path(self) -> Path:
        """What agents noted of their turns."""
        return self.path / "notes.jsonl"

    @property
    def metrics_path(self) -> Path:
        """The monitors' stream."""
        return self.path / "metrics.jsonl"

    @property
    def figures(self) -> Path:
        """Folder of figures."""
        return self.path / "figures"

    @property
    def annotations(self) -> Path:
        """Folder of annotations."""
        return self.path / "annotations"

    @property
    def config_path(self) -> Path:
        """The composed config."""
        return self.path / "config.yaml"

    @property
    def manifest_path(self) -> Path:
        """What ran."""
        return self.path / "manifest.json"

    @property
    def summary_path(self) -> Path:
        """The result."""
        return self.path / "summary.json"

    @property
    def digest(self) -> str:
        """SHA-256 of the log."""
        return digest(self.log)

    def events(self, first: int = 0) -> Iterator[Event]:
        """The events, in order."""
        return read(self.log, first)

    def calls(self) -> list[CallRecord]:
        """The call records, in the order answered."""
        return read_calls(self.calls_path)

    def manifest(self) -> dict[str, Any]:
        """What ran."""
        return dict(read_json(self.manifest_path))

    def summary(self) -> dict[str, Any]:
        """The result."""
        return dict(read_json(self.summary_path))

    def config(self) -> dict[str, Any]:
        """The composed config."""
        try:
            return dict(msgspec.yaml.decode(self.config_path.read_bytes()))
        except OSError as error:
            raise LogError(f"{self.config_path}: can't be read ({error.strerror})") from error

    def metrics(self) -> list[dict[str, Any]]:
        """The monitors' stream."""
        return self._lines(self.metrics_path)

    def notes(self) -> list[dict[str, Any]]:
        """What agents noted, one object a turn."""
        return self._lines(self.notes_path)

    def _lines(self, path: Path) -> list[dict[str, Any]]:
        if not path.exists():
            return []
        return [msgspec.json.decode(line) for line in path.read_bytes().split(b"\n")[:-1]]
