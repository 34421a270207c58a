"""Which threads stay, in the order of the paper's filters: rows of table `selection`."""

from collections.abc import Iterator
from pathlib import Path

from folkmoot.environments.corpora.filters import ThreadFilter
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.store.tables import Row, read_batches, read_rows

UNATTRIBUTED = "unattributed"


def selection_rows(store: Store, keep: ThreadFilter) -> Iterator[Row]:
    """One row a thread, in the order of `threads`: why it was dropped, "" if it is kept."""
    for threads in store.parts("threads"):
        unsigned = _unsigned(store.path / "comments" / threads.name)
        for row in read_rows(threads, ["id", "people", "longest"]):
            yield {
                "thread": row["id"],
                "reason": keep(row["people"], row["longest"], unsigned=row["id"] in unsigned),
            }


def _unsigned(comments: Path) -> set[str]:
    """Threads of a part that hold a comment by nobody."""
    import pyarrow.compute as pc

    found: set[str] = set()
    for batch in read_batches(comments, ["thread", "by"]):
        nobody = batch.filter(pc.equal(batch["by"], UNATTRIBUTED))
        found.update(nobody["thread"].to_pylist())
    return found
