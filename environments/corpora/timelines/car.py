"""A repository of the AT Protocol as a CAR file: its records in the order of their keys.

A CAR is a header and blocks, each behind its length as a varint and its content id; blocks are DAG-CBOR. The commit
names the root of a search tree (MST) whose nodes name the records. Blocks are found by a pass over the file, so that
only their places are in memory. Decoding takes `libipld`, the reader that the network's own Python kit uses.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from folkmoot.environments.corpora.timelines.files import opened, what_is
from folkmoot.environments.corpora.timelines.stream import WHOLE, Truncated
from folkmoot.environments.corpora.timelines.tree import DEEPEST, Branch, branches_of
from folkmoot.environments.corpora.timelines.values import map_of, text_of
from folkmoot.sim.errors import ConfigError, CorpusError

LARGEST = 1 << 24
"""Bytes of one block; a record has at most a sixteenth of it."""

CONTINUES, BITS = 0x80, 64
"""Of a varint: the bit that says that more follows, and how many it may have."""

Decode = Callable[[bytes], Any]


def decoder() -> Decode:
    """The reader of DAG-CBOR.

    Raises:
        ConfigError: `libipld` isn't installed.
    """
    try:
        from libipld import decode_dag_cbor  # type: ignore[import-not-found, unused-ignore]
    except ModuleNotFoundError as error:
        raise ConfigError(
            "a CAR of Bluesky needs libipld, which isn't there; install folkmoot[bluesky], or give the records as JSON"
        ) from error
    return decode_dag_cbor  # type: ignore[no-any-return, unused-ignore]


class Repository:
    """A CAR file, open for reading.

    Args:
        path: the file.
        keep_damaged: a file that breaks off ends there.

    Attributes:
        owner: the decentralised id of the account.
        missing: records and branches whose blocks aren't there, or can't be read.
        cut: whether the file breaks off.

    Raises:
        CorpusError: not a CAR, or not of a repository.
        Truncated: it breaks off.
    """

    def __init__(self, path: Path, *, keep_damaged: bool = False) -> None:
        self._decode = decoder()
        self._path = path
        self.missing = 0
        self.cut = False
        self._places: dict[bytes, tuple[int, int]] = {}
        with opened(path) as file:
            self._root = self._header(file)
            try:
                self._index(file)
            except Truncated:
                if not keep_damaged:
                    raise
                self.cut = True
            commit = self._block(file, self._root)
        self.owner, tree = text_of(map_of(commit).get("did")), map_of(commit).get("data")
        if not self.owner or not isinstance(tree, bytes):
            raise CorpusError(f"{path.name} is a CAR without the commit of a repository; get the repository again")
        self._tree = tree

    def records(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Key (collection/record key) and record."""
        with opened(self._path) as file:
            for key, place in self._walk(file, self._tree):
                record = self._block(file, place)
                if isinstance(record, dict):
                    yield key, record
                else:
                    self.missing += 1

    def _header(self, file: IO[bytes]) -> bytes:
        size = _varint(file)
        head = file.read(size) if size and size < LARGEST else b""
        try:
            roots = self._decode(head)["roots"]
            root = roots[0]
        except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise CorpusError(f"{self._path.name} is no CAR; {what_is(self._path, 'bluesky')}") from error
        if not isinstance(root, bytes):
            raise CorpusError(f"{self._path.name}: the CAR's header names no root; get the repository again")
        return root

    def _index(self, file: IO[bytes]) -> None:
        """Where each block is."""
        end = self._path.stat().st_size
        while (size := _varint(file)) is not None:
            start = file.tell()
            if size > LARGEST or start + size > end:
                raise Truncated(f"{self._path.name} breaks off in the block at byte {start} of {end}; {WHOLE}")
            name = _content_id(file)
            if len(name) <= size:
                self._places[name] = file.tell(), size - len(name)
            else:
                self.missing += 1
            file.seek(start + size)

    def _block(self, file: IO[bytes], name: bytes) -> Any:
        """A block's content; None where it isn't there or can't be read."""
        if name not in self._places:
            return None
        start, size = self._places[name]
        file.seek(start)
        try:
            return self._decode(file.read(size))
        except (ValueError, RecursionError):
            return None

    def _walk(self, file: IO[bytes], root: bytes) -> Iterator[tuple[str, bytes]]:
        """Leaves of the tree, in order of keys; a node that comes twice is a ring and is missing the second time."""
        seen: set[bytes] = set()
        stack: list[Branch] = [(root, "", 0)]
        while stack:
            name, key, depth = stack.pop()
            if key:
                yield key, name
                continue
            node = None if name in seen or depth > DEEPEST else self._block(file, name)
            seen.add(name)
            if not isinstance(node, dict):
                self.missing += 1
                continue
            branches = branches_of(node, depth)
            self.missing += branches.count(None)
            stack += reversed([branch for branch in branches if branch is not None])


def _varint(file: IO[bytes]) -> int | None:
    """An unsigned LEB128; None at the end of the file."""
    value = shift = 0
    while byte := file.read(1):
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < CONTINUES:
            return value
        shift += 7
        if shift >= BITS:
            return LARGEST + 1
    return None if shift == 0 else LARGEST + 1


def _content_id(file: IO[bytes]) -> bytes:
    """A content id: two bytes and a digest of 32 (version 0), or four varints and a digest (version 1)."""
    start = file.tell()
    if file.read(2) == b"\x12\x20":
        end = start + 34
    else:
        file.seek(start)
        numbers = [_varint(file) or 0 for _ in range(4)]
        end = file.tell() + numbers[3]
    file.seek(start)
    return file.read(min(end - start, 256))
