"""A compressed file as one stream of bytes, whatever it is compressed with; told by its first bytes, not its name."""

import gzip
import lzma
import zlib
from bz2 import BZ2File
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from folkmoot.sim.errors import CorpusError

HEAD = 8
BLOCK = 1 << 16
"""Bytes read at a time."""

LARGEST_WINDOW = 1 << 31
"""Bytes that a .zst frame may look back, at most: what `zstd --ultra --long=31` writes."""


class DamagedInput(CorpusError):
    """The input breaks off or is corrupt; what came before was read."""


class Readable(Protocol):
    """What a decompressor gives."""

    def read(self, size: int, /) -> bytes:
        """Up to so many bytes; none at the end."""
        ...


@dataclass(slots=True)
class Stream:
    """The bytes of a file, decompressed.

    Attributes:
        path: the file.
        size: its bytes on disk.
    """

    path: Path
    size: int
    _raw: BinaryIO
    _plain: Readable
    _faults: tuple[type[Exception], ...]

    def read(self, size: int = BLOCK) -> bytes:
        """The next bytes, none at the end.

        Raises:
            DamagedInput: the archive is cut off or corrupt.
        """
        try:
            return self._plain.read(size)
        except self._faults as error:
            raise DamagedInput(
                f"{self.path.name} is cut off or corrupt near byte {self.position()} of {self.size} ({error}); "
                "get the file again and compare its checksum"
            ) from error

    def position(self) -> int:
        """Bytes of the file that were read so far."""
        return self.size if self._raw.closed else self._raw.tell()


@contextmanager
def open_stream(path: Path) -> Iterator[Stream]:
    """The decompressed bytes of a file: plain, .bz2 (multistream too), .gz, .xz, .zst, .7z.

    Raises:
        CorpusError: no such file, empty, or an archive that can't be opened.
    """
    try:
        raw = path.open("rb")
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}; check the path and its permissions") from error
    with raw:
        size = path.stat().st_size
        if not size:
            raise CorpusError(f"{path} is empty (0 bytes); get the file again")
        opener, faults = _kind(raw.read(HEAD))
        raw.seek(0)
        with opener(raw, path) as plain:
            yield Stream(path, size, raw, plain, faults)


@contextmanager
def _plain(raw: BinaryIO, path: Path) -> Iterator[Readable]:
    del path
    yield raw


@contextmanager
def _bz2(raw: BinaryIO, path: Path) -> Iterator[Readable]:
    del path
    with BZ2File(raw) as file:
        yield file


@contextmanager
def _gzip(raw: BinaryIO, path: Path) -> Iterator[Readable]:
    del path
    with gzip.GzipFile(fileobj=raw) as file:
        yield file


@contextmanager
def _xz(raw: BinaryIO, path: Path) -> Iterator[Readable]:
    del path
    with lzma.LZMAFile(raw) as file:
        yield file


@contextmanager
def _zstd(raw: BinaryIO, path: Path) -> Iterator[Readable]:
    del path
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    with decompressor.stream_reader(raw, read_across_frames=True, closefd=False) as reader:
        yield cast("Readable", reader)


@contextmanager
def _seven_zip(raw: BinaryIO, path: Path) -> Iterator[Readable]:
    from folkmoot.environments.corpora.sources.sevenzip import seven_zip

    with seven_zip(raw, path) as reader:
        yield reader


_Opener = Callable[[BinaryIO, Path], AbstractContextManager[Readable]]


def _kind(head: bytes) -> tuple[_Opener, tuple[type[Exception], ...]]:
    """How to open a file that begins like this, and what its decompressor raises."""
    if head.startswith(b"BZh"):
        return _bz2, (OSError, EOFError, ValueError)
    if head.startswith(b"\x1f\x8b"):
        return _gzip, (OSError, EOFError, zlib.error)
    if head.startswith(b"\xfd7zXZ\x00"):
        return _xz, (OSError, EOFError, lzma.LZMAError)
    if head.startswith(b"7z\xbc\xaf\x27\x1c"):
        return _seven_zip, (OSError, DamagedInput)
    if head.startswith(b"\x28\xb5\x2f\xfd") or (head[1:4] == b"\x2a\x4d\x18" and head[0] & 0xF0 == 0x50):  # noqa: PLR2004
        import zstandard

        return _zstd, (OSError, zstandard.ZstdError)
    return _plain, (OSError,)
