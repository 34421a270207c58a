"""Lines of a file that may be compressed, damaged, or have no end."""

from collections.abc import Iterator
from pathlib import Path

from folkmoot.environments.corpora.sources.archives import BLOCK, open_stream

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


def _plain(line: bytes, number: int) -> bytes:
    """Without white space around it, and without the mark that a file in UTF-8 may begin with."""
    return (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).strip()
