"""The people of a corpus: what each user wrote, counted over all kept and dropped threads."""

from collections.abc import Iterator
from typing import Any

from folkmoot.environments.corpora.pipeline.context import StageContext
from folkmoot.environments.corpora.pseudonyms import UNATTRIBUTED
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.store.tables import Row, read_batches

AT_ONCE = 5_000_000
"""Comments whose users are counted in one pass; a larger corpus is passed 16 or 256 times, by their first digits."""

COLUMNS = ["actor", "thread", "words", "time"]


def add_people(store: Store, context: StageContext) -> StageRecord:
    """Write `people`, one row a user, sorted by pseudonym."""
    del context
    return count_people(store)


def count_people(store: Store) -> StageRecord:
    """The same for any store with comments."""
    comments = store.manifest.tables["comments"].rows
    record = store.write("people", _people(store, _prefixes(comments)))
    return StageRecord(name="people", facts={"users": record.rows})


def _prefixes(comments: int) -> list[str]:
    if comments <= AT_ONCE:
        return [""]
    digits = 1 if comments <= 16 * AT_ONCE else 2
    return [f"{number:0{digits}x}" for number in range(16**digits)]


def _people(store: Store, prefixes: list[str]) -> Iterator[Row]:
    for prefix in prefixes:
        counted = None
        for part in store.parts("comments"):
            counted = _merged(counted, _counted(part, prefix))
        if counted is not None:
            for batch in counted.sort_by("id").to_batches():
                yield from batch.to_pylist()


def _counted(part: Any, prefix: str) -> Any:
    """Users of one part: threads are whole in a part, so distinct ones can be counted here and added up."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = pa.Table.from_batches(read_batches(part, COLUMNS), schema=_schema())
    known = pc.and_(pc.not_equal(table["actor"], UNATTRIBUTED), pc.starts_with(table["actor"], prefix))
    grouped = table.filter(known).group_by("actor", use_threads=False)
    found = grouped.aggregate(
        [("words", "count"), ("thread", "count_distinct"), ("words", "sum"), ("time", "min"), ("time", "max")]
    )
    return found.rename_columns(_names(found.column_names)).select(
        ["id", "comments", "threads", "words", "first", "last"]
    )


def _names(columns: list[str]) -> list[str]:
    names = {
        "actor": "id",
        "words_count": "comments",
        "thread_count_distinct": "threads",
        "words_sum": "words",
        "time_min": "first",
        "time_max": "last",
    }
    return [names[column] for column in columns]


def _schema() -> Any:
    import pyarrow as pa

    return pa.schema([("actor", pa.string()), ("thread", pa.string()), ("words", pa.int32()), ("time", pa.int64())])


def _merged(one: Any, other: Any) -> Any:
    import pyarrow as pa

    if one is None:
        return other
    grouped = pa.concat_tables([one, other]).group_by("id", use_threads=False)
    found = grouped.aggregate(
        [("comments", "sum"), ("threads", "sum"), ("words", "sum"), ("first", "min"), ("last", "max")]
    )
    return found.rename_columns([column.rpartition("_")[0] or column for column in found.column_names])
