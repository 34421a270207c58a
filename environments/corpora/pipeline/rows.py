"""One page, or one thread of a source that splits its own, as rows of the tables; names are replaced here."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import msgspec

from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.corpora.store.schema import TABLES
from folkmoot.environments.corpora.store.tables import Row, hash_row
from folkmoot.environments.talk_page.wikitext.clean import words


def long_hash(text: str, salt: bytes) -> str:
    """16 hex digits, keyed: for pages, of which a wiki has millions."""
    return blake2b(text.encode(), key=blake2b(salt, digest_size=32).digest(), digest_size=8).hexdigest()


@dataclass(slots=True)
class Rows:
    """Rows of the page stage's tables, and what was counted.

    Attributes:
        tables: table -> rows.
        kept: thing -> how many were kept.
        dropped: thing -> reason -> how many were not.
        notes: what was kept with doubt, by reason.
    """

    tables: dict[str, list[Row]] = field(default_factory=dict)
    kept: Counter[str] = field(default_factory=Counter)
    dropped: dict[str, Counter[str]] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)

    def drop(self, thing: str, reason: str, count: int = 1) -> None:
        """Count what isn't kept."""
        self.dropped.setdefault(thing, Counter())[reason] += count

    def add_page(self, page: Mapping[str, Any], threads: list[ThreadRecord]) -> None:
        """A page with its threads."""
        whole = blake2b(digest_size=16)
        for thread in threads:
            whole.update(self._add_thread(thread))
        row = {**page, "threads": len(threads), "digest": ""}
        whole.update(hash_row(TABLES["pages"], row))
        self._add("pages", {**row, "digest": whole.hexdigest()})
        self.kept["pages"] += 1

    def _add_thread(self, thread: ThreadRecord) -> bytes:
        row = thread_row(thread)
        self._add("threads", row)
        whole = blake2b(hash_row(TABLES["threads"], row), digest_size=16)
        for index, comment in enumerate(thread.comments):
            said = comment_row(comment, thread.id, index)
            self._add("comments", said)
            whole.update(hash_row(TABLES["comments"], said))
        self.kept["threads"] += 1
        self.kept["comments"] += len(thread.comments)
        return whole.digest()

    def add_article(self, thread: str, article: Row | None, reason: str) -> None:
        """What a source tells of a thread's article."""
        if article is not None and article["id"] not in {row["id"] for row in self.tables.get("articles", ())}:
            self._add("articles", article)
        name = None if article is None else article["id"]
        self._add("thread_articles", {"thread": thread, "article": name, "reason": None if name else reason})

    def _add(self, table: str, row: Row) -> None:
        self.tables.setdefault(table, []).append(row)


def thread_row(thread: ThreadRecord) -> Row:
    """A row of `threads`."""
    lengths = [words(comment.text) for comment in thread.comments]
    times = [comment.time for comment in thread.comments]
    return {
        "id": thread.id,
        "page": thread.page_id,
        "number": thread.number,
        "title": thread.title,
        "comments": len(thread.comments),
        "first": min(times),
        "last": max(times),
        "people": list(thread.people),
        "words": sum(lengths),
        "longest": max(lengths),
        **_span(thread),
    }


def comment_row(comment: CommentRecord, thread: str, index: int) -> Row:
    """A row of `comments`."""
    return {
        "id": comment.id,
        "thread": thread,
        "index": index,
        "actor": comment.actor,
        "time": comment.time,
        "dated": comment.dated,
        "parent": comment.parent,
        "by": comment.by,
        "text": comment.text,
        "words": words(comment.text),
        "mentions": list(comment.mentions),
        "facts": msgspec.json.encode(dict(comment.facts)).decode() if comment.facts else None,
        **_span(comment),
    }


def _span(record: CommentRecord | ThreadRecord) -> Row:
    start, end = record.span or (None, None)
    source_start, source_end = record.source or (None, None)
    return {"start": start, "end": end, "source_start": source_start, "source_end": source_end}


def without_blocked(thread: ThreadRecord, blocked: frozenset[str], rows: Rows) -> ThreadRecord | None:
    """The thread without comments by these users; who answered them answers what they answered; None: nothing left."""
    if blocked.isdisjoint(comment.actor for comment in thread.comments):
        return thread
    kept = list(_renumbered(thread.comments, blocked))
    rows.drop("comments", BLOCKED, len(thread.comments) - len(kept))
    if not kept:
        rows.drop("threads", BLOCKED)
        return None
    return replace(thread, comments=tuple(kept))


BLOCKED = "by users on the blocklist"


def _renumbered(comments: tuple[CommentRecord, ...], blocked: frozenset[str]) -> Iterator[CommentRecord]:
    places: dict[int, int | None] = {}
    count = 0
    for index, comment in enumerate(comments):
        parent = None if comment.parent is None else places[comment.parent]
        if comment.actor in blocked:
            places[index] = parent
            continue
        places[index] = count
        count += 1
        yield replace(comment, parent=parent)
