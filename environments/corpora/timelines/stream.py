"""The objects of a JSON array, one at a time, however long the file is."""

import codecs
import json
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any, Final

from folkmoot.environments.corpora.sources.halves import HALVES, without_escaped, without_halves
from folkmoot.environments.corpora.timelines.files import opened, what_is
from folkmoot.sim.errors import CorpusError

CHUNK = 1 << 18
"""Bytes that are read at once."""

LARGEST = 1 << 24
"""Characters of one value; a post is a thousandth of it."""

NEAR = 64
"""A fault so near to the end of what is read may be the end's fault."""

WHOLE = "get the whole archive, or give --keep-damaged for what is there"

DIGITS = 4_000
"""Of a whole number; Python reads no longer ones, and nothing here has a hundredth of it."""

BEHIND = "bytes behind the end of an archive (kept out; two files in one?)"
"""What stands behind the one value of a file, blanks aside."""

LIST: Final = object()
"""Stands for a list that is still to be read."""

_SPACE = " \t\r\n"


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= DIGITS else float(digits)


_DECODER = json.JSONDecoder(parse_int=_whole_number)


class Truncated(CorpusError):
    """A file ends in the middle of a value."""


class Scanner:
    """Reads JSON values one after another from a binary file.

    Args:
        file: open, at its beginning.
        name: for messages.
        losses: where what had to be mended is counted.
    """

    def __init__(self, file: IO[bytes], name: str, losses: Counter[str] | None = None) -> None:
        self._file = file
        self._name = name
        self._losses = Counter() if losses is None else losses
        self._text = codecs.getincrementaldecoder("utf-8-sig")("surrogatepass")
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
        self._held, self._at = self._held[self._at :] + self._mended(more), 0
        return True

    def _mended(self, text: str) -> str:
        whole, count = without_halves(text)
        if count:
            self._losses[HALVES] += count
        return whole

    def peek(self) -> str:
        """The next character that isn't white space; "" at the end."""
        while True:
            while self._at < len(self._held) and self._held[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                return ""

    def beginning(self) -> str:
        """How the rest begins, in words."""
        return f"begins with {self.peek()!r}" if self.peek() else "holds nothing but blanks"

    def take(self, wanted: str) -> bool:
        """Go past this character if it is the next one."""
        if self.peek() != wanted:
            return False
        self._at += 1
        return True

    def end(self) -> None:
        """Count what is left, of whatever kind, and go past it."""
        held = self._held[self._at :].encode("utf-8", "surrogatepass") + self._text.getstate()[0]
        self._at, self._ended = len(self._held), True
        while held:
            if count := len(b"".join(held.split())):
                self._losses[BEHIND] += count
            held = self._file.read(CHUNK)

    def past(self, mark: str, within: int) -> bool:
        """Go past the first `mark`, if it stands within so many characters; the file is at its beginning."""
        while len(self._held) < within and self._more():
            pass
        place = self._held.find(mark, self._at, self._at + within)
        self._at = place + len(mark) if place >= 0 else self._at
        return place >= 0

    def value(self) -> Any:
        """The next value; halves of characters in it are mended and counted.

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
                value, end = _DECODER.raw_decode(self._held, self._at)
            except json.JSONDecodeError as error:
                self._broken(error)
            except RecursionError:
                raise CorpusError(f"{self._name}: a value nests too deep (at character {self.place})") from None
            else:
                if end == len(self._held) and self._more():
                    continue  # a number may go on
                raw, self._at = self._held[self._at : end], end
                return self._without_halves(raw, value)
            needed = 2 * (len(self._held) - self._at)

    def _without_halves(self, raw: str, value: Any) -> Any:
        whole, count = without_escaped(raw)
        if not count:
            return value
        self._losses[HALVES] += count
        return _DECODER.decode(whole)

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


def items_of(path: Path, key: str, losses: Counter[str] | None = None, reader: str = "") -> Iterator[Any]:
    """The members of the array under a key of the outermost object, one by one; what follows the object is counted.

    Args:
        path: the file.
        key: of the array.
        losses: where what had to be mended, and what stands behind the end, is counted.
        reader: the kind of source that it is read as, for messages.

    Raises:
        CorpusError: unreadable, empty, no object, or without this key.
        Truncated: the file breaks off.
    """
    with opened(path) as file:
        scanner = Scanner(file, path.name, losses)
        if scanner.peek() != "{":
            raise CorpusError(f"{path.name} {scanner.beginning()}, not with an object; {what_is(path, reader)}")
        there = False
        for _, value in fields(scanner, path, (key,)):
            if value is LIST:
                there = True
                yield from members(scanner, path)
        if not there:
            raise CorpusError(f"{path.name} has no list {key!r}; {what_is(path, reader)}")
        scanner.end()


def fields(scanner: Scanner, path: Path, lists: Collection[str]) -> Iterator[tuple[str, Any]]:
    """The fields of the object that begins here.

    A list under one of the names in `lists` comes as `LIST`, and the caller reads its `members` before the next field.
    """
    _expect(scanner, "{", path)
    while not scanner.take("}"):
        name = scanner.value()
        _expect(scanner, ":", path)
        yield name, LIST if name in lists and scanner.peek() == "[" else scanner.value()
        if scanner.peek() != "}":
            _expect(scanner, ",", path)


def value_of(path: Path, losses: Counter[str] | None = None) -> Any:
    """The one value of a file.

    Raises:
        CorpusError: unreadable, empty, or no JSON.
    """
    with opened(path) as file:
        scanner = Scanner(file, path.name, losses)
        value = scanner.value()
        scanner.end()
        return value


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
