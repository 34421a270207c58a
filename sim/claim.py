"""One process a run folder: an exclusive lock on `<folder>/.lock`, let go when the process ends, however it ends."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from folkmoot.sim.errors import LogError

NAME = ".lock"
_AT = 1 << 30
"""Where Windows locks a byte: behind all contents, so that the pid can be read by others."""
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)
"""What a file system without locks answers (some network drives); there a folder goes unguarded."""


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Hold the folder for this process.

    Raises:
        LogError: another process holds it, or the folder can't be written.
    """
    path = folder / NAME
    try:
        handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    except OSError as error:
        raise LogError(
            f"{path}: can't be written ({error.strerror}); a run needs a folder that it may write"
        ) from error
    try:
        _take(handle, folder)
        os.ftruncate(handle, 0)
        os.write(handle, b"%d\n" % os.getpid())
        yield
    finally:
        os.close(handle)


def _take(handle: int, folder: Path) -> None:
    try:
        _lock(handle)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return
        holder = os.read(handle, 32).decode("ascii", "replace").strip() or "unknown"
        raise LogError(
            f"{folder}: another process runs here (pid {holder}); wait for its end, or name another folder"
        ) from error


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, _AT, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
