"""Leaks between the parts of a corpus."""

from collections.abc import Collection, Iterator

from folkmoot.environments.corpora.checking.findings import LEAKS, Finding
from folkmoot.environments.corpora.leakage import text_key
from folkmoot.environments.corpora.persons import talk as trait_table
from folkmoot.environments.corpora.store import Store


def check_parts(store: Store, reference: Collection[str], others: Collection[str]) -> Iterator[Finding]:
    """Leaks between the threads of a reference and those that personas know: repeated texts, and traits read from it.

    Args:
        store: a complete corpus.
        reference: ids of the threads that a run is compared with.
        others: ids of the threads that histories and openings come from.
    """
    said: dict[bytes, str] = {}
    for comment, thread, text in _texts(store, reference):
        if (key := text_key(text)) is not None:
            said.setdefault(key, f"comments {comment} of thread {thread}")
    for comment, _, text in _texts(store, others):
        if (key := text_key(text)) in said and key is not None:
            yield Finding(LEAKS, f"the text of {said[key]} stands here too", f"comments {comment}")
    rows = store.rows(trait_table.TABLE, ["id", "threads"])
    shown = [row["id"] for row in rows if any(thread in reference for thread in row["threads"])]
    if shown:
        what = f"traits of {len(shown)} users were read from threads of the reference"
        yield Finding(LEAKS, what, f"traits {min(shown)}", grave=False)


def _texts(store: Store, threads: Collection[str]) -> Iterator[tuple[str, str, str]]:
    for row in store.rows("comments", ["id", "thread", "text"]):
        if row["thread"] in threads:
            yield row["id"], row["thread"], row["text"]
