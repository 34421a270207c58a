"""A build from beginning to end, or from where it was interrupted."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import msgspec

from folkmoot.environments.corpora.filters import read_blocklist
from folkmoot.environments.corpora.pipeline.articles import check_articles
from folkmoot.environments.corpora.pipeline.context import PageContext, StageContext
from folkmoot.environments.corpora.pipeline.engine import run_shards, unused
from folkmoot.environments.corpora.pipeline.identity import check_same, find_build_salt, new_manifest
from folkmoot.environments.corpora.pipeline.instant import with_instant
from folkmoot.environments.corpora.pipeline.language import build_language
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.pipeline.shards import Cutter, Item, ShardRecord, read_records, totals
from folkmoot.environments.corpora.pipeline.stages import STAGES
from folkmoot.environments.corpora.pipeline.totals import table_records, whole_digest
from folkmoot.environments.corpora.sources.base import ThreadSource, WikiSource, is_pseudonymous, offers_articles
from folkmoot.environments.corpora.sources.registry import Request, Source, open_source
from folkmoot.environments.corpora.store import StageRecord, Store, is_store
from folkmoot.sim.claim import claimed
from folkmoot.sim.errors import CorpusError

PAGES = "pages"
"""Name of the first stage."""


class Listener(Protocol):
    """Who watches a build."""

    def started(self, stage: str) -> None:
        """A stage begins."""

    def shard(self, record: ShardRecord, *, new: bool) -> None:
        """A shard is whole; `new`: it was written in this session."""

    def told(self, done: int, total: int) -> None:
        """A later stage is so far; total 0: unknown."""

    def noticed(self, what: str) -> None:
        """Something that was asked for isn't done, in words."""


class Silent:
    """Nobody watches."""

    def started(self, stage: str) -> None:
        """Nothing."""

    def shard(self, record: ShardRecord, *, new: bool) -> None:
        """Nothing."""

    def told(self, done: int, total: int) -> None:
        """Nothing."""

    def noticed(self, what: str) -> None:
        """Nothing."""


def build(settings: BuildSettings, listener: Listener | None = None) -> Store:
    """Build a corpus, or go on with the build in `settings.out`; a complete one is returned as it is.

    Args:
        settings: what to build.
        listener: is told of progress.

    Raises:
        CorpusError: the source can't be read (whole shards stay, and the same call goes on), holds no discussion, or
            the folder holds another build.
        ConfigError: an unknown language or kind of source, or articles from two places.
    """
    settings = with_instant(settings)
    salt = find_build_salt(settings)
    source = _open(settings)
    check_articles(settings.articles, source)
    language = build_language(settings.lang, source, lambda: _open(settings))
    blocked = read_blocklist(settings.blocklist, salt)
    manifest = new_manifest(settings, source, language, salt, blocked)
    asked = {name: msgspec.to_builtins(step.asked(settings)) for name, step in STAGES.items()}
    store = _store(settings.out, manifest)
    if store.manifest.state == "complete" and store.manifest.asked == asked:
        return store
    context = PageContext(language, salt, blocked, is_pseudonymous(source))
    with claimed(settings.out):
        _forget(store, asked)
        _build(store, source, context, settings, listener or Silent())
    return store


def _open(settings: BuildSettings) -> Source:
    request = Request(
        value="",
        language=settings.lang,
        namespaces=frozenset(settings.namespaces),
        pages=settings.pages,
        max_page_chars=settings.max_page_chars,
        keep_damaged=settings.damaged == "keep",
        options=settings.options,
    )
    return open_source(settings.source, request)


def _store(out: Path, manifest: Any) -> Store:
    """The store in the folder, made if there is none.

    Raises:
        CorpusError: another schema, another build, or a folder of something else.
    """
    if is_store(out):
        store = Store.open(out, unfinished=True)
        check_same(store.manifest, manifest, out)
        return store
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CorpusError(f"{out} is there already and holds no corpus of ours; give another --out")
    return Store.create(out, manifest)


