"""Whether the tables of a store are those that its manifest tells of; only the footers of the files are read."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from folkmoot.environments.corpora.store.manifest import TableRecord
from folkmoot.environments.corpora.store.schema import TABLES
from folkmoot.environments.corpora.store.tables import column_names, count_rows
from folkmoot.sim.errors import CorpusError

WAY_OUT = "`folkmoot corpus check` lists what is wrong; copy the whole folder again, or build the corpus again"


def check_tables(folder: Path, tables: Mapping[str, TableRecord], parts: Mapping[str, Sequence[Path]]) -> None:
    """Make sure that every table has the rows and the columns that it was written with.

    Args:
        folder: of the corpus, for messages.
        tables: what the manifest says.
        parts: table -> its files.

    Raises:
        CorpusError: one has more or fewer rows, or lacks a column; a file of it can't be read.
    """
    for table, record in tables.items():
        found = sum(map(count_rows, parts[table]))
        if found != record.rows:
            raise CorpusError(
                f"{folder}: table {table!r} has {found:,} rows, the manifest says {record.rows:,}; {WAY_OUT}"
            )
        for part in parts[table]:
            _check_columns(part, table)


def _check_columns(part: Path, table: str) -> None:
    """Tables that a stage brought are of its own making: their columns are checked where they are read."""
    there = column_names(part)
    missing = [name for name in TABLES.get(table, {}) if name not in there]
    if missing:
        raise CorpusError(f"{part} has no column {missing[0]!r}; it has {', '.join(there)}; {WAY_OUT}")
