"""Who saw what, at which rank, and when: a columnar file beside the log, which a replay computes again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from folkmoot.environments.social_feed.view import SocialFeedView
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import Event
from folkmoot.sim.feed import Shown
from folkmoot.sim.turn import Turn

GROUP = 65_536
"""Rows of a row group, at least."""


class Exposures:
    """A sink that writes one row for each post on each home page that was looked at and led to a committed event.

    Columns: `seq` of the event that the visit led to, `community`, `user`, `time` (of the look, milliseconds),
    `version` (of the state looked at), `rank` (from 0), `post` (its seq), `by` (who passed it on, "" where nobody
    did), `followed` (from the viewer's network).

    A Parquet file can't be appended to: the rows are written to a file named `.part`, which takes the name once it is
    closed. A run that is resumed or replayed looks at the same pages again, so it writes the whole file again.
    """

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        text = pa.dictionary(pa.int32(), pa.string())
        fields: list[tuple[str, Any]] = [("seq", pa.int64()), ("community", text), ("user", text), ("time", pa.int64())]
        fields += [("version", pa.int64()), ("rank", pa.int16()), ("post", pa.int64()), ("by", text)]
        self._schema = pa.schema([*fields, ("followed", pa.bool_())])
        self._arrays: Any = pa.RecordBatch.from_pydict
        self.path = path
        self._part = path.with_name(path.name + ".part")
        try:
            self._out: Any = pq.ParquetWriter(self._part, self._schema, compression="zstd")
        except OSError as error:
            raise LogError(f"{self._part}: can't be written ({error}); give a folder that can") from error
        self._visits: list[tuple[int, SocialFeedView, Sequence[Shown]]] = []
        self._rows = 0

    def committed(self, events: Sequence[Event], turn: Turn | None) -> None:
        """Keep what the turn's view showed."""
        view = None if turn is None else turn.view
        if isinstance(view, SocialFeedView) and (shown := view.exposure):
            self._visits.append((events[0].seq, view, shown))
            self._rows += len(shown)
            if self._rows >= GROUP:
                self._write()

    async def settle(self) -> str | None:
        """Never stops a run."""
        return None

    def close(self) -> None:
        """Finish the file and give it its name; may be called twice."""
        if self._out is None:
            return
        self._write()
        self._out.close()
        self._out = None
        self._part.replace(self.path)

    def _write(self) -> None:
        if not self._rows:
            return
        columns: dict[str, list[Any]] = {
            "seq": [seq for seq, _, shown in self._visits for _ in shown],
            "community": [view.community for _, view, shown in self._visits for _ in shown],
            "user": [view.agent for _, view, shown in self._visits for _ in shown],
            "time": [view.now for _, view, shown in self._visits for _ in shown],
            "version": [view.version for _, view, shown in self._visits for _ in shown],
        }
        rows = [item for _, _, shown in self._visits for item in shown]
        columns |= {
            "rank": [item.rank for item in rows],
            "post": [item.post.seq for item in rows],
            "by": [item.by for item in rows],
            "followed": [item.followed for item in rows],
        }
        self._out.write_batch(self._arrays(columns, schema=self._schema))
        self._visits, self._rows = [], 0
