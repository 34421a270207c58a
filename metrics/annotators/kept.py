"""Answers kept on disk, so that annotating again is free.

One SQLite file (WAL), keyed by annotator name, its version and a hash of what it reads. No text is in it. A damaged
file is set aside with a notice: a cache may cost time, never a run.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import msgspec

from folkmoot.metrics.annotators.base import Labels
from folkmoot.metrics.annotators.wrapped import Wrapped
from folkmoot.sim.protocols import Annotator, Utterance

logger = logging.getLogger(__name__)

_SCHEMA = "CREATE TABLE IF NOT EXISTS labels (key BLOB PRIMARY KEY, labels BLOB NOT NULL) WITHOUT ROWID"
_BUSY_S = 5.0
_encode = msgspec.json.Encoder().encode
_CHUNK = 500


class Kept(Wrapped):
    """An annotator that remembers its answers; a None isn't kept, another try may mend it.

    Attributes:
        notices: what went wrong with the file, in words.
        hits: answers that were there already.
    """

    def __init__(self, annotator: Annotator, path: Path) -> None:
        super().__init__(annotator)
        self.path = path
        self.notices: list[str] = []
        self.hits = 0

    async def annotate(self, batch: Sequence[Utterance]) -> list[Labels | None]:
        """Kept answers, and fresh ones for the rest; equal utterances are asked once."""
        keys = [self._key(utterance) for utterance in batch]
        known = await asyncio.to_thread(self._get, keys)
        fresh = {key: utterance for key, utterance in zip(keys, batch, strict=True) if key not in known}
        self.hits += len(batch) - len(fresh)
        if fresh:
            answers = dict(zip(fresh, await self._inner.annotate(list(fresh.values())), strict=True))
            await asyncio.to_thread(self._put, answers)
            return [known[key] if key in known else answers[key] for key in keys]
        return [known[key] for key in keys]

    def _key(self, utterance: Utterance) -> bytes:
        context = utterance.context[max(0, len(utterance.context) - self.context) :]
        read = (utterance.title, context) if self.context else ()
        about = repr((self.name, self.version, *read, utterance.text, utterance.language))
        return blake2b(about.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def _get(self, keys: Sequence[bytes]) -> dict[bytes, Labels | None]:
        found: dict[bytes, Labels | None] = {}
        asked = sorted(set(keys))
        try:
            with closing(self._open()) as db:
                for start in range(0, len(asked), _CHUNK):
                    chunk = asked[start : start + _CHUNK]
                    marks = ",".join("?" * len(chunk))
                    rows = db.execute(f"SELECT key, labels FROM labels WHERE key IN ({marks})", chunk)  # noqa: S608 -- only question marks are put in
                    found |= {key: msgspec.json.decode(value, type=tuple[str, ...]) for key, value in rows}
        except (sqlite3.Error, OSError, msgspec.MsgspecError) as error:
            self._trouble(error)
        return found

    def _put(self, answers: Mapping[bytes, Labels | None]) -> None:
        rows = [(key, _encode(labels)) for key, labels in answers.items() if labels is not None]
        try:
            with closing(self._open()) as db, db:
                db.executemany("INSERT OR REPLACE INTO labels VALUES (?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            self._trouble(error)

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=_BUSY_S)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute(_SCHEMA)
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _trouble(self, error: Exception) -> None:
        """Say it; move a damaged file out of the way."""
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        notice = f"kept labels in {self.path} can't be used ({error}); labelling anew"
        if damaged or isinstance(error, msgspec.MsgspecError):
            aside = self.path.with_name(self.path.name + ".damaged")
            for tail in ("-wal", "-shm"):
                self.path.with_name(self.path.name + tail).unlink(missing_ok=True)
            if self.path.exists():
                self.path.replace(aside)
            notice += f"; the damaged file is now {aside}"
        self.notices.append(notice)
        logger.warning(notice)
