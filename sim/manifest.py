"""What ran: versions, seeds, config and prompt hashes, corpus, model, device, fitted parameters."""

import platform
import sys
from collections.abc import Mapping
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.sim.errors import LogError
from folkmoot.sim.events import SCHEMA

PACKAGES = ("folkmoot", "simpy", "langgraph", "torch", "transformers", "openvino-genai", "litellm", "numpy", "scipy")


def content_hash(value: Any) -> str:
    """16 hex digits over a JSON-able value, keys sorted."""
    return blake2b(msgspec.json.encode(value, order="sorted"), digest_size=8).hexdigest()


def versions() -> dict[str, str]:
    """Versions of Python, of ours and of the packages that numbers may depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def machine() -> dict[str, str]:
    """What the run stood on, without names."""
    return {"system": platform.system(), "architecture": platform.machine(), "byteorder": sys.byteorder}


def write_manifest(path: Path, facts: Mapping[str, Any]) -> None:
    """Write the manifest whole or not at all."""
    whole = {"schema": SCHEMA, "versions": versions(), "machine": machine(), **facts}
    write_json(path, whole)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all.

    Raises:
        LogError: the disk refuses.
    """
    write_whole(path, msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        LogError: the disk refuses.
    """
    part = path.with_suffix(path.suffix + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        raise LogError(
            f"{path}: can't be written ({error.strerror}); free some space, then `folkmoot resume`"
        ) from error


def read_json(path: Path) -> Any:
    """Read a JSON file of a run folder.

    Raises:
        LogError: it isn't there or isn't JSON.
    """
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise LogError(f"{path}: can't be read ({error.strerror}); is {path.parent} a run folder?") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LogError(f"{path}: isn't JSON ({error}); it may have been edited by hand") from error
