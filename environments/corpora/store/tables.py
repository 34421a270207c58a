"""Parquet files of a table: write rows, read rows, a row group at a time."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.store.files import whole_file
from folkmoot.environments.corpora.store.schema import arrow_schema
from folkmoot.sim.errors import CorpusError

ROWS = 5_000
"""Rows of a row group at most; what is in memory at once."""

BYTES = 4_000_000
"""Characters of text in a row group, roughly, at most."""

Row = Mapping[str, Any]


def write_part(path: Path, columns: Mapping[str, str], rows: Iterable[Row]) -> tuple[int, str]:
    """Write a Parquet file at once; returns the number of rows and the hash of them in order.

    Raises:
        CorpusError: a row lacks a column or holds another kind of value, or the disk refuses.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = arrow_schema(dict(columns))
    count, whole = 0, blake2b(digest_size=16)
    with whole_file(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        for group in _groups(rows):
            for row in group:
                whole.update(hash_row(columns, row))
            try:
                writer.write_table(pa.table({name: [row[name] for row in group] for name in columns}, schema=schema))
            except (KeyError, pa.ArrowException) as error:
                raise CorpusError(f"a row of {path.parent.name} doesn't fit its columns: {error}") from error
            count += len(group)
    return count, whole.hexdigest()


def hash_row(columns: Iterable[str], row: Row) -> bytes:
    """16 bytes for the row's values in the order of the columns; the same whatever wrote the file."""
    return blake2b(msgspec.json.encode([row[name] for name in columns]), digest_size=16).digest()


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    size = 0
    for row in rows:
        group.append(row)
        size += len(row.get("text") or "") + len(row.get("persona") or "")
        if len(group) == ROWS or size > BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def read_rows(
    path: Path, columns: Sequence[str] | None = None, where: tuple[str, Collection[str]] | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file, in order.

    Args:
        path: the file.
        columns: those to read; None: all.
        where: a column among them and the values that it has in the rows wanted; others aren't unpacked.

    Raises:
        CorpusError: not a Parquet file, or a column isn't in it.
    """
    chosen = _chooser(where)
    for batch in read_batches(path, columns):
        yield from chosen(batch).to_pylist()


def _chooser(where: tuple[str, Collection[str]] | None) -> Callable[[Any], Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if where is None:
        return lambda batch: batch
    column, values = where[0], pa.array(sorted(where[1]), pa.string())
    return lambda batch: batch.filter(pc.is_in(batch[column], value_set=values))


def read_batches(path: Path, columns: Sequence[str] | None = None) -> Iterator[Any]:
    """The same as pyarrow record batches of up to 5,000 rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            missing = [name for name in columns or () if name not in file.schema_arrow.names]
            if missing:
                raise CorpusError(f"{path} has no column {missing[0]!r}; it has {', '.join(file.schema_arrow.names)}")
            wanted = None if columns is None else list(columns)
            for group in range(file.num_row_groups):  # one by one: batches would be filled up from several
                yield from file.iter_batches(ROWS, row_groups=[group], columns=wanted)
    except (OSError, pa.ArrowException) as error:
        raise CorpusError(_unreadable(path, error)) from error


def count_rows(path: Path) -> int:
    """Rows of a Parquet file, by its footer.

    Raises:
        CorpusError: not a Parquet file.
    """
    return int(_footer(path).num_rows)


def column_names(path: Path) -> list[str]:
    """Columns of a Parquet file, by its footer.

    Raises:
        CorpusError: not a Parquet file.
    """
    return list(_footer(path).schema.to_arrow_schema().names)


def _footer(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_metadata(path)
    except (OSError, pa.ArrowException) as error:
        raise CorpusError(_unreadable(path, error)) from error


def _unreadable(path: Path, error: Exception) -> str:
    return f"{path}: can't be read ({error}); build the corpus again"
