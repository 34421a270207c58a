"""The secret that pseudonyms are keyed with; it lives outside every corpus and every run."""

import os
import secrets
from pathlib import Path

from folkmoot.sim.errors import CorpusError

VARIABLE = "FOLKMOOT_SALT"
LEAST = 8
"""Bytes; a shorter salt can be found by trying."""


def find_salt(path: Path | None = None) -> bytes:
    """The salt: from the file given, else from the variable FOLKMOOT_SALT, else from the user's own file.

    The user's own file is made at the first call, readable by its owner only.

    Raises:
        CorpusError: the file can't be read, or the salt is shorter than 8 bytes.
    """
    if path is not None:
        return _checked(_read(path), str(path))
    given = os.environ.get(VARIABLE)
    if given is not None:
        return _checked(given.encode(), f"variable {VARIABLE}")
    own = own_file()
    if not own.exists():
        _create(own)
    return _checked(_read(own), str(own))


def own_file() -> Path:
    """Where the user's own salt lies: the configuration folder."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA")
    return (Path(base) if base else Path.home() / ".config") / "folkmoot" / "salt"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes().strip()
    except OSError as error:
        raise CorpusError(f"salt file {path}: {error.strerror}; name a readable file or set {VARIABLE}") from error


def _checked(salt: bytes, source: str) -> bytes:
    if len(salt) < LEAST:
        raise CorpusError(
            f"the salt in {source} has {len(salt)} bytes, at least {LEAST} are needed; use 32 random ones"
        )
    return salt


def _create(path: Path) -> None:
    """Random on purpose, and never in a log: a salt that follows from a seed would keep nothing secret."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    except OSError as error:
        raise CorpusError(f"can't write the salt file {path}: {error.strerror}; set {VARIABLE} instead") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32))
