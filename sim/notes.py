"""Notes of turns beside the log: which activation led to which event, and what the agent noted of it."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from folkmoot.sim.events import Event
from folkmoot.sim.log import Appender
from folkmoot.sim.turn import Turn

_encode = msgspec.json.Encoder(enc_hook=str).encode


class Notes:
    """A sink that writes notes.jsonl. A re-run makes the file again from its start."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(b"")
        self._out = Appender(path, sync_every=4096)

    def committed(self, events: Sequence[Event], turn: Turn | None) -> None:
        """One line for each turn that made a call or noted something."""
        if turn is None or not (turn.calls or turn.facts):
            return
        note = {
            "seq": events[0].seq,
            "agent": turn.agent,
            "activation": turn.number,
            "trigger": turn.trigger,
            "looked": turn.now,
            "calls": turn.calls,
            "facts": turn.facts,
        }
        self._out.write(_encode(note) + b"\n")

    async def settle(self) -> str | None:
        """Never stops a run."""
        return None

    def close(self) -> None:
        """Sync and close; may be called twice."""
        self._out.close()
