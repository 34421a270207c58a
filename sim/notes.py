"""Notes of turns beside the log: which activation led to which event, and what the agent noted of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.sim.errors import LogError
from folkmoot.sim.events import Event
from folkmoot.sim.log import Appender, repair_tail
from folkmoot.sim.turn import Turn

_encode = msgspec.json.Encoder().encode


class _Line(msgspec.Struct):
    """All that we need of a line that is there."""

    seq: int


class Notes:
    """A sink that writes notes.jsonl.

    A re-run makes the notes again, into notes.jsonl.part, which takes the old file's place once it holds all
    that the old one does; a re-run that ends before leaves the old file as it was.
    """

    def __init__(self, path: Path) -> None:
        repair_tail(path)
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self._until = _last_seq(path)
        if self._until < 0:
            self._out = self._fresh(path)
        else:
            self._out = self._fresh(self._part)

    def _fresh(self, path: Path) -> Appender:
        path.write_bytes(b"")
        return Appender(path, sync_every=4096)

    def committed(self, events: Sequence[Event], turn: Turn | None) -> None:
        """One line for each turn that made a call or noted something.

        Raises:
            LogError: a fact isn't plain data (numbers, strings, lists, mappings); written as its `str`, as an
                encoder's fallback would, it couldn't be read back.
        """
        if turn is None or not (turn.calls or turn.facts):
            return
        seq = events[0].seq
        self._out.write(_line(seq, turn))
        if 0 <= self._until <= seq:
            self._put_in_place()

    def _put_in_place(self) -> None:
        self._out.close()
        self._part.replace(self._path)
        self._out = Appender(self._path, sync_every=4096)
        self._until = -1

    async def settle(self) -> str | None:
        """Never stops a run."""
        return None

    def close(self) -> None:
        """Sync and close; may be called twice. Notes that hold less than the file they would replace are dropped."""
        self._out.close()
        if self._until >= 0:
            self._part.unlink(missing_ok=True)


def _line(seq: int, turn: Turn) -> bytes:
    note: dict[str, Any] = {
        "seq": seq,
        "agent": turn.agent,
        "activation": turn.number,
        "trigger": turn.trigger,
        "looked": turn.now,
        "calls": turn.calls,
        "facts": turn.facts,
    }
    try:
        return _encode(note) + b"\n"
    except TypeError as error:
        raise LogError(
            f"event {seq}: activation {turn.number} of {turn.agent!r} noted what can't be written ({error}); "
            "note plain numbers, strings, lists and mappings"
        ) from error


def _last_seq(path: Path) -> int:
    """The event of the last line; -1 if there is none, or the file isn't notes."""
    last = b""
    if path.exists():
        with path.open("rb") as file:
            for last in file:  # noqa: B007 -- the last one is what we want
                pass
    try:
        return msgspec.json.decode(last, type=_Line).seq
    except msgspec.MsgspecError:
        return -1
