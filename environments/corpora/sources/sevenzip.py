"""The XML file inside a .7z archive as a stream: a thread decompresses into a pipe, the pipe holds it back."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from folkmoot.sim.errors import CorpusError

PIECE = 1 << 18
"""Bytes written to the pipe at a time."""


class SevenZipFault(OSError):
    """The archive is cut off or corrupt."""


class _Reader:
    """The reading end of the pipe; where the bytes end without the archive being at its end, that is a fault.

    Attributes:
        done: everything was decompressed; set by the thread before it closes its end of the pipe.
        fault: what stopped it, where that is known.
    """

    def __init__(self, handle: int) -> None:
        self._file = os.fdopen(handle, "rb")
        self.done = False
        self.fault: Exception | None = None

    def read(self, size: int, /) -> bytes:
        """The next bytes, none at the end.

        Raises:
            SevenZipFault: the bytes end before the archive does.
        """
        block = self._file.read(size)
        if not block and size and not self.done:
            told = "damaged inside" if self.fault is None else str(self.fault) or type(self.fault).__name__
            raise SevenZipFault(told) from self.fault
        return block

    def close(self) -> None:
        """Let the thread end."""
        self._file.close()


@contextmanager
def seven_zip(raw: BinaryIO, path: Path) -> Iterator[_Reader]:
    """The files of an archive one after the other, decompressed as they are read.

    Raises:
        CorpusError: no .7z archive, a damaged head, a password, or a method that py7zr doesn't know.
    """
    archive = _open(raw, path)
    reading, writing = os.pipe()
    reader = _Reader(reading)
    thread = threading.Thread(target=_pump, args=(archive, writing, reader), daemon=True)
    thread.start()
    try:
        yield reader
    finally:
        reader.close()
        thread.join()


def _open(raw: BinaryIO, path: Path) -> Any:
    import py7zr
    from py7zr.exceptions import ArchiveError, PasswordRequired, UnsupportedCompressionMethodError

    try:
        archive = py7zr.SevenZipFile(raw, "r")
        locked = archive.needs_password()
    except UnsupportedCompressionMethodError as error:
        raise CorpusError(f"{path.name}: {error}; unpack it with `7z x` and build from the XML file") from error
    except (ArchiveError, PasswordRequired, OSError, EOFError, ValueError, IndexError, KeyError, TypeError) as error:
        # py7zr reads damaged heads without checks of its own, so that any of these may come out
        raise CorpusError(f"{path.name} isn't a whole .7z archive ({error}); get the file again") from error
    if locked:
        raise CorpusError(f"{path.name} has a password; unpack it and build from the XML file")
    return archive


def _pump(archive: Any, writing: int, reader: _Reader) -> None:
    """Decompress everything into the pipe; ends early once nobody reads."""
    from lzma import LZMAError

    from py7zr.exceptions import ArchiveError, UnsupportedCompressionMethodError

    with os.fdopen(writing, "wb", buffering=0) as pipe:
        try:
            archive.extractall(factory=_factory(pipe))
            reader.done = True
        except BrokenPipeError:
            pass
        except (
            ArchiveError,
            UnsupportedCompressionMethodError,
            LZMAError,
            OSError,
            EOFError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            ArithmeticError,
        ) as error:
            # py7zr reads damaged archives without checks of its own; anything else leaves `done` unset, which is told
            reader.fault = error
        finally:
            archive.close()


def _factory(pipe: Any) -> Any:
    """What py7zr wants: a maker of writers; all of them write into the pipe."""
    from py7zr.io import Py7zIO, WriterFactory

    class Writer(Py7zIO):
        """Hands on what is decompressed."""

        length = 0

        def write(self, s: bytes | bytearray) -> int:
            view = memoryview(s)
            while view:
                view = view[pipe.write(view[:PIECE]) :]
            self.length += len(s)
            return len(s)

        def read(self, size: int | None = None) -> bytes:
            del size
            return b""

        def seek(self, offset: int, whence: int = 0) -> int:
            del whence
            return offset

        def flush(self) -> None:
            pass

        def size(self) -> int:
            return self.length

    class Factory(WriterFactory):
        """One writer a file."""

        def create(self, filename: str) -> Py7zIO:
            del filename
            return Writer()

    return Factory()
