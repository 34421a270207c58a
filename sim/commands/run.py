"""`folkmoot run`, `resume`, `replay`: compose, check, execute."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from folkmoot.sim.commands.compose import compose, first_of_sweep
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError, FolkmootError, LogError
from folkmoot.sim.runs import Run

if TYPE_CHECKING:
    from folkmoot.sim.experiments.community import Result


def run(overrides: Sequence[str], *, multirun: bool) -> int:
    """Run one config, or a grid of them; Hydra makes the folders and the grid.

    Returns:
        the exit code: the worst of all runs.

    Raises:
        ConfigError: an override is wrong; nothing has been started or written.
    """
    from folkmoot.sim.experiments.settings import RunConfig

    check(RunConfig, _ours(compose(first_of_sweep(overrides) if multirun else overrides)))
    import hydra
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import DictConfig, OmegaConf

    codes: list[int] = []

    def job(composed: DictConfig) -> None:
        values: Any = OmegaConf.to_container(composed, resolve=True, throw_on_missing=True)
        folder = Path(HydraConfig.get().runtime.output_dir)
        codes.append(_run_one(values, folder))

    arguments = sys.argv
    sys.argv = ["folkmoot", *(["--multirun"] if multirun else []), *overrides]
    try:
        hydra.main(config_path="pkg://folkmoot.conf", config_name="config", version_base="1.3")(job)()
    finally:
        sys.argv = arguments
    return max(codes, default=1)


def _run_one(values: dict[str, Any], folder: Path) -> int:
    """One run of a grid: its failure is told and doesn't end the grid."""
    from folkmoot.sim.experiments.registry import execute
    from folkmoot.sim.experiments.settings import RunConfig

    try:
        config = check(RunConfig, values)
        folder.mkdir(parents=True, exist_ok=True)
        Run(folder).config_path.write_bytes(msgspec.yaml.encode(values))
        return _finish(execute(config, folder, "run"))
    except FolkmootError as error:
        tell(error)
        return 2
    except OSError as error:
        tell(LogError(f"{folder}: {error.strerror or error}; is the disk full or the folder read-only?"))
        return 2


def again(path: Path, mode: str) -> int:
    """Resume or replay a run.

    Raises:
        LogError: it isn't a run folder, or it can't be read.
    """
    from folkmoot.sim.experiments.registry import execute
    from folkmoot.sim.experiments.settings import RunConfig

    run_folder = Run.open(path)
    config = check(RunConfig, _ours(run_folder.config()))
    if mode not in {"resume", "replay"}:
        raise ConfigError(f"mode {mode!r}; known: resume, replay")
    return _finish(execute(config, run_folder.path, "resume" if mode == "resume" else "replay"))


def _finish(result: "Result") -> int:
    from folkmoot.sim.commands.result import show_result

    show_result(result)
    return result.exit_code


def _ours(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != "hydra"}


def tell(error: FolkmootError) -> None:
    """Print an error as a person reads it; the text of others in it is escaped."""
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True, soft_wrap=True).print(Text.assemble(("error ", "bold red"), _printable(str(error))))


def _printable(text: str) -> str:
    return "".join(c if c == "\n" or c.isprintable() else repr(c)[1:-1] for c in text)