def _forget(store: Store, asked: Mapping[str, Any]) -> None:
    """Take back the first stage that was asked for something else or isn't done, and all that follow it."""
    names = list(STAGES)
    pages = store.manifest.stage(PAGES)
    halves = {name for name in names if pages is not None and store.manifest.stage(name) is None}
    changed = [name for name in names if name in halves or store.manifest.asked.get(name) != asked[name]]
    gone = names[names.index(changed[0]) :] if changed else []
    sharded = pages is not None and bool(pages.facts.get("articles"))
    for name in gone:
        for table in () if sharded and name == "articles" else STAGES[name].tables:
            store.drop(table)
    stages = tuple(stage for stage in store.manifest.stages if stage.name not in gone)
    store.update(msgspec.structs.replace(store.manifest, stages=stages, asked=dict(asked), state="building", digest=""))


def _build(
    store: Store,
    source: Source,
    context: PageContext,
    settings: BuildSettings,
    listener: Listener,
) -> None:
    if store.manifest.stage(PAGES) is None:
        listener.started(PAGES)
        _pages(store, source, context, settings, listener)
    pages = store.manifest.stage(PAGES)
    history = pages is not None and bool(pages.facts.get("history"))
    stage_context = StageContext(context, source, settings, history, listener.told)
    for name, step in STAGES.items():
        if store.manifest.stage(name) is None:
            listener.started(name)
            store.finish(step.run(store, stage_context))
    store.update(msgspec.structs.replace(store.manifest, state="complete", digest=whole_digest(store)))


def _pages(store: Store, source: Source, context: PageContext, settings: BuildSettings, listener: Listener) -> None:
    """All shards that aren't whole, then the sums over all of them."""
    _sweep(store.path)
    whole = read_records(store.path)
    for record in whole:
        listener.shard(record, new=False)
    if not whole or not whole[-1].last:
        _read(store.path, source, context, settings, listener, whole)
    records = read_records(store.path)
    _something(records, source)
    tables = store.manifest.tables | table_records(store, records)
    store.update(msgspec.structs.replace(store.manifest, tables=tables))
    facts = {"shards": len(records), "history": records[-1].history, "articles": "thread_articles" in tables}
    store.finish(StageRecord(name=PAGES, facts=facts, **totals(records)))


def _read(
    folder: Path,
    source: Source,
    context: PageContext,
    settings: BuildSettings,
    listener: Listener,
    whole: list[ShardRecord],
) -> None:
    after = next((record.after for record in reversed(whole) if record.after is not None), None)
    items = _items(source, after, settings.limit, sum(record.items for record in whole))
    cutter = Cutter(settings.shard_pages, settings.shard_chars, source)
    article = source.article if isinstance(source, WikiSource) and offers_articles(source) else None
    if notice := unused(settings.workers, settings.engine, article):
        listener.noticed(notice)
    shards = cutter.cut(items, len(whole))
    for record in run_shards(shards, folder, context, settings.workers, settings.engine, article):
        listener.shard(record, new=True)


def _items(source: Source, after: str | None, limit: int | None, given: int) -> Iterator[Item]:
    items: Iterator[Item] = source.threads(after) if isinstance(source, ThreadSource) else source.pages(after)
    return items if limit is None else islice(items, max(0, limit - given))


def _something(records: list[ShardRecord], source: Source) -> None:
    """A corpus without a comment is an error, told with what was seen."""
    sums = totals(records)["counts"]
    if sums["comments"].kept:
        return
    reasons = "; ".join(f"{reason}: {count}" for reason, count in sums[PAGES].dropped.items()) or "none"
    given = sums[PAGES].given
    if isinstance(source, ThreadSource):
        told = f"no comment or post in {given} conversations (passed over: {reasons}); is it the right file?"
        raise CorpusError(f"{told} Who is on the removal list (--blocklist) is left out")
    raise CorpusError(
        f"{source.name}: no comment in {given} pages (passed over: {reasons}); is it the right dump, "
        "language (--lang) and namespace (--namespaces)?"
    )


def _sweep(folder: Path) -> None:
    """Half-written files of a build that was killed."""
    for path in folder.rglob(".*.tmp"):
        with suppress(FileNotFoundError):
            path.unlink()
