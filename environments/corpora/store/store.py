"""A built corpus on disk: read it as a stream, add tables to it."""

import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.corpora.store.files import read_bytes, write_bytes
from folkmoot.environments.corpora.store.intact import check_tables
from folkmoot.environments.corpora.store.manifest import SCHEMA, Manifest, StageRecord, TableRecord, decode_manifest
from folkmoot.environments.corpora.store.schema import SHARDED, TABLES
from folkmoot.environments.corpora.store.tables import Row, read_batches, read_rows, write_part
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.persona import Persona

MANIFEST = "manifest.json"
_FAMILY = SCHEMA.partition("/")[0] + "/"
"""What the schema of every version of a store begins with."""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A row of `pages`; see `store.schema`."""

    key: str
    id: str
    title: str
    namespace: int
    subject: str
    owner: str | None
    revision: int | None
    time: int | None
    text: str
    threads: int
    digest: str


def is_store(path: Path) -> bool:
    """Whether a built corpus, or one being built, lies here; of any version, and a damaged one too.

    A run's folder has a manifest.json as well: its schema tells it apart.
    """
    if not (path / MANIFEST).is_file():
        return False
    try:
        named = msgspec.json.decode(read_bytes(path / MANIFEST), type=_Named)
    except msgspec.MsgspecError:
        return True  # opening it says what is damaged
    return named.schema.startswith(_FAMILY)


class _Named(msgspec.Struct):
    """What of a manifest says whose it is."""

    schema: str = ""


class Store:
    """The tables of one community.

    `store.threads()` streams the kept threads in the order of the source; a stage reads, calls
    `store.write("selection", rows)`, and returns a `StageRecord` whose counts add up.

    Args:
        path: the folder.
        manifest: what it says of itself.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    def open(cls, path: Path, *, unfinished: bool = False, damaged: bool = False) -> "Store":
        """The store in this folder.

        Args:
            path: the folder.
            unfinished: take a build that isn't complete; its tables aren't compared with the manifest.
            damaged: take one whose tables aren't those that the manifest tells of, to say what is wrong with it.

        Raises:
            CorpusError: none there, another schema, not complete, or a table isn't as it was written.
        """
        if not is_store(path):
            raise CorpusError(f"no built corpus in {path}; `folkmoot corpus build --from ... --out {path}` makes one")
        manifest = decode_manifest(read_bytes(path / MANIFEST), str(path / MANIFEST))
        if manifest.state != "complete" and not unfinished:
            done = ", ".join(stage.name for stage in manifest.stages) or "no stage"
            raise CorpusError(
                f"{path} isn't complete ({done} done); give the same `folkmoot corpus build` (or `personas`) again"
            )
        store = cls(path, manifest)
        if not unfinished and not damaged:
            check_tables(path, manifest.tables, {table: store.parts(table) for table in manifest.tables})
        return store

    @classmethod
    def create(cls, path: Path, manifest: Manifest) -> "Store":
        """A new, empty store."""
        store = cls(path, manifest)
        store.update(manifest)
        return store

    def update(self, manifest: Manifest) -> None:
        """Replace the manifest."""
        write_bytes(self.path / MANIFEST, manifest.encode())
        self.manifest = manifest

    def finish(self, stage: StageRecord) -> None:
        """Note that a stage is done.

        Raises:
            CorpusError: its counts don't add up.
        """
        for thing, value in stage.counts.items():
            if not value.adds_up:
                raise CorpusError(
                    f"stage {stage.name}: {value.given} {thing} came in, {value.kept} were kept and "
                    f"{sum(value.dropped.values())} dropped; these must add up (a fault in the stage)"
                )
        others = tuple(done for done in self.manifest.stages if done.name != stage.name)
        self.update(msgspec.structs.replace(self.manifest, stages=(*others, stage)))

    def parts(self, table: str) -> list[Path]:
        """The files of a table, in order; empty where it isn't there."""
        return sorted((self.path / table).glob("[0-9]*.parquet"))

    def has(self, table: str) -> bool:
        """Whether the table is there and whole."""
        return table in self.manifest.tables

    def rows(
        self, table: str, columns: Sequence[str] | None = None, where: tuple[str, Collection[str]] | None = None
    ) -> Iterator[dict[str, Any]]:
        """The rows of a table as dicts, in order, a few thousand in memory; nothing where it isn't there.

        Args:
            table: its name.
            columns: those to read; None: all.
            where: a column among them, and the values that it has in the rows wanted.
        """
        for part in self.parts(table):
            yield from read_rows(part, columns, where)

    def batches(self, table: str, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """The same as pyarrow record batches."""
        for part in self.parts(table):
            yield from read_batches(part, columns)

    def write(self, table: str, rows: Iterable[Row], columns: Mapping[str, str] | None = None) -> TableRecord:
        """Write a whole table, in place of the one of this name if there is one.

        Args:
            table: a name of `TABLES`, or another with `columns`.
            rows: dicts that hold every column; may be a generator.
            columns: column -> type of `store.schema`; None: those of `TABLES`.

        Raises:
            CorpusError: the table is one of the page stage's, or a row doesn't fit.
        """
        if table in SHARDED:
            raise CorpusError(f"table {table!r} belongs to the pages stage; give yours another name")
        rows_written, digest = write_part(self.path / table / "00000.parquet", columns or TABLES[table], rows)
        record = TableRecord(rows=rows_written, parts=1, digest=digest)
        self.update(msgspec.structs.replace(self.manifest, tables={**self.manifest.tables, table: record}))
        return record

    def drop(self, table: str) -> None:
        """Take a stage's table away."""
        tables = {name: record for name, record in self.manifest.tables.items() if name != table}
        self.update(msgspec.structs.replace(self.manifest, tables=tables))
        shutil.rmtree(self.path / table, ignore_errors=True)

    def pages(self, namespaces: Iterable[int] | None = None) -> Iterator[StoredPage]:
        """Pages in the order of the source, of these namespaces (None: all)."""
        wanted = None if namespaces is None else set(namespaces)
        for row in self.rows("pages"):
            if wanted is None or row["namespace"] in wanted:
                yield StoredPage(**row)

    def threads(self, *, dropped: bool = False, only: Collection[str] | None = None) -> Iterator[ThreadRecord]:
        """Threads with their comments, in the order of the source; those that a filter dropped only if asked for.

        Args:
            dropped: give those that a filter dropped too.
            only: ids of threads; the others aren't read, whether kept or not.
        """
        if only is not None:
            for part in self.parts("threads"):
                yield from self.shard(part.name, only)
            return
        reasons = self.reasons()
        for part in self.parts("threads"):
            for thread in self.shard(part.name):
                if next(reasons) == "" or dropped:
                    yield thread

    def reasons(self) -> Iterator[str]:
        """For each thread, in order, why it was dropped; "" for one that is kept."""
        if self.has("selection"):
            yield from (row["reason"] for row in self.rows("selection", ["reason"]))
        else:
            yield from ("" for _ in self.rows("threads", ["id"]))

    def shard(self, part: str, only: Collection[str] | None = None) -> Iterator[ThreadRecord]:
        """The threads of one part, by the name of its files: all, or those with these ids."""
        rows = list(read_rows(self.path / "threads" / part, None, None if only is None else ("id", only)))
        if not rows:
            return
        titles = {row["id"]: row["title"] for row in read_rows(self.path / "pages" / part, ["id", "title"])}
        here = None if only is None else ("thread", {row["id"] for row in rows})
        comments = read_rows(self.path / "comments" / part, None, here)
        for row in rows:
            own = tuple(_comment(next(comments)) for _ in range(row["comments"]))
            yield ThreadRecord(
                id=row["id"],
                page=titles[row["page"]],
                page_id=row["page"],
                number=row["number"],
                title=row["title"],
                comments=own,
                source=_pair(row, "source_start", "source_end"),
                span=_pair(row, "start", "end"),
            )

    def personas(self) -> Iterator[Persona]:
        """All personas, in the order in which they were written."""
        for row in self.rows("personas"):
            yield Persona.model_validate_json(row["persona"])

    def write_personas(self, personas: Iterable[Persona]) -> TableRecord:
        """Write the table of personas."""
        return self.write("personas", ({"id": p.id, "persona": p.model_dump_json()} for p in personas))


def _pair(row: Row, start: str, end: str) -> tuple[int, int] | None:
    return None if row[start] is None else (row[start], row[end])


def _comment(row: Row) -> CommentRecord:
    return CommentRecord(
        id=row["id"],
        actor=row["actor"],
        time=row["time"],
        dated=row["dated"],
        parent=row["parent"],
        by=row["by"],
        text=row["text"],
        mentions=tuple(row["mentions"]),
        source=_pair(row, "source_start", "source_end"),
        span=_pair(row, "start", "end"),
        facts=msgspec.json.decode(row["facts"]) if row["facts"] else {},
    )
