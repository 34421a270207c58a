"""Comments of threads, in whatever order they come, thread by thread.

Archives give comments by time, or by the minute they were loaded; a thread's are scattered. They are written once to
a file without a name, which is gone when the build ends however it ends, and read back a thread at a time. In memory
are 12 bytes a comment and the names of the threads.
"""

import tempfile
from abc import ABC, abstractmethod
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Self, cast

from folkmoot.environments.corpora.sources.base import SourcePerson, SourceThread
from folkmoot.environments.corpora.sources.faults import Faults
from folkmoot.environments.corpora.sources.identity import identity_of
from folkmoot.environments.corpora.sources.naming import CROWDED, Community


class Spool:
    """Records by group, groups in the order in which they first came; a context that ends with its file."""

    def __init__(self) -> None:
        self._file = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 -- lives as long as the spool
        self._numbers: dict[str, int] = {}
        self._groups = array("i")
        self._ends = array("q")
        self._size = 0

    def __len__(self) -> int:
        return len(self._groups)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, group: str, record: bytes) -> None:
        """One more record."""
        self._file.write(record)
        self._size += len(record)
        self._groups.append(self._numbers.setdefault(group, len(self._numbers)))
        self._ends.append(self._size)

    def groups(self, first: int = 0) -> Iterator[tuple[int, str, list[bytes]]]:
        """Number of the group from `first` on, its name, its records in the order in which they came."""
        import numpy as np

        numbers = np.frombuffer(self._groups, dtype=np.int32) if self._groups else np.zeros(0, np.int32)
        order = np.argsort(numbers, kind="stable")
        borders = np.searchsorted(numbers, range(len(self._numbers) + 1), sorter=order)
        for number, name in enumerate(self._numbers):
            if number >= first:
                yield number, name, [self._record(int(i)) for i in order[borders[number] : borders[number + 1]]]

    def _record(self, index: int) -> bytes:
        start = self._ends[index - 1] if index else 0
        if self._file.tell() != start:
            self._file.seek(start)
        return self._file.read(self._ends[index] - start)


class SpooledThreads(ABC):
    """A source of threads whose comments may be scattered (a `ThreadSource`); a thread's key is its number.

    Attributes:
        name: of the community.
        language: ISO 639-1 code; None where the source doesn't say.
        losses: what was passed over, by reason.
        pseudonymous: whether its names are pseudonyms already.
    """

    pseudonymous = False

    def __init__(self, name: str, language: str | None, files: Sequence[Path]) -> None:
        self.name = name
        self.language = language
        self.losses: Counter[str] = Counter()
        self._faults = Faults()
        self._community = Community()
        self._files = tuple(files)
        self._done = self._total = 0

    @abstractmethod
    def _records(self) -> Iterator[tuple[str, bytes]]:
        """Thread -> a record of it, in the source's order; authors are told to `_community`, faults to `_faults`."""

    @abstractmethod
    def _thread(self, key: str, name: str, records: list[bytes]) -> SourceThread | None:
        """A thread of its records; None where nothing is left of it, which is counted."""

    def people(self) -> Iterator[SourcePerson]:
        """Nobody, unless the source says more of people than what they wrote."""
        return iter(())

    def threads(self, after: str | None = None) -> Iterator[SourceThread]:
        """All threads in the order of their first comments, from the one behind `after` on.

        Raises:
            CorpusError: a file can't be read.
        """
        self.losses.clear()
        self._community = Community()
        with Spool() as spool:
            for group, record in self._records():
                spool.add(group, record)
            self._faults.tell(self.losses)
            if after is not None:
                self.losses.clear()
            self._done, self._total = 0, len(spool)
            for number, name, records in spool.groups(0 if after is None else int(after) + 1):
                self._done += len(records)
                thread = self._thread(str(number), name, records)
                if thread is not None:
                    self.losses.update([CROWDED] if self._community.crowded and not self.pseudonymous else [])
                    yield thread

    def position(self) -> tuple[int, int]:
        """Comments; (0, 0) while they are being gathered."""
        return self._done, self._total

    def identity(self) -> tuple[int, str]:
        """Bytes, and the SHA-256 of the file (of several: of their hashes, in order)."""
        return identity_of(self._files)
