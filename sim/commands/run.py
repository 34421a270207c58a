"""`folkmoot run`, `resume`, `replay`: compose, check, execute."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from folkmoot.sim.commands.compose import compose, first_of_sweep
from folkmoot.sim.config import check
from folkmoot.sim.errors import FolkmootError, LogError
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
    from folkmoot.sim.commands.api import fresh

    values = compose(overrides, hydra=True)
    return _run_one(values, fresh(Path(values.pop("hydra")["run"]["dir"])))


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

    arguments = sys.argv
    sys.argv = ["folkmoot", *(["--multirun"] if multirun else []), *overrides]
    try:
        hydra.main(config_path="pkg://folkmoot.conf", config_name="config", version_base="1.3")(job)()
    finally:
        sys.argv = arguments
    return max(codes, default=0)


def _run_one(values: dict[str, Any], folder: Path) -> int:
    """One run of a grid: its failure is told and doesn't end the grid."""
    from folkmoot.sim.commands.api import start

    try:
        return _finish(start(values, folder))
    except FolkmootError as error:
        tell(error)
        return 2
    except OSError as error:
        tell(LogError(f"{folder}: {error.strerror or error}; is the disk full or the folder read-only?"))
        return 2


def again(path: Path, mode: "Mode") -> int:
    """Resume or replay a run.

    Raises:
        LogError: it isn't a run folder, or it can't be read.
    """
    from folkmoot.sim.experiments.registry import execute
    from folkmoot.sim.experiments.settings import RunConfig

    opened = Run.open(path)
    return _finish(execute(check(RunConfig, opened.config()), opened.path, mode))


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
