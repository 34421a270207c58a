"""A corpus with its threads revised, beside the one it was made of: no table is changed, a new corpus is written."""

import asyncio
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.modelpass import Pass, beside, write_shard
from folkmoot.environments.corpora.persons.stage import GIVEN, add_personas
from folkmoot.environments.corpora.pipeline.people import count_people
from folkmoot.environments.corpora.pipeline.rows import Rows
from folkmoot.environments.corpora.pipeline.totals import table_records, whole_digest
from folkmoot.environments.corpora.records import ThreadRecord
from folkmoot.environments.corpora.revision.reviser import REVISED, RIGHT, Reviser, Revision
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.store.tables import Row, read_rows
from folkmoot.sim.errors import CorpusError

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
        self._store, self._reviser = store, reviser
        self._asked: Pass[tuple[ThreadRecord, str], Revision] = Pass(self._ask, runner, in_flight)

    async def _ask(self, item: tuple[ThreadRecord, str]) -> Revision:
        thread, text = item
        return await self._reviser.revise(thread, raw_thread(thread, text))

    def shard(self, part: Path) -> Rows:
        """The rows of a part of the pages, its threads revised."""
        rows = Rows()
        threads = self._store.shard(part.name)
        for page in read_rows(part):
            own = [(thread, page["text"]) for thread in islice(threads, page["threads"])]
            revised = [revision.thread for revision in self._asked.over(own)]
            rows.add_page(page, [thread for thread in revised if thread is not None])
        return rows

    def record(self, digest: str, facts: Mapping[str, Any]) -> StageRecord:
        """What was done."""
        notes = {REVISED: "threads corrected"}
        return self._asked.record(STAGE, "threads", [RIGHT, REVISED], notes, {"of": digest, **facts})


def raw_thread(thread: ThreadRecord, text: str) -> str:
    """The wikitext of a thread, names replaced.

    Raises:
        CorpusError: the source gave no wikitext.
    """
    if thread.span is None or not text:
        raise CorpusError("the corpus's source was split already: there is no wikitext to compare its threads with")
    return text[thread.span[0] : thread.span[1]]


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
