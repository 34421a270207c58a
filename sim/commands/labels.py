"""Annotations joined to the events of a log: columns by seq, from annotations/*.parquet.

A file belongs to a log if it carries the log's SHA-256, as a value of its schema metadata or in a column of its own
(then the rows of other sources are passed over). A file that doesn't is never joined by number alone: the numbers
of a corpus mean other events.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from folkmoot.sim.errors import LogError
from folkmoot.sim.runs import Run

SEQ = "seq"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: Arrow values, and the seqs they belong to in ascending order."""

    seqs: NDArray[np.int64]
    values: Any

    def take(self, seqs: Sequence[int]) -> Any:
        """Values of these events, null where there is none."""
        import pyarrow as pa

        asked = np.asarray(seqs, dtype=np.int64)
        at = np.searchsorted(self.seqs, asked)
        there = at < len(self.seqs)
        there[there] = self.seqs[at[there]] == asked[there]
        return self.values.take(pa.array(at, type=pa.int64(), mask=~there))


@dataclass(slots=True)
class Labels:
    """All columns by name, and what couldn't be joined, in words."""

    columns: dict[str, Column] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def of(self, seqs: Sequence[int]) -> list[dict[str, Any]]:
        """Labels of each event: name -> value, those that it has."""
        lists = {name: column.take(seqs).to_pylist() for name, column in self.columns.items()}
        return [{name: values[i] for name, values in lists.items() if values[i] is not None} for i in range(len(seqs))]


def read_labels(run: Run) -> Labels:
    """The annotations of a run's own log.

    Raises:
        LogError: a file can't be read as Parquet.
    """
    labels = Labels()
    # The real community's labels stand beside the log's own.
    files = sorted(f for f in run.annotations.glob("*.parquet") if not f.name.endswith(".reference.parquet"))
    digest = run.digest if files else ""
    for file in files:
        _read(file, digest, labels)
    return labels


def _read(file: Path, digest: str, labels: Labels) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException) as error:
        raise LogError(f"{file}: can't be read as Parquet ({error}); annotate the run again") from error
    own = _own(table, digest)
    if SEQ not in table.column_names or own is None:
        labels.notices.append(f"{file.name}: not joined, it isn't keyed by seq and this log's hash {digest[:12]}")
        return
    own = own.sort_by(SEQ)
    seqs = own[SEQ].to_numpy().astype(np.int64)
    if len(np.unique(seqs)) != len(seqs):
        labels.notices.append(f"{file.name}: not joined, it holds several rows for one event")
        return
    names = [name for name in own.column_names if name != SEQ]
    lists = [name for name in names if pa.types.is_list(own.schema.field(name).type)]
    for name in names:
        label = file.stem if lists == [name] else f"{file.stem}.{name}"
        labels.columns[label] = Column(seqs, own[name].combine_chunks())


def _own(table: Any, digest: str) -> Any:
    """The rows of this log, without the column that says so; None if there are none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if digest.encode() in (table.schema.metadata or {}).values():
        return table
    for name in table.column_names:
        if pa.types.is_string(table.schema.field(name).type):
            own = table.filter(pc.equal(table[name], digest))
            if own.num_rows:
                return own.drop_columns([name])
    return None
