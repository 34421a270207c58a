"""Files of archives: opened, or told why not; and what one of the wrong kind looks like."""

from pathlib import Path
from typing import BinaryIO

from folkmoot.sim.errors import CorpusError

HEAD = 1 << 18
"""Bytes in which a file shows what it is."""


def opened(path: Path) -> BinaryIO:
    """The file, to be read.

    Raises:
        CorpusError: it can't be opened, or is empty.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}; check the path and its permissions") from error
    if not file.peek(1):
        file.close()
        raise CorpusError(f"{path.name} is empty (0 bytes); get the archive again, or take the file away")
    return file


PACKED = (
    (b"PK\x03\x04", "it is a zip archive; unpack it first"),
    (b"\x1f\x8b", "it is packed with gzip; unpack it first"),
)
KINDS = (
    (b"window.YTD.", "x", "a file of an X archive"),
    (b"orderedItems", "mastodon", "an outbox of Mastodon"),
    (b"app.bsky.", "bluesky", "records of Bluesky"),
)
"""What stands near the beginning of a kind's files, the kind, and what such a file is called."""


def what_is(path: Path, reader: str = "") -> str:
    """What a file looks like that couldn't be read as one of kind `reader`, and what to do about it."""
    with opened(path) as file:
        head = file.read(HEAD)
    for mark, says in PACKED:
        if head.startswith(mark):
            return says
    for mark, kind, name in KINDS:
        if mark in head:
            way = "but without a post or damaged; export it again" if kind == reader else f"read it with {kind}:"
            return f"it looks like {name}{',' if kind == reader else ';'} {way}"
    return "it is no archive that is known here"
