"""Lines of a file that may be compressed, damaged, or have no end."""

from collections.abc import Iterator
from pathlib import Path

from folkmoot.environments.corpora.sources.archives import BLOCK, open_stream
from folkmoot.sim.errors import CorpusError

LONGEST = 32 << 20
"""Bytes of a line; longer ones are passed over."""


def read_lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Number from 1, and the line without its end; None for one that is too long. Empty lines are left out.

    Raises:
        CorpusError: no such file, empty, or an archive that is cut off or corrupt.
    """
    number, held, skipping = 0, bytearray(), False
    with open_stream(path) as stream:
        while block := stream.read(BLOCK):
            *lines, rest = block.split(b"\n")
            for line in lines:
                number += 1
                whole = bytes(held + line)
                held.clear()
                if skipping or len(whole) > LONGEST:
                    yield number, None
                elif stripped := _plain(whole, number):
                    yield number, stripped
                skipping = False
            held += rest
            if len(held) > LONGEST:
                held.clear()
                skipping = True
    if skipping:
        yield number + 1, None
    elif stripped := _plain(bytes(held), number + 1):
        yield number + 1, stripped


def read_whole(path: Path, most: int, otherwise: str) -> bytes:
    """All bytes of a file, unpacked.

    Args:
        path: the file.
        most: bytes.
        otherwise: what to do where it is larger.

    Raises:
        CorpusError: larger, not there, or damaged.
    """
    pieces, size = [], 0
    with open_stream(path) as stream:
        while block := stream.read():
            pieces.append(block)
            size += len(block)
            if size > most:
                raise CorpusError(f"{path} holds more than {most:,} bytes and is read at once; {otherwise}")
    return b"".join(pieces)


def _plain(line: bytes, number: int) -> bytes:
    """Without white space around it, and without the mark that a file in UTF-8 may begin with."""
    return (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).strip()
