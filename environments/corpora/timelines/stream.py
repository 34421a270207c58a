"""The objects of a JSON array, one at a time, however long the file is."""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from folkmoot.sim.errors import CorpusError

CHUNK = 1 << 18
"""Bytes that are read at once."""

LARGEST = 1 << 24
"""Characters of one value; a post is a thousandth of it."""

NEAR = 64
"""A fault so near to the end of what is read may be the end's fault."""

WHOLE = "get the whole archive, or give --keep-damaged for what is there"

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


class Truncated(CorpusError):
    """A file ends in the middle of a value."""


class Scanner:
    """Reads JSON values one after another from a binary file.

    Args:
        file: open, at its beginning.
        name: for messages.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name
        self._text = codecs.getincrementaldecoder("utf-8-sig")()
        self._held = ""
        self._at = 0
        self._before = 0
        self._ended = False

    @property
    def place(self) -> int:
        """Characters read so far."""
        return self._before + self._at

    def _more(self) -> bool:
        """Read on; False at the end."""
        if self._ended:
            return False
        block = self._file.read(CHUNK)
        self._ended = not block
        try:
            more = self._text.decode(block, self._ended)
        except UnicodeDecodeError as error:
            raise CorpusError(f"{self._name} isn't UTF-8 (about character {self.place}); is it the archive?") from error
        self._before += self._at
        self._held, self._at = self._held[self._at :] + more, 0
        return True

    def peek(self) -> str:
        """The next character that isn't white space; "" at the end."""
        while True:
            while self._at < len(self._held) and self._held[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                return ""

    def take(self, wanted: str) -> bool:
        """Go past this character if it is the next one."""
        if self.peek() != wanted:
            return False
        self._at += 1
        return True

    def past(self, mark: str, within: int) -> bool:
        """Go past the first `mark`, if it stands within so many characters; the file is at its beginning."""
        while len(self._held) < within and self._more():
            pass
        place = self._held.find(mark, self._at, self._at + within)
        self._at = place + len(mark) if place >= 0 else self._at
        return place >= 0

    def value(self) -> Any:
        """The next value.

        Raises:
            Truncated: the file ends in it.
            CorpusError: it isn't JSON, or over 16 million characters long.
        """
        self.peek()
        needed = 1  # characters that have to be there before it is tried (again)
        while True:
            while len(self._held) - self._at < needed and self._more():
                pass
            try:
                value, self._at = _DECODER.raw_decode(self._held, self._at)
            except json.JSONDecodeError as error:
                self._broken(error)
            except RecursionError:
                raise CorpusError(f"{self._name}: a value nests too deep (at character {self.place})") from None
            else:
                return value
            needed = 2 * (len(self._held) - self._at)

    def _broken(self, error: json.JSONDecodeError) -> None:
        """Return where more text may mend it."""
        size, left = len(self._held) - self._at, len(self._held) - error.pos
        if left > NEAR and not error.msg.startswith("Unterminated"):
            raise CorpusError(
                f"{self._name} isn't JSON: {error.msg} at character {self._before + error.pos}; get the archive again"
            )
        if size > LARGEST:
            raise CorpusError(f"{self._name}: a value of over {LARGEST} characters at {self.place}; is it the archive?")
        if self._ended:
            raise Truncated(f"{self._name} breaks off in a value that begins at character {self.place}; {WHOLE}")


def items_of(path: Path, key: str) -> Iterator[Any]:
    """The members of the array under a key of the outermost object, one by one.

    Raises:
        CorpusError: unreadable, no object, or without this key.
        Truncated: the file breaks off.
    """
    with opened(path) as file:
        scanner = Scanner(file, path.name)
        if not scanner.take("{"):
            raise CorpusError(f"{path.name} begins with {scanner.peek()!r}, not with an object; {what_is(path)}")
        while not scanner.take("}"):
            name = scanner.value()
            _expect(scanner, ":", path)
            if name == key and scanner.peek() == "[":
                yield from members(scanner, path)
                return
            scanner.value()
            if scanner.peek() != "}":
                _expect(scanner, ",", path)
        raise CorpusError(f"{path.name} has no list {key!r}; {what_is(path)}")


def members(scanner: Scanner, path: Path) -> Iterator[Any]:
    """The members of the array that begins here."""
    _expect(scanner, "[", path)
    while not scanner.take("]"):
        yield scanner.value()
        if scanner.peek() != "]":
            _expect(scanner, ",", path)


def _expect(scanner: Scanner, wanted: str, path: Path) -> None:
    if scanner.take(wanted):
        return
    if scanner.peek() == "":
        raise Truncated(f"{path.name} breaks off at character {scanner.place}, where {wanted!r} was to follow; {WHOLE}")
    raise CorpusError(f"{path.name}: {scanner.peek()!r} at character {scanner.place} instead of {wanted!r}; not JSON")


def opened(path: Path) -> IO[bytes]:
    """The file, to be read.

    Raises:
        CorpusError: it can't be opened.
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}; check the path and its permissions") from error


KINDS = (
    (b"window.YTD.", "it looks like a file of an X archive; read it with x:"),
    (b"orderedItems", "it looks like an outbox of Mastodon; read it with mastodon:"),
    (b"app.bsky.", "it looks like records of Bluesky; read it with bluesky:"),
    (b"PK\x03\x04", "it is a zip archive; unpack it first"),
    (b"\x1f\x8b", "it is packed with gzip; unpack it first"),
)


def what_is(path: Path) -> str:
    """What a file of the wrong kind looks like, and how to read it."""
    with opened(path) as file:
        head = file.read(CHUNK)
    return next((says for mark, says in KINDS if mark in head), "it is no archive that is known here")
