"""`folkmoot branch`: a run's world from one event on, with something changed: a counterfactual."""

from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any

import msgspec

from folkmoot.sim.claim import claimed
from folkmoot.sim.commands.amend import amend
from folkmoot.sim.commands.api import fresh, resume
from folkmoot.sim.commands.compose import parse
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.experiments.community import Result
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.manifest import write_json, write_whole
from folkmoot.sim.runs import Run

KEY = "intervention"


def branch(path: str | Path, at: int, overrides: Sequence[str] = (), folder: str | Path | None = None) -> Result:
    """Run again what a run did up to an event, then change something and go on.

    Events up to `at` are the same byte for byte and cost nothing; draws of the same agent and activation are the
    same afterwards too (common random numbers), so that what differs is what the change led to. Recorded answers
    serve as long as their prompts are the same.

    Args:
        path: the run's folder; it isn't changed.
        at: seq of the last event that both have.
        overrides: `intervention={kind:ban,user:ada}`, as many as wanted (docs/interventions.md), and those of `resume`.
        folder: of the new run; None: RUN_at<seq>, in the first free name.

    Raises:
        FolkmootError: it isn't a run folder, has no such event, or an intervention isn't known.
    """
    old = Run.open(path)
    manifest = old.manifest()
    planned, others = _parted(overrides)
    values = amend(old.config(), others)
    values |= {"interventions": [*(values.get("interventions") or ()), *({**one, "after": at} for one in planned)]}
    lines = _head(old, at)
    check(RunConfig, values)
    new = Run(_folder(old, at, folder))
    with claimed(new.path):
        new.log.write_bytes(lines)
        for name in (old.calls_path, old.tokens_path):
            if name.exists():
                copyfile(name, new.path / name.name)
        write_json(new.manifest_path, {**manifest, "branch": {"run": old.digest, "at": at}})
        write_whole(new.config_path, msgspec.yaml.encode(values))
    try:
        return resume(new.path)
    except ConfigError:  # what was asked for is refused, and nothing has run
        _clear(new, keep=folder is not None)
        raise


def _clear(run: Run, *, keep: bool) -> None:
    """Take away what was written; the user's own folder stays, empty as it was."""
    for path in run.path.iterdir():
        rmtree(path) if path.is_dir() else path.unlink()
    if not keep:
        run.path.rmdir()


def _parted(overrides: Sequence[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """The interventions, and what is for `resume`."""
    planned: list[dict[str, Any]] = []
    others: list[str] = []
    for text, override in zip(overrides, parse(overrides), strict=True):
        if override.key_or_group != KEY:
            others.append(text)
            continue
        value = override.value()
        if not isinstance(value, dict) or {"at", "after"} & value.keys():
            raise ConfigError(
                f"{text}: give what to change without a time: {KEY}={{kind:ban,user:ada}}; --at says when"
            )
        planned.append({str(key): inner for key, inner in value.items()})
    return planned, others


def _head(run: Run, at: int) -> bytes:
    """The log up to and with event `at`, as written."""
    size = sum(1 for _ in run.events())
    if not 0 <= at < size:
        raise ConfigError(
            f"--at {at}: {run.log} holds the events 0 to {size - 1}; `folkmoot show {run.path}` lists them"
        )
    with run.log.open("rb") as file:
        return b"".join(file.readline() for _ in range(at + 2))


def _folder(run: Run, at: int, given: str | Path | None) -> Path:
    if given is None:
        return fresh(run.path.with_name(f"{run.path.name}_at{at}"))
    folder = Path(given)
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"--out {folder}: isn't empty; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
