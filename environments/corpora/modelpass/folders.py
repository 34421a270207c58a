"""The folder of a new corpus: there whole or not at all."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from folkmoot.environments.corpora.pipeline.rows import Rows
from folkmoot.environments.corpora.pipeline.shards import ShardRecord
from folkmoot.environments.corpora.store import is_store
from folkmoot.environments.corpora.store.schema import SHARDED, TABLES
from folkmoot.environments.corpora.store.tables import write_part
from folkmoot.sim.claim import claimed
from folkmoot.sim.errors import CorpusError


@contextmanager
def beside(out: Path) -> Iterator[Path]:
    """A hidden folder that becomes `out` if nothing goes wrong; what a call that was killed left in it goes first.

    Raises:
        CorpusError: something is at `out`.
        LogError: another process writes there.
    """
    if out.exists():
        raise CorpusError(f"{out} is there already{' and holds a corpus' * is_store(out)}; give another --out")
    work = out.with_name(f".{out.name}.unfinished")
    work.mkdir(parents=True, exist_ok=True)
    with claimed(work):
        try:
            for left in (path for path in work.iterdir() if path.is_dir()):
                shutil.rmtree(left)
            yield work
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
    work.rename(out)


def write_shard(out: Path, number: int, part: str, rows: Rows) -> ShardRecord:
    """Write a part of the pages, threads and comments of a corpus."""
    written = {table: write_part(out / table / part, TABLES[table], rows.tables.get(table, []))[0] for table in SHARDED}
    return ShardRecord(number=number, after=None, items=written["pages"], counts={}, notes={}, rows=written)
