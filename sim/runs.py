"""A run's folder and what stands in it.

config.yaml      the composed config
manifest.json    versions, seeds, hashes, model, device, fitted parameters
events.jsonl     the log
calls.jsonl      model calls, by (agent, activation, call, attempt)
tokens.jsonl     token counts that prompts were fitted by; a replay needs no tokenizer
notes.jsonl      what agents noted of their turns (truncation, checks), by seq; made again on a re-run
exposures.parquet  who was shown what on a feed, at which rank; made again on a re-run
annotations/     labels, Parquet, keyed by (log hash, seq)
fidelity/        scored texts, a line each, and the evidence as a page, where persona fidelity is watched
recovery/        profiles made of simulated and real posts, a line each, and as a page, where recovery is watched
metrics.jsonl    the monitors' stream; made again on a re-run
figures/         PNG and SVG
summary.json     the result
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.sim import kinds
from folkmoot.sim.call_records import CallRecord, read_calls
from folkmoot.sim.errors import LogError, kind_of
from folkmoot.sim.events import Event
from folkmoot.sim.lines import records
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
        if not run.log.is_file() and run.config_path.is_file():
            raise LogError(f"{path}: the run was ended before its first event; start it by `folkmoot resume {path}`")
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
    def exposures_path(self) -> Path:
        """Who was shown what on a feed (`environments.social_feed.exposure`)."""
        return self.path / "exposures.parquet"

    @property
    def tokens_path(self) -> Path:
        """Token counts that prompts were fitted by (`agents.llm.window`)."""
        return self.path / "tokens.jsonl"

    @property
    def metrics_path(self) -> Path:
        """The monitors' stream."""
        return self.path / "metrics.jsonl"

    @property
    def figures(self) -> Path:
        """Folder of figures."""
        return self.path / "figures"

    @property
    def fidelity(self) -> Path:
        """Folder of what `monitor=fidelity` scored."""
        return self.path / "fidelity"

    @property
    def recovery(self) -> Path:
        """Folder of what `monitor=recovery` made."""
        return self.path / "recovery"

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
        kinds.load()
        return read(self.log, first)

    def calls(self) -> list[CallRecord]:
        """The call records, in the order answered."""
        return read_calls(self.calls_path)

    def manifest(self) -> dict[str, Any]:
        """What ran.

        Raises:
            LogError: it isn't there, or holds no parameters of communities.
        """
        facts = _mapping(self.manifest_path, read_json(self.manifest_path))
        communities = facts.get("communities")
        if not isinstance(communities, dict) or not all(isinstance(one, dict) for one in communities.values()):
            raise LogError(f'{self.manifest_path}: holds no parameters under "communities"; {_PUT_BACK}')
        return facts

    def summary(self) -> dict[str, Any]:
        """The result.

        Raises:
            LogError: it isn't there, or isn't a JSON object.
        """
        return _mapping(self.summary_path, read_json(self.summary_path))

    def config(self) -> dict[str, Any]:
        """The composed config.

        Raises:
            LogError: it isn't there, or isn't a YAML mapping.
        """
        path = self.config_path
        try:
            return _mapping(path, msgspec.yaml.decode(path.read_bytes()))
        except OSError as error:
            raise LogError(f"{path}: can't be read ({error.strerror}); is {self.path} a run folder?") from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise LogError(f"{path}: isn't YAML ({error}); {_PUT_BACK}") from error

    def metrics(self) -> list[dict[str, Any]]:
        """The monitors' stream.

        Raises:
            LogError: a line isn't a JSON object.
        """
        return list(records(self.metrics_path, dict[str, Any], "a JSON object", _REMADE))

    def notes(self) -> list[dict[str, Any]]:
        """What agents noted, one object a turn.

        Raises:
            LogError: a line isn't a JSON object.
        """
        return list(records(self.notes_path, dict[str, Any], "a JSON object", _REMADE))


_PUT_BACK = "put back the file as the run wrote it, or start a new run"
_REMADE = "`folkmoot resume` makes this file again from the log"


def _mapping(path: Path, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise LogError(f"{path}: holds {kind_of(value)}, not names with values; {_PUT_BACK}")
    return value
