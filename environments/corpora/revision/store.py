"""A corpus with its threads revised, beside the one it was made of: no table is changed, a new corpus is written."""

import asyncio
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.persons.stage import GIVEN, add_personas
from folkmoot.environments.corpora.pipeline.people import count_people
from folkmoot.environments.corpora.pipeline.rows import Rows
from folkmoot.environments.corpora.pipeline.shards import ShardRecord
from folkmoot.environments.corpora.pipeline.totals import table_records, whole_digest
from folkmoot.environments.corpora.records import ThreadRecord
from folkmoot.environments.corpora.revision.reviser import REVISED, Reviser, Revision
from folkmoot.environments.corpora.store import StageRecord, Store, is_store
from folkmoot.environments.corpora.store.manifest import tally
from folkmoot.environments.corpora.store.schema import SHARDED, TABLES
from folkmoot.environments.corpora.store.tables import Row, read_rows, write_part
from folkmoot.sim.claim import claimed
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.together import together

STAGE = "revision"


def revise_store(
    store: Store,
    out: Path,
    reviser: Reviser,
    runner: asyncio.Runner,
    facts: Mapping[str, Any] | None = None,
    in_flight: int = 16,
) -> Store:
    """Write the revised corpus; threads that are flagged aren't in it, and are counted by reason.

    It is written into a hidden folder beside `out` and gets its name when it is complete, so `out` is there whole or
    not at all, and an interrupted call can be made again.

    Args:
        store: a complete corpus whose source was wikitext.
        out: folder of the new one.
        reviser: asks the model.
        runner: on whose event loop the calls are made.
        facts: of the model, for the manifest.
        in_flight: threads that are asked about at once.

    Raises:
        CorpusError: something is at `out`, or the corpus has no wikitext to compare with.
        LogError: another process revises into `out`.
        ModelError: a call failed for good; with a cache, the same call again makes only the missing ones.
    """
    stage = _Stage(store, reviser, runner, in_flight)
    with beside(out) as folder:
        _revise(store, folder, stage, facts or {})
    return Store.open(out)


@contextmanager
def beside(out: Path) -> Iterator[Path]:
    """A folder that becomes `out` if nothing goes wrong; what a call that was killed left in it goes first."""
    if out.exists():
        raise CorpusError(f"{out} is there already{' and holds a corpus' * is_store(out)}; give another --out")
    work = out.with_name(f".{out.name}.unfinished")
    work.mkdir(parents=True, exist_ok=True)
    with claimed(work):
        try:
            for left in (path for path in work.iterdir() if path.is_dir()):
                shutil.rmtree(left)
            yield work
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
    work.rename(out)


def _revise(store: Store, out: Path, stage: "_Stage", facts: Mapping[str, Any]) -> None:
    records = [
        write_shard(out, number, part.name, stage.shard(part)) for number, part in enumerate(store.parts("pages"))
    ]
    manifest = store.manifest
    kept = tuple(done for done in manifest.stages if done.name == "pages")
    new = Store.create(
        out, msgspec.structs.replace(manifest, stages=kept, tables={}, state="building", digest="", asked={})
    )
    new.update(msgspec.structs.replace(new.manifest, tables=table_records(new, records)))
    new.finish(stage.record(manifest.digest, facts))
    _finish(store, new)


class _Stage:
    """Revises shard by shard, and counts."""

    def __init__(self, store: Store, reviser: Reviser, runner: asyncio.Runner, in_flight: int) -> None:
        self._store, self._reviser, self._runner, self._in_flight = store, reviser, runner, in_flight
        self._reasons: Counter[str] = Counter()
        self._notes: Counter[str] = Counter()

    def shard(self, part: Path) -> Rows:
        """The rows of a part of the pages, its threads revised."""
        rows = Rows()
        threads = self._store.shard(part.name)
        for page in read_rows(part):
            own = list(islice(threads, page["threads"]))
            rows.add_page(page, [thread for thread in self._revised(own, page["text"]) if thread is not None])
        return rows

    def _revised(self, threads: Sequence[ThreadRecord], text: str) -> Iterator[ThreadRecord | None]:
        asked = iter(threads)
        while batch := list(islice(asked, self._in_flight)):
            for revision in self._runner.run(self._ask(batch, text)):
                self._reasons["" if revision.thread is not None else revision.reason] += 1
                self._notes["threads corrected"] += revision.reason == REVISED
                self._notes["answers after a repair"] += revision.repaired
                yield revision.thread

    async def _ask(self, threads: Sequence[ThreadRecord], text: str) -> list[Revision]:
        return await together(self._reviser.revise(thread, raw_thread(thread, text)) for thread in threads)

    def record(self, digest: str, facts: Mapping[str, Any]) -> StageRecord:
        """What was done."""
        dropped = {reason: count for reason, count in self._reasons.items() if reason}
        notes = dict(sorted((+self._notes).items()))
        counts = {"threads": tally(self._reasons[""], dropped)}
        return StageRecord(name=STAGE, counts=counts, notes=notes, facts={"of": digest, **facts})


def raw_thread(thread: ThreadRecord, text: str) -> str:
    """The wikitext of a thread, names replaced.

    Raises:
        CorpusError: the source gave no wikitext.
    """
    if thread.span is None or not text:
        raise CorpusError("the corpus's source was split already: there is no wikitext to compare its threads with")
    return text[thread.span[0] : thread.span[1]]


def write_shard(out: Path, number: int, part: str, rows: Rows) -> ShardRecord:
    """Write a part of the pages, threads and comments of a corpus."""
    written = {table: write_part(out / table / part, TABLES[table], rows.tables.get(table, []))[0] for table in SHARDED}
    return ShardRecord(number=number, after=None, items=written["pages"], counts={}, notes={}, rows=written)


def _finish(store: Store, new: Store) -> None:
    """Articles of the threads that are left, people, the source's personas, filters; then the corpus is complete."""
    left = frozenset(row["id"] for row in new.rows("threads", ["id"]))
    links: Iterable[Row] = (row for row in store.rows("thread_articles") if row["thread"] in left)
    if store.has("thread_articles"):
        new.write("articles", store.rows("articles"))
        new.write("thread_articles", links)
    new.finish(count_people(new))
    if store.has(GIVEN):
        new.write(GIVEN, store.rows(GIVEN), {"id": "string", "persona": "string"})
    new.finish(add_personas(new))
    new.update(msgspec.structs.replace(new.manifest, state="complete", digest=whole_digest(new)))
