"""A corpus of timelines in one language, beside the one it was made of."""

import asyncio
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.built_feed import holds_feed
from folkmoot.environments.corpora.pipeline.people import count_people
from folkmoot.environments.corpora.pipeline.rows import Rows
from folkmoot.environments.corpora.pipeline.totals import table_records, whole_digest
from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.corpora.revision.store import beside, write_shard
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.store.manifest import tally
from folkmoot.environments.corpora.store.schema import SHARDED
from folkmoot.environments.corpora.store.tables import read_rows
from folkmoot.environments.corpora.translation.translator import THERE, TRANSLATED, WORDLESS, Translator
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.together import together

STAGE = "translation"


def translate_store(
    store: Store,
    out: Path,
    translator: Translator,
    runner: asyncio.Runner,
    facts: Mapping[str, Any] | None = None,
    in_flight: int = 16,
) -> Store:
    """Write the corpus with its posts translated; what can't be translated stays as it is and is counted by reason.

    It is written into a hidden folder beside `out` and gets its name when it is complete.

    Args:
        store: a complete corpus of timelines.
        out: folder of the new one.
        translator: asks the model.
        runner: on whose event loop the calls are made.
        facts: of the model, for the manifest.
        in_flight: posts that are asked about at once.

    Raises:
        CorpusError: something is at `out`, or the corpus holds Talk pages.
        ModelError: a call failed for good; with a cache, the same call again makes only the missing ones.
    """
    if not holds_feed(store):
        raise CorpusError(f"{store.path} holds Talk pages; only timelines are translated")
    stage = _Stage(store, translator, runner, in_flight)
    with beside(out) as folder:
        _translate(store, folder, stage, facts or {})
    return Store.open(out)


def _translate(store: Store, out: Path, stage: "_Stage", facts: Mapping[str, Any]) -> None:
    records = [
        write_shard(out, number, part.name, stage.shard(part)) for number, part in enumerate(store.parts("pages"))
    ]
    others = {name: record for name, record in store.manifest.tables.items() if name not in SHARDED}
    for table in others:
        shutil.copytree(store.path / table, out / table)
    changes = {"language": stage.language, "tables": others, "state": "building", "digest": ""}
    new = Store.create(out, msgspec.structs.replace(store.manifest, **changes))
    new.update(msgspec.structs.replace(new.manifest, tables=others | table_records(new, records)))
    new.finish(count_people(new))
    new.finish(stage.record(store.manifest.digest, facts))
    new.update(msgspec.structs.replace(new.manifest, state="complete", digest=whole_digest(new)))


class _Stage:
    """Translates shard by shard, and counts."""

    def __init__(self, store: Store, translator: Translator, runner: asyncio.Runner, in_flight: int) -> None:
        self._store, self._translator, self._runner, self._in_flight = store, translator, runner, in_flight
        self.language = translator.language
        self._reasons: Counter[str] = Counter()
        self._repaired = 0

    def shard(self, part: Path) -> Rows:
        """The rows of a part of the pages, its posts translated."""
        rows = Rows()
        threads = list(self._store.shard(part.name))
        new = self._translated(threads)
        for page in read_rows(part):
            rows.add_page(page, [next(new) for _ in range(page["threads"])])
        return rows

    def _translated(self, threads: Sequence[ThreadRecord]) -> Iterator[ThreadRecord]:
        posts = [comment for thread in threads for comment in thread.comments]
        new = iter(self._asked(posts))
        for thread in threads:
            yield replace(thread, comments=tuple(next(new) for _ in thread.comments))

    def _asked(self, posts: Sequence[CommentRecord]) -> Iterator[CommentRecord]:
        waiting = iter(posts)
        usual = self._store.manifest.language
        while batch := list(islice(waiting, self._in_flight)):
            for done in self._runner.run(together(self._translator.translate(post, usual) for post in batch)):
                self._reasons[done.reason] += 1
                self._repaired += done.repaired
                yield done.comment

    def record(self, digest: str, facts: Mapping[str, Any]) -> StageRecord:
        """What was done."""
        fine = (TRANSLATED, THERE, WORDLESS)
        left = {reason: count for reason, count in self._reasons.items() if reason not in fine}
        notes = {f"posts {reason} (kept)": self._reasons[reason] for reason in (THERE, WORDLESS)}
        notes["answers after a repair"] = self._repaired
        counts = {"posts to translate": tally(self._reasons[TRANSLATED], left)}
        return StageRecord(name=STAGE, counts=counts, notes=dict(+Counter(notes)), facts={"of": digest, **facts})
