"""Kept answers: one SQLite file, keyed by what was asked.

Several processes may use it at once, and a killed one leaves it whole (WAL). A damaged or read-only
file is set aside with a notice: a cache may cost time, never a run. Nothing but questions' hashes
and answers is in it.
"""

import logging
import sqlite3
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from folkmoot.agents.llm.base import CacheConfig, cache_folder
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling

logger = logging.getLogger(__name__)

SCHEMA = "folkmoot.answers/1"
BUSY_MS = 1000
"""How long the opening of the file waits for another process."""
PUT_MS = 5
"""How long a write waits for another process before it is put off to the next one: the event loop waits with it."""
MOST_PUT_OFF = 1000
"""Answers that wait for a busy file at most; more are dropped (and counted)."""

OPEN_TRIES = 20
OPEN_PAUSE_S = 0.05

Result = TypeVar("Result", Answer, LabelScores)
_encode = msgspec.json.Encoder().encode


def call_key(
    model: str,
    messages: Sequence[Message],
    asked: Sampling | tuple[str, ...],
    seed: int | None,
    images: Sequence[str] = (),
) -> str:
    """64 hex digits over all that shapes an answer.

    Args:
        model: its name and settings.
        messages: the prompt.
        asked: the sampling, or the labels of a scoring call.
        seed: None where it changes nothing.
        images: digests of what is shown.
    """
    kind = "generate" if isinstance(asked, Sampling) else "labels"
    return sha256(_encode((SCHEMA, kind, model, messages, asked, seed, *images))).hexdigest()


class AnswerCache:
    """Answers on disk.

    Args:
        config: which answers, and where.

    Attributes:
        notices: what went wrong with the file, in words; each is logged once.
        dropped: answers that could not be written.
    """

    def __init__(self, config: CacheConfig | None = None) -> None:
        self._config = config or CacheConfig()
        self.path = Path(self._config.path).expanduser() if self._config.path else cache_folder() / "answers.sqlite"
        self.notices: list[str] = []
        self.dropped = 0
        self._put_off: dict[str, bytes] = {}
        self._db: sqlite3.Connection | None = self._open()

    def keeps(self, sampling: Sampling) -> bool:
        """Whether answers with this sampling are kept."""
        return self._config.mode == "all" or (self._config.mode == "greedy" and sampling.temperature == 0)

    def get(self, key: str, kind: type[Result]) -> Result | None:
        """The kept answer, None if there is none."""
        if self._db is None:
            return None
        try:
            row = (self._put_off[key],) if key in self._put_off else _row(self._db, key)
            return None if row is None else msgspec.json.decode(row[0], type=kind)
        except (sqlite3.OperationalError, msgspec.MsgspecError) as error:
            self._notice(f"answer {key[:12]} can't be read ({error}); asking the model instead")
        except sqlite3.DatabaseError as error:
            self._replace(error)
        return None

    def put(self, key: str, result: Answer | LabelScores) -> None:
        """Keep an answer, at the next put where the file is busy; never raises, a failure is counted in `dropped`."""
        if self._db is None or len(self._put_off) >= MOST_PUT_OFF:
            self.dropped += 1
            return
        self._put_off[key] = _encode(result)
        self._write(self._db)

    def close(self) -> None:
        """Write what waits and close the file; may be called twice."""
        if self._db is not None and self._put_off:
            self._db.execute(f"PRAGMA busy_timeout={BUSY_MS}")
            self._write(self._db)
        if self._put_off:
            self._drop("another process held it to the end")
        self._disconnect()

    def _write(self, db: sqlite3.Connection) -> None:
        """Write all that waits; what a busy file refuses goes on waiting."""
        try:
            for key in tuple(self._put_off):
                db.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, self._put_off[key]))
                del self._put_off[key]
        except sqlite3.OperationalError as error:
            if not _busy(error):
                self._drop(str(error))
        except sqlite3.DatabaseError as error:
            self.dropped += len(self._put_off)
            self._put_off.clear()
            self._replace(error)

    def _drop(self, why: str) -> None:
        self.dropped += len(self._put_off)
        self._put_off.clear()
        self._notice(f"answers can't be written to {self.path} ({why}); going on without keeping them")

    def _disconnect(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection | None:
        """The database; a file that can't serve is set aside, and one more try made."""
        try:
            return _connect(self.path)
        except (sqlite3.Error, OSError) as error:
            return self._start_afresh(error)

    def _start_afresh(self, error: Exception) -> sqlite3.Connection | None:
        if _busy(error):
            self._notice(f"{self.path} is held by another process ({error}); going on without a cache")
            return None
        try:
            aside = _set_aside(self.path)
            db = _connect(self.path)
        except (sqlite3.Error, OSError) as second:
            self._notice(f"{self.path} can't be used ({error}; then {second}); going on without a cache")
            return None
        self._notice(f"{self.path} could not be used ({error}); it is set aside as {aside}, a new cache is begun")
        return db

    def _replace(self, error: Exception) -> None:
        self._disconnect()
        self._db = self._open() if _sound(self.path) else self._start_afresh(error)

    def _notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)
            logger.warning("%s", text)


def _row(db: sqlite3.Connection, key: str) -> tuple[bytes] | None:
    found: tuple[bytes] | None = db.execute("SELECT result FROM answers WHERE key = ?", (key,)).fetchone()
    return found


def _busy(error: Exception) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode in (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    )


def _connect(path: Path) -> sqlite3.Connection:
    """Open or create; several processes that create the file at once don't wait for each other by themselves."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(OPEN_TRIES):
        try:
            return _connect_once(path)
        except sqlite3.OperationalError as error:
            if not _busy(error):
                raise
        time.sleep(OPEN_PAUSE_S)
    return _connect_once(path)


def _connect_once(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, result BLOB NOT NULL) WITHOUT ROWID")
        db.execute("DELETE FROM answers WHERE key = ''")  # fails here and now where the file is read-only
        db.execute("SELECT key, result FROM answers LIMIT 1").fetchone()
        db.execute(f"PRAGMA busy_timeout={PUT_MS}")
    except BaseException:
        db.close()
        raise
    return db


def _sound(path: Path) -> bool:
    """Whether the file at this place is whole: another process may have replaced a damaged one already."""
    try:
        db = _connect(path)
    except (sqlite3.Error, OSError) as error:
        return _busy(error)
    try:
        return bool(db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.DatabaseError:
        return False
    finally:
        db.close()


def _set_aside(path: Path) -> Path:
    """Rename the file and its journals; the first free number is appended."""
    number = 1
    while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
        number += 1
    path.rename(aside)
    for ending in ("-wal", "-shm"):
        journal = path.with_name(path.name + ending)
        if journal.exists():
            journal.replace(aside.with_name(aside.name + ending))
    return aside
