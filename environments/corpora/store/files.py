"""Files that are whole or not there, and errors that say which file and what to do."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from folkmoot.sim.errors import CorpusError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place at the end, on disk; nothing is left of it after an error."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise CorpusError(
            f"{path}: can't be written ({error.strerror}); free space or name another folder, then build again: "
            "what is whole stays"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file at once."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def read_bytes(path: Path) -> bytes:
    """The content of a store's file.

    Raises:
        CorpusError: it isn't there or can't be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise CorpusError(f"{path}: can't be read ({error.strerror}); build the corpus again") from error
