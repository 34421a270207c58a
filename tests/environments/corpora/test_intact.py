"""A corpus whose tables aren't those of its manifest is another community: it is refused, not read."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from folkmoot.environments.corpora.built import find_stores, load_built
from folkmoot.environments.corpora.store import Store
from folkmoot.sim.errors import CorpusError


@pytest.fixture(params=[Store.open, find_stores, load_built], ids=lambda opened: opened.__name__)
def opened(request):
    """Each way in which commands and runs come to a corpus."""
    return request.param


@pytest.mark.parametrize("table", ["comments", "people", "selection"])
def test_a_table_that_is_gone(small_store, opened, table):
    """The table, both counts and the way out are told."""
    rows = small_store.manifest.tables[table].rows
    assert rows
    shutil.rmtree(small_store.path / table)
    with pytest.raises(CorpusError, match=rf"'{table}' has 0 rows, the manifest says {rows}; .*corpus check.*again"):
        opened(small_store.path)


def test_a_table_that_is_cut(small_store, opened):
    """Rows that are missing from one part count too."""
    part = small_store.parts("comments")[0]
    read = pq.read_table(part)
    pq.write_table(read.slice(1), part)
    with pytest.raises(CorpusError, match=r"'comments' has [\d,]+ rows, the manifest says"):
        opened(small_store.path)


def test_a_table_of_other_columns(small_store, opened):
    """A missing column is named with those that are there."""
    part = small_store.parts("comments")[0]
    pq.write_table(_other(part), part)
    with pytest.raises(CorpusError, match="has no column 'id'; it has who, text"):
        opened(small_store.path)


def _other(part):
    rows = pq.read_table(part).num_rows
    return pa.table({"who": ["a"] * rows, "text": ["b"] * rows})


def test_a_file_that_is_no_table(small_store, opened):
    """Bytes that aren't Parquet are told as such."""
    small_store.parts("people")[0].write_bytes(b"PAR1 no more")
    with pytest.raises(CorpusError, match="people.*can't be read .*build the corpus again"):
        opened(small_store.path)


def test_damage_can_be_looked_at(small_store):
    """What says what is wrong with a corpus opens a damaged one."""
    shutil.rmtree(small_store.path / "comments")
    [store] = find_stores(small_store.path, damaged=True)
    assert list(store.rows("comments")) == []
