"""`folkmoot.run`, `resume`, `replay`, `compare`: the commands from Python."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from folkmoot.sim.claim import claimed
from folkmoot.sim.commands.amend import amended
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.errors import AnnotationError, ConfigError, CorpusError
from folkmoot.sim.experiments import community
from folkmoot.sim.experiments.community import Mode, Result
from folkmoot.sim.experiments.registry import execute
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.manifest import write_whole
from folkmoot.sim.runs import Run

T = TypeVar("T")


def run(overrides: Sequence[str] = (), folder: str | Path | None = None) -> Result:
    """Run an experiment; works in a script and in a notebook.

    Args:
        overrides: as on the command line, e.g. ["llm=scripted", "annotator=scripted", "seed=3"].
        folder: of the run; None: a new one in runs/.

    Returns:
        the run's folder (`.run`), how it ended (`.outcome`) and its summary (`.summary`).

    Raises:
        FolkmootError: what is wrong with config, corpus or backend, or a run stands in the folder already.

    >>> import tempfile
    >>> result = run(["llm=scripted", "annotator=scripted", "tracking=none", "live=off", "experiment.days=0.5",
    ...               "monitor=[acts]"], folder=tempfile.mkdtemp())
    >>> result.outcome.state
    'finished'
    >>> sorted(result.summary["communities"])
    ['demo-en']
    >>> replay(result.run.path).outcome.state
    'identical'
    """
    values = compose(overrides, hydra=True)
    default = Path(values.pop("hydra")["run"]["dir"])
    return start(values, default, new=True) if folder is None else start(values, Path(folder))


def resume(path: str | Path, overrides: Sequence[str] = ()) -> Result:
    """Go on with a run that was stopped, killed or failed, or start one that was killed before its first event.

    Args:
        path: the run's folder.
        overrides: of budget, live, tracking, llm.pool, on_failure and keep_prompts, e.g. ["budget.max_comments=null"];
            they are written to the run's config.yaml.

    Raises:
        FolkmootError: what is wrong with folder, config or backend.

    >>> resume("no/such/folder")
    Traceback (most recent call last):
    folkmoot.sim.errors.LogError: no/such/folder isn't a run folder: it has no events.jsonl...
    """
    known = Run(Path(path))
    if not known.config_path.is_file():
        Run.open(path)
    with claimed(known.path):
        config, values = amended(known.config(), overrides)
        if overrides:
            _keep(known, values)
        mode: Mode = "resume" if known.log.exists() else "run"
        return outside_loops(lambda: execute(config, known.path, mode))


def replay(path: str | Path) -> Result:
    """Run again without any model and prove that the log is identical; nothing is written.

    Raises:
        FolkmootError: it isn't a run folder, or the re-run took another way.
    """
    opened = Run.open(path)
    config = check(RunConfig, opened.config())
    return outside_loops(lambda: execute(config, opened.path, "replay"))


def compare(paths: Sequence[str | Path], by: Sequence[str] = ("condition", "llm")) -> str:
    """One table over runs with intervals; seeds are a sampled unit beside threads.

    Args:
        paths: folders of runs, or of grids.
        by: config keys; each combination of their values makes a row.

    Raises:
        FolkmootError: a folder holds no finished run, or two can't be compared.

    >>> compare(["no/such/folder"])
    Traceback (most recent call last):
    folkmoot.sim.errors.LogError: no/such/folder holds no run; give folders of runs, or a folder that holds some
    """
    from folkmoot.sim.commands.compare import compare as compare_runs

    return outside_loops(lambda: compare_runs([Path(path) for path in paths], by))


def start(values: dict[str, Any], folder: Path, *, new: bool = False) -> Result:
    """Run composed values in this folder; with `new`, in the first free name from it on. A dry run needs none.

    Raises:
        ConfigError: what is wrong in the values, or a run stands in the folder already.
    """
    config = check(RunConfig, values)
    if config.dry_run:
        return outside_loops(lambda: execute(config, folder))
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: isn't a folder; name one that is there or can be made (hydra.run.dir=FOLDER)")
    asked = folder
    if new:
        folder = fresh(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with claimed(folder):
        _keep(_unused(folder), values)
        try:
            result = outside_loops(lambda: execute(config, folder))
        except (ConfigError, CorpusError, AnnotationError):
            _forget(folder)
            raise
    result.taken = None if folder == asked else asked
    return result


def _forget(folder: Path) -> None:
    """Take away the folder of a run that was refused before it began; anything else in it stays."""
    run = Run(folder)
    if run.log.exists():
        return
    for path in (run.config_path, run.manifest_path, folder / ".lock"):
        path.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def fresh(folder: Path) -> Path:
    """Make the folder, or the next free name: who makes it has it, so two processes never share one."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    number, free = 1, folder
    while True:
        try:
            free.mkdir()
        except FileExistsError:
            number += 1
            free = folder.with_name(f"{folder.name}_{number}")
        else:
            return free


def _unused(folder: Path) -> Run:
    run = Run(folder)
    if run.log.exists():
        raise ConfigError(f"{folder}: a run stands here: `folkmoot resume {folder}`, or name another folder")
    return run


def _keep(run: Run, values: dict[str, Any]) -> None:
    write_whole(run.config_path, msgspec.yaml.encode(values))


def outside_loops(act: Callable[[], T]) -> T:
    """Do it; where an event loop is running already (a notebook), in a thread of its own.

    The first interrupt of a notebook ends the run in order, the second one leaves it alone in its thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return act()
    pool = ThreadPoolExecutor(1)
    future = pool.submit(act)
    try:
        return future.result()
    except KeyboardInterrupt:
        _interrupt()
        return future.result()
    finally:
        pool.shutdown(wait=False)


def _interrupt() -> None:
    """Hand an interrupt to the run in the other thread."""
    community.interrupt_current()
