"""A corpus of timelines with its posts changed, beside the one that it was made of."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from folkmoot.environments.corpora.built_feed import holds_feed
from folkmoot.environments.corpora.modelpass.folders import beside, write_shard
from folkmoot.environments.corpora.pipeline.people import count_people
from folkmoot.environments.corpora.pipeline.rows import Rows
from folkmoot.environments.corpora.pipeline.totals import table_records, whole_digest
from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.store.schema import SHARDED
from folkmoot.environments.corpora.store.tables import read_rows
from folkmoot.sim.errors import CorpusError

Change = Callable[[Sequence[CommentRecord]], Iterable[CommentRecord]]
"""The posts of a shard -> the same ones, changed, in the same order."""


def rewrite_posts(
    store: Store, out: Path, change: Change, record: Callable[[], StageRecord], language: str | None = None
) -> Store:
    """Write the corpus with its posts changed; everything else stays.

    It is written into a hidden folder beside `out` and gets its name when it is complete.

    Args:
        store: a complete corpus of timelines.
        out: folder of the new one.
        change: changes the posts.
        record: what was done, once all are changed.
        language: of the new corpus; None: as it was.

    Raises:
        CorpusError: something is at `out`, or the corpus holds Talk pages.
    """
    timelines_alone(store)
    with beside(out) as folder:
        parts = store.parts("pages")
        shards = [
            write_shard(folder, number, part.name, _rows(store, part, change)) for number, part in enumerate(parts)
        ]
        others = {name: table for name, table in store.manifest.tables.items() if name not in SHARDED}
        for table in others:
            shutil.copytree(store.path / table, folder / table)
        changes = {"language": language or store.manifest.language, "tables": others, "state": "building", "digest": ""}
        new = Store.create(folder, msgspec.structs.replace(store.manifest, **changes))
        new.update(msgspec.structs.replace(new.manifest, tables=others | table_records(new, shards)))
        new.finish(count_people(new))
        new.finish(record())
        new.update(msgspec.structs.replace(new.manifest, state="complete", digest=whole_digest(new)))
    return Store.open(out)


def timelines_alone(store: Store) -> None:
    """Refuse a corpus of Talk pages.

    Raises:
        CorpusError: it is one.
    """
    if not holds_feed(store):
        raise CorpusError(f"{store.path} holds Talk pages; this is for timelines alone")


def _rows(store: Store, part: Path, change: Change) -> Rows:
    """The rows of a part of the pages, its posts changed."""
    rows = Rows()
    new = _changed(list(store.shard(part.name)), change)
    for page in read_rows(part):
        rows.add_page(page, [next(new) for _ in range(page["threads"])])
    return rows


def _changed(threads: Sequence[ThreadRecord], change: Change) -> Iterator[ThreadRecord]:
    new = iter(change([comment for thread in threads for comment in thread.comments]))
    for thread in threads:
        yield replace(thread, comments=tuple(next(new) for _ in thread.comments))
