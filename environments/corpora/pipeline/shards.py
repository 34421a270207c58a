"""Shards: the stream cut at page boundaries, and one shard written by whoever has it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.pipeline.context import PageContext
from folkmoot.environments.corpora.pipeline.pages import Article, read_page
from folkmoot.environments.corpora.pipeline.rows import Rows
from folkmoot.environments.corpora.pipeline.threads import read_thread
from folkmoot.environments.corpora.sources.base import (
    KEPT,
    SourcePage,
    SourceThread,
    ThreadSource,
    holds_history,
    position_of,
)
from folkmoot.environments.corpora.sources.registry import Source
from folkmoot.environments.corpora.store.files import read_bytes, write_bytes
from folkmoot.environments.corpora.store.manifest import Tally, add_tallies, tally
from folkmoot.environments.corpora.store.schema import SHARDED, TABLES
from folkmoot.environments.corpora.store.tables import write_part
from folkmoot.sim.errors import CorpusError

Item = SourcePage | SourceThread

FOLDER = "shards"
"""Where the records of whole shards lie."""

THINGS = ("pages", "threads", "comments")


class ShardRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A shard that is whole.

    Attributes:
        number: from 0.
        after: key in the source of its last page: where the next one begins; hidden by no hash, so never a title.
        items: pages that the source handed over.
        counts: thing -> what became of it, what the source passed over included.
        position: how much of the input was read when it was cut.
        last: nothing follows.
        history: the source holds several revisions of articles; told by the last shard.
    """

    number: int
    after: str | None
    items: int
    counts: dict[str, Tally]
    notes: dict[str, int]
    rows: dict[str, int]
    position: tuple[int, int] = (0, 0)
    last: bool = False
    history: bool = False


@dataclass(frozen=True, slots=True)
class Shard:
    """A task: pages, and what the source passed over since the shard before: so many `thing`s, by reason."""

    number: int
    items: tuple[Item, ...]
    passed: Counter[str] = field(default_factory=Counter)
    position: tuple[int, int] = (0, 0)
    last: bool = False
    history: bool = False
    thing: str = "pages"


def size_of(item: Item) -> int:
    """Characters."""
    if isinstance(item, SourcePage):
        return len(item.text)
    return sum(len(comment.text) for comment in item.comments) + len(item.article)


@dataclass(slots=True)
class Cutter:
    """Cuts a stream into shards; only the stream and the bounds decide where.

    Attributes:
        most: items of a shard.
        chars: characters of a shard; the item that reaches it is the last.
        source: whose counts of what it passes over, and whose position, go along.
    """

    most: int
    chars: int
    source: Source

    def cut(self, items: Iterator[Item], first: int) -> Iterator[Shard]:
        """Shards from number `first` on; the last one may be empty."""
        number, held, size, seen = first, [], 0, Counter[str]()
        thing = "comments" if isinstance(self.source, ThreadSource) else "pages"
        for item in items:
            held.append(item)
            size += size_of(item)
            if len(held) >= self.most or size >= self.chars:
                yield Shard(number, tuple(held), self._since(seen), position_of(self.source), thing=thing)
                number, held, size, seen = number + 1, [], 0, Counter(self.source.losses)
        history = holds_history(self.source)
        passed, position = self._since(seen), position_of(self.source)
        yield Shard(number, tuple(held), passed, position, last=True, history=history, thing=thing)

    def _since(self, seen: Counter[str]) -> Counter[str]:
        passed = Counter(self.source.losses)
        passed.subtract(seen)
        return +passed


def write_shard(shard: Shard, folder: Path, context: PageContext, article: Article | None = None) -> ShardRecord:
    """Write a shard's parts and then its record; once the record is there the shard is whole."""
    rows = Rows()
    for item in shard.items:
        if isinstance(item, SourcePage):
            read_page(item, context, rows, article)
        else:
            read_thread(item, context, rows)
    written = {table: _write(folder, table, shard.number, rows) for table in _tables(rows)}
    record = ShardRecord(
        number=shard.number,
        after=shard.items[-1].key if shard.items else None,
        items=len(shard.items),
        counts=_counts(rows, shard),
        notes=dict(sorted((+rows.notes + _doubts(shard)).items())),
        rows=written,
        position=shard.position,
        last=shard.last,
        history=shard.history,
    )
    write_bytes(record_path(folder, shard.number), msgspec.json.encode(record))
    return record


def _tables(rows: Rows) -> list[str]:
    return [*SHARDED, *(table for table in rows.tables if table not in SHARDED)]


def _write(folder: Path, table: str, number: int, rows: Rows) -> int:
    found = rows.tables.get(table, [])
    return write_part(folder / table / f"{number:05}.parquet", TABLES[table], found)[0]


def _counts(rows: Rows, shard: Shard) -> dict[str, Tally]:
    """What became of things; what a source of threads passes over are comments, else pages."""
    counts = {thing: tally(rows.kept[thing], rows.dropped.get(thing, {})) for thing in THINGS}
    return add_tallies([counts, {shard.thing: tally(0, shard.passed - _doubts(shard))}])


def _doubts(shard: Shard) -> Counter[str]:
    """What the source kept with doubt, and says so."""
    return Counter({reason: count for reason, count in shard.passed.items() if KEPT in reason})


def record_path(folder: Path, number: int) -> Path:
    """Where a shard's record lies."""
    return folder / FOLDER / f"{number:05}.json"


def read_records(folder: Path) -> list[ShardRecord]:
    """The records of the whole shards in front: those from 0 on without a gap."""
    records: list[ShardRecord] = []
    while (path := record_path(folder, len(records))).is_file():
        records.append(_decode(path))
        if records[-1].last:
            break
    return records


def read_record(folder: Path, shard: Shard) -> ShardRecord | None:
    """The record of a shard that was whole before this session began; None if it is to be written."""
    path = record_path(folder, shard.number)
    return _decode(path) if path.is_file() else None


def _decode(path: Path) -> ShardRecord:
    try:
        return msgspec.json.decode(read_bytes(path), type=ShardRecord)
    except msgspec.MsgspecError as error:
        raise CorpusError(f"{path} is damaged ({error}); delete it, then build again") from error


def totals(records: list[ShardRecord]) -> dict[str, Any]:
    """The sums over all shards, as fields of a `StageRecord`."""
    notes: Counter[str] = Counter()
    for record in records:
        notes.update(record.notes)
    return {"counts": add_tallies(record.counts for record in records), "notes": dict(sorted(notes.items()))}
