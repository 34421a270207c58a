"""References of a corpus that point to nothing."""

from collections.abc import Collection, Iterator

from folkmoot.environments.corpora.checking.findings import BROKEN, Finding
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.store.tables import count_rows


def check_references(store: Store) -> Iterator[Finding]:
    """Parents, threads, pages, articles and personas that point to nothing."""
    pages = frozenset(row["id"] for row in store.rows("pages", ["id"]))
    yield from _thread_rows(store, pages)
    yield from _comment_rows(store)
    yield from _dangling(store, "thread_articles", "article", "articles", "id")
    yield from _dangling(store, "thread_articles", "thread", "threads", "id")
    yield from _dangling(store, "personas", "id", "people", "id")
    yield from _rows_agree(store)


def _thread_rows(store: Store, pages: Collection[str]) -> Iterator[Finding]:
    for row in store.rows("threads", ["id", "page", "comments"]):
        if row["page"] not in pages:
            yield Finding(BROKEN, f"page {row['page']} isn't in the corpus", f"threads {row['id']}")
        if row["comments"] < 1:
            yield Finding(BROKEN, "it has no comment", f"threads {row['id']}")


def _comment_rows(store: Store) -> Iterator[Finding]:
    """Comments stand in their threads' order, and answer a comment before them."""
    threads = (
        (row["id"], index) for row in store.rows("threads", ["id", "comments"]) for index in range(row["comments"])
    )
    for row in store.rows("comments", ["id", "thread", "index", "parent", "actor"]):
        place = f"comments {row['id']}"
        expected = next(threads, None)
        if expected != (row["thread"], row["index"]):
            yield Finding(BROKEN, f"it stands where comment {expected} is due", place)
            return
        if row["parent"] is not None and not 0 <= row["parent"] < row["index"]:
            yield Finding(BROKEN, f"its parent is {row['parent']}, of {row['index']} before it", place)
        if not row["actor"]:
            yield Finding(BROKEN, "it has no actor", place)
    if (missing := next(threads, None)) is not None:
        yield Finding(BROKEN, f"comment {missing[1]} is missing", f"threads {missing[0]}")


def _dangling(store: Store, table: str, column: str, other: str, key: str) -> Iterator[Finding]:
    known = frozenset(row[key] for row in store.rows(other, [key]))
    for row in store.rows(table, [column]):
        if row[column] is not None and row[column] not in known:
            yield Finding(BROKEN, f"{column} {row[column]} isn't in {other}", f"{table} {row[column]}")


def _rows_agree(store: Store) -> Iterator[Finding]:
    """The choice has a row for each thread; tables have the rows that the manifest says."""
    counted = {table: sum(map(count_rows, store.parts(table))) for table in store.manifest.tables}
    for table, record in store.manifest.tables.items():
        if counted[table] != record.rows:
            yield Finding(BROKEN, f"{counted[table]} rows, the manifest says {record.rows}", f"table {table}")
    if "selection" in counted and counted["selection"] != counted["threads"]:
        what = f"{counted['selection']} rows for {counted['threads']} threads"
        yield Finding(BROKEN, what, "table selection")
