"""`folkmoot.run`: the command line's `run` from Python."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.experiments.community import Mode, Result
from folkmoot.sim.experiments.registry import execute
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.runs import Run


def run(overrides: Sequence[str] = (), folder: str | Path | None = None) -> Result:
    """Run an experiment; works in a script and in a notebook.

    Args:
        overrides: as on the command line, e.g. ["llm=scripted", "annotator=scripted", "seed=3"].
        folder: of the run; None: a new one in runs/.

    Returns:
        the run's folder (`.run`), how it ended (`.outcome`) and its summary (`.summary`).

    Raises:
        FolkmootError: what is wrong with config, corpus or backend.

    >>> import tempfile
    >>> result = run(["llm=scripted", "annotator=scripted", "tracking=none", "live=off", "experiment.days=0.5",
    ...               "monitor=[acts]"], folder=tempfile.mkdtemp())
    >>> result.outcome.state
    'finished'
    >>> sorted(result.summary["communities"])
    ['demo-en']
    """
    values = compose(overrides, hydra=True)
    default = Path(values.pop("hydra")["run"]["dir"])
    return start(values, fresh(default) if folder is None else Path(folder))


def start(values: dict[str, object], folder: Path) -> Result:
    """Run composed values in this folder."""
    config = check(RunConfig, values)
    folder.mkdir(parents=True, exist_ok=True)
    Run(folder).config_path.write_bytes(msgspec.yaml.encode(values))
    return outside_loops(config, folder, "run")


def outside_loops(config: RunConfig, folder: Path, mode: Mode) -> Result:
    """Execute; where an event loop is running already (a notebook), in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return execute(config, folder, mode)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(execute, config, folder, mode).result()


def fresh(folder: Path) -> Path:
    """The folder, or the next free name where a run stands there already."""
    number, free = 1, folder
    while Run(free).log.exists():
        number += 1
        free = folder.with_name(f"{folder.name}_{number}")
    return free
