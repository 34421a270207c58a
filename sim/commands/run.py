"""`folkmoot run`, `resume`, `replay`: compose, check, execute."""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from folkmoot.sim.commands.compose import compose, first_of_sweep, in_words
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError, FolkmootError, LogError
from folkmoot.sim.runs import Run

if TYPE_CHECKING:
    from folkmoot.sim.experiments.community import Mode, Result


def run(overrides: Sequence[str], *, multirun: bool) -> int:
    """Run one config, or a grid of them; Hydra composes and makes the grid.

    Returns:
        the exit code: the worst of all runs.

    Raises:
        ConfigError: an override is wrong; nothing has been started or written.
    """
    if multirun or any(override.startswith("-") for override in overrides):
        return _by_hydra(overrides, multirun=multirun)
    from folkmoot.sim.commands.api import run as run_one

    return _finish(run_one(overrides))


def _by_hydra(overrides: Sequence[str], *, multirun: bool) -> int:
    """Grids, and Hydra's own flags (`--cfg job`, `--config-dir`)."""
    from folkmoot.sim.experiments.settings import RunConfig

    plain = [override for override in overrides if not override.startswith("-")]
    if len(plain) == len(overrides):
        check(RunConfig, compose(first_of_sweep(plain)))
    import hydra
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import DictConfig, OmegaConf

    codes: list[int] = []

    def job(composed: DictConfig) -> None:
        values: Any = OmegaConf.to_container(composed, resolve=True, throw_on_missing=True)
        codes.append(_run_one(values, Path(HydraConfig.get().runtime.output_dir)))
        if codes[-1] == INTERRUPTED:
            raise KeyboardInterrupt  # who ends one run of a grid means the grid

    with _arguments(overrides, multirun=multirun), _plain_errors(overrides):
        hydra.main(config_path="pkg://folkmoot.conf", config_name="config", version_base="1.3")(job)()
    return max(codes, default=0)


INTERRUPTED = 130
"""Exit code of a run that was ended by Ctrl-C."""


@contextmanager
def _arguments(overrides: Sequence[str], *, multirun: bool) -> Iterator[None]:
    """Hydra reads the process's arguments, and makes folders even for a dry run: those go to a temporary place."""
    with tempfile.TemporaryDirectory() as scratch:
        dry = "dry_run=true" in (override.lower() for override in overrides)
        places = [f"hydra.sweep.dir={scratch}/runs", f"hydra.run.dir={scratch}/run"] if dry else []
        arguments = sys.argv
        sys.argv = ["folkmoot", *(["--multirun"] if multirun else []), *overrides, *places]
        try:
            yield
        finally:
            sys.argv = arguments


@contextmanager
def _plain_errors(overrides: Sequence[str]) -> Iterator[None]:
    """Hydra prints a traceback and exits, unless it is told to raise; what it raises is said in our words."""
    from hydra.errors import HydraException

    before = os.environ.get("HYDRA_FULL_ERROR")
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        yield
    except HydraException as error:
        raise ConfigError(in_words(str(error), overrides)) from error
    finally:
        os.environ.pop("HYDRA_FULL_ERROR")
        if before is not None:
            os.environ["HYDRA_FULL_ERROR"] = before


def _run_one(values: dict[str, Any], folder: Path) -> int:
    """One run of a grid: its failure is told and doesn't end the grid."""
    from folkmoot.sim.commands.api import start

    try:
        return _finish(start(values, folder))
    except FolkmootError as error:
        tell(error)
        return 2
    except OSError as error:
        tell(unusable(error))
        return 2


def unusable(error: OSError) -> LogError:
    """What the system refused, in our words.

    >>> str(unusable(FileExistsError(17, "File exists", "runs/a/annotations")))
    'runs/a/annotations: File exists; a folder is needed there: move the file away, or name another folder'
    """
    where = f"{error.filename}: " if error.filename else ""
    return LogError(f"{where}{error.strerror or error}; {_way_out(error)}")


def _way_out(error: OSError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "a folder is needed there: move the file away, or name another folder"
    if isinstance(error, IsADirectoryError):
        return "a file is needed there: move the folder away"
    if isinstance(error, FileNotFoundError):
        return "put it back, or name another"
    return "is the disk full, or the folder read-only?"


def again(path: Path, mode: "Mode", overrides: Sequence[str] = ()) -> int:
    """Resume or replay a run.

    Raises:
        LogError: it isn't a run folder, or it can't be read.
        ConfigError: an override that a run which has begun can't take.
    """
    from folkmoot.sim.commands.api import replay, resume

    if mode == "resume" and not overrides and (lines := over(Run(path))):
        import typer

        typer.echo("\n".join(lines))
        return 0
    return _finish(resume(path, overrides) if mode == "resume" else replay(path))


def over(run: Run) -> list[str]:
    """What to say of a run that has nothing left to do; empty where it may have."""
    try:
        summary = run.summary() if run.summary_path.is_file() and run.log.is_file() else {}
        whole = summary.get("state") == "finished" and sum(1 for _ in run.events()) == summary.get("events")
    except (LogError, OSError):
        return []
    if not whole:
        return []
    figures = [
        f"figure: {run.figures / str(name)}" for name in summary.get("figures", ()) if str(name).endswith(".png")
    ]
    return [
        f"finished already: {summary.get('comments')} comments, nothing is left to do",
        f"run folder: {run.path}",
        *figures,
        f"see it: folkmoot show {run.path}; prove it: folkmoot replay {run.path}",
    ]


def _finish(result: "Result") -> int:
    from folkmoot.sim.commands.result import show_result

    show_result(result)
    return result.exit_code


def tell(error: FolkmootError) -> None:
    """Print an error as a person reads it; the text of others in it is made printable."""
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True, soft_wrap=True).print(Text.assemble(("error ", "bold red"), _printable(str(error))))


def _printable(text: str) -> str:
    return "".join(c if c == "\n" or c.isprintable() else repr(c)[1:-1] for c in text)
