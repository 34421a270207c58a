"""The tables of a store, column by column; times are ms since the epoch, UTC, offsets are characters."""

from functools import cache
from typing import Any

STRING, TEXTS, INT, LONG, BOOL = "string", "texts", "int32", "int64", "bool"

TABLES: dict[str, dict[str, str]] = {
    "pages": {
        "key": STRING,  # a keyed hash of its place in the source
        "id": STRING,  # a keyed hash of its title
        "title": STRING,
        "namespace": INT,
        "subject": STRING,  # a keyed hash of the title without namespace: joins articles, talk and user pages
        "owner": STRING,  # pseudonym of the user whose page it is; null elsewhere
        "revision": LONG,
        "time": LONG,
        "text": STRING,  # wikitext, names replaced
        "threads": INT,
        "digest": STRING,  # of this page with its threads and comments
    },
    "threads": {
        "id": STRING,
        "page": STRING,  # id of the page
        "number": INT,  # on the page, from 0
        "title": STRING,
        "comments": INT,
        "first": LONG,
        "last": LONG,
        "people": TEXTS,  # pseudonyms, in order of first comment
        "words": INT,
        "longest": INT,  # words of the longest comment
        "start": INT,
        "end": INT,
        "source_start": INT,
        "source_end": INT,
    },
    "comments": {
        "id": STRING,
        "thread": STRING,
        "index": INT,
        "actor": STRING,
        "time": LONG,
        "dated": BOOL,
        "parent": INT,  # index in the thread; null: stands by itself
        "by": STRING,
        "text": STRING,
        "words": INT,
        "mentions": TEXTS,
        "start": INT,
        "end": INT,
        "source_start": INT,
        "source_end": INT,
        "facts": STRING,  # JSON, null where there are none
    },
    "articles": {"id": STRING, "subject": STRING, "revision": LONG, "time": LONG, "text": STRING},
    "thread_articles": {"thread": STRING, "article": STRING, "reason": STRING},  # one of the two is null
    "people": {
        "id": STRING,
        "comments": INT,
        "threads": INT,
        "words": LONG,
        "first": LONG,
        "last": LONG,
    },
    "personas": {"id": STRING, "persona": STRING},  # JSON of `Persona`
    "selection": {"thread": STRING, "reason": STRING},  # "" is kept; one row a thread, in the order of threads
}
"""Table -> column -> type. Stages may add tables of their own with `Store.write(..., columns=...)`."""

SHARDED = ("pages", "threads", "comments")
"""Written by the page stage, one part a shard; a thread's comments are in the part of its number."""


def arrow_schema(columns: dict[str, str]) -> Any:
    """The pyarrow schema of these columns."""
    import pyarrow as pa

    return pa.schema([(name, _types()[kind]) for name, kind in columns.items()])


@cache
def _types() -> dict[str, Any]:
    import pyarrow as pa

    return {
        STRING: pa.string(),
        TEXTS: pa.list_(pa.string()),
        INT: pa.int32(),
        LONG: pa.int64(),
        BOOL: pa.bool_(),
    }
