"""The append-only event log: one JSON object a line, the first line naming the schema.

A log that already holds events is not only appended to: a re-run writes its first events again, and
each is compared with the recorded one before anything new is written. So resume and replay are the
same act as running, and a re-run that takes another way is stopped at its first different event.
"""

import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Literal

import msgspec

from folkmoot.sim.errors import LogError, ReplayMismatch
from folkmoot.sim.events import SCHEMA, Event, decode, encode

_HEADER = msgspec.json.encode({"schema": SCHEMA}) + b"\n"


def repair_tail(path: Path) -> str | None:
    """Cut an unfinished last line off a JSON-lines file; returns a notice if there was one."""
    if not path.exists():
        return None
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        keep = _after_last_newline(file, size)
        if keep == size:
            return None
        file.truncate(keep)
    return f"{path.name}: an unfinished last line of {size - keep} bytes was cut off"


def _after_last_newline(file: IO[bytes], size: int) -> int:
    end = size
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def check_header(path: Path) -> None:
    """Raise LogError if the first line names another schema."""
    with path.open("rb") as file:
        line = file.readline(len(_HEADER))
        if line == _HEADER:
            return
        cut = _after_last_newline(file, file.seek(0, os.SEEK_END)) == 0
    if cut:
        what = "is empty" if not line else f"holds no whole line (it starts with {line[:80]!r})"
        raise LogError(f"{path}: {what}, so the run has no event yet; `folkmoot resume {path.parent}` mends it")
    raise LogError(
        f"{path}: starts with {line[:80]!r}, not with schema {SCHEMA!r}; is it a Folkmoot event log? If so, "
        f"move it away: `folkmoot resume {path.parent}` writes it again"
    )


def read(path: Path, first: int = 0) -> Iterator[Event]:
    """The events of a log in order, from sequence number `first`; an unfinished last line is passed over.

    Raises:
        LogError: the file isn't a log, or a line in it isn't an event.
    """
    check_header(path)
    with path.open("rb") as file:
        file.readline()
        for number, line in enumerate(file):
            if number >= first and line.endswith(b"\n"):
                yield _event(path, number + 2, line)


def _event(path: Path, number: int, line: bytes) -> Event:
    try:
        return decode(line)
    except LogError as error:
        raise LogError(f"{path}: line {number}: {error}; put back the file as the run wrote it") from error


def digest(path: Path) -> str:
    """SHA-256 of the log's bytes, hex."""
    with path.open("rb") as file:
        hasher = sha256()
        while block := file.read(1 << 20):
            hasher.update(block)
    return hasher.hexdigest()


class Appender:
    """Appends lines to a file straight through to the operating system; fsync in batches.

    A process that is killed loses at most the line being written; a power cut loses at most the
    lines since the last fsync. A failed write leaves no half line behind. Whoever opens a file that
    may have been cut calls `repair_tail` first.

    Args:
        path: the file; made if it isn't there.
        sync_every: lines between two fsyncs.
        before_sync: called before each fsync: what these lines rest on must reach the disk earlier.
    """

    def __init__(self, path: Path, sync_every: int = 512, before_sync: Callable[[], None] | None = None) -> None:
        self.path = path
        self._before_sync = before_sync
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._sync_every = sync_every
        self._unsynced = 0

    def write(self, line: bytes) -> None:
        """Append one line, newline included."""
        try:
            written = os.write(self._file, line)
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError as error:
            repair_tail(self.path)
            raise LogError(
                f"{self.path}: can't write {len(line)} bytes ({error.strerror}); what was written before is whole: "
                "free some space, then `folkmoot resume` the run"
            ) from error
        self._unsynced += 1
        if self._unsynced >= self._sync_every:
            self.sync()

    def sync(self) -> None:
        """Force what was written to the disk."""
        if self._unsynced:
            if self._before_sync is not None:
                self._before_sync()
            os.fsync(self._file)
            self._unsynced = 0

    def close(self) -> None:
        """Sync and close; may be called twice."""
        if self._file >= 0:
            self.sync()
            os.close(self._file)
            self._file = -1


class EventLog:
    """The log of one run.

    Args:
        path: the file; made if it isn't there (not in mode `verify`).
        mode: `append` compares with what is there and goes on; `verify` only compares.
        sync_every: events between two fsyncs.

    Attributes:
        before_sync: called before each fsync; the kernel syncs the call records here, so that no event
            is on the disk without the answers that it rests on.
        notice: what had to be repaired, in words.

    Raises:
        LogError: the file isn't a log or can't be written.
    """

    def __init__(self, path: Path, mode: Literal["append", "verify"] = "append", sync_every: int = 512) -> None:
        self.path = path
        self.mode = mode
        self.size = 0
        self.before_sync: Callable[[], None] | None = None
        self.notice = repair_tail(path) if mode == "append" else None
        if mode == "append" and (not path.exists() or path.stat().st_size == 0):
            path.write_bytes(_HEADER)
        check_header(path)
        self._out = Appender(path, sync_every, self._sync_others) if mode == "append" else None
        self._recorded: IO[bytes] | None = path.open("rb")
        self._recorded.readline()
        self._next = self._recorded.readline()

    @property
    def rerunning(self) -> bool:
        """True while the next event to come is already recorded."""
        return self._recorded is not None and self._next.endswith(b"\n")

    def append(self, event: Event) -> None:
        """Write an event, or compare it with the recorded one.

        Raises:
            ReplayMismatch: the recorded event is another one (or, in mode `verify`, there is none).
            LogError: the sequence number isn't the next one, or the disk refuses.
        """
        if event.seq != self.size:
            raise LogError(f"event {event.seq} can't follow event {self.size - 1}: sequence numbers have no gaps")
        line = encode(event) + b"\n"
        if self._recorded is None:
            self._write(line)
        elif self._next == line:
            self._next = self._recorded.readline()
        elif self.rerunning:
            raise ReplayMismatch(_difference(self.path, event.seq, self._next, line))
        else:
            self._recorded.close()
            self._recorded = None
            self._write(line)
        self.size += 1

    def _write(self, line: bytes) -> None:
        if self._out is None:
            raise ReplayMismatch(f"{self.path}: the log ends before event {self.size}, the re-run goes on: {line!r}")
        self._out.write(line)

    def _sync_others(self) -> None:
        if self.before_sync is not None:
            self.before_sync()

    def sync(self) -> None:
        """Force what was written to the disk, what it rests on first."""
        if self._out:
            self._out.sync()

    def close(self) -> None:
        """Sync and close; may be called twice."""
        if self._recorded:
            self._recorded.close()
            self._recorded = None
        if self._out:
            self._out.close()


def _difference(path: Path, seq: int, recorded: bytes, rerun: bytes) -> str:
    at = next(
        (i for i, (a, b) in enumerate(zip(recorded, rerun, strict=False)) if a != b), min(map(len, (recorded, rerun)))
    )
    near = slice(max(0, at - 40), at + 60)
    return (
        f"{path}: event {seq} differs from the re-run at byte {at}: recorded ...{recorded[near]!r}, "
        f"re-run ...{rerun[near]!r}; the code, the corpus or the config isn't the one that wrote this log"
    )
