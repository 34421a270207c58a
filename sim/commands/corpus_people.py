"""`folkmoot corpus personas`: a model reads the people of a built corpus; a second call asks only what is missing."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.agents.llm.build import build_pool
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.profiles import ModelReader, ReaderConfig, reading_hashes
from folkmoot.environments.corpora.persons import PersonSettings, add_personas
from folkmoot.environments.corpora.persons.stage import STAGE, begin_anew
from folkmoot.environments.corpora.pipeline.totals import whole_digest
from folkmoot.environments.corpora.privacy import check_profile
from folkmoot.environments.corpora.store import Store
from folkmoot.sim.claim import claimed
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.experiments.settings import RunConfig

OWN = ("personas", "reader")
"""Prefixes of overrides that aren't Hydra's: personas.filters.max_users=500, reader.in_flight=4."""


@contextmanager
def reading(overrides: Sequence[str]) -> Iterator[tuple[ModelReader, dict[str, Any], Pool]]:
    """A reader around the model of these overrides (llm=..., seed=..., reader.KEY=...), and what is known of it.

    Raises:
        ConfigError: an unknown key or value.
        ModelMissing: the backend isn't installed.
    """
    own, hydra = parted(overrides)
    config = check(RunConfig, compose(["tracking=none", *hydra]))
    settings = check(ReaderConfig, own["reader"], "reader")
    pool = build_pool(config.llm, config.seed)
    facts = {"model": pool.name, "repeatable": pool.repeatable, "prompts": reading_hashes()}
    with ModelReader(pool, settings, config.seed, check_profile) as reader:
        try:
            yield reader, facts, pool
        finally:
            reader.run(pool.close())


def parted(overrides: Sequence[str]) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Overrides of our own groups as nested values, and the others.

    >>> parted(["llm=scripted", "personas.filters.max_users=5"])
    ({'personas': {'filters': {'max_users': '5'}}, 'reader': {}}, ['llm=scripted'])
    """
    own: dict[str, dict[str, Any]] = {name: {} for name in OWN}
    others: list[str] = []
    for override in overrides:
        key, equals, value = override.partition("=")
        group, *path = key.split(".")
        if group not in OWN:
            others.append(override)
            continue
        if not path or not equals:
            raise ConfigError(f"{override!r}: write {group}.KEY=VALUE")
        place = own[group]
        for step in path[:-1]:
            place = place.setdefault(step, {})
        place[path[-1]] = value
    return own, others


def personas(path: Path, overrides: Sequence[str]) -> str:
    """Read the people of a corpus; returns what to print.

    An interrupted reading leaves a corpus that isn't complete; the same command makes only the missing calls.

    Raises:
        CorpusError: no corpus there whose pages are read.
        ModelError: a call failed for good; the same command makes only the missing calls.
    """
    store = _opened(path)
    own, _ = parted(overrides)
    settings = check(PersonSettings, own["personas"], "personas")
    with claimed(path), reading(overrides) as (reader, facts, pool):
        begin_anew(store)
        record = add_personas(store, settings, reader, facts)
        store.finish(record)
        store.update(msgspec.structs.replace(store.manifest, state="complete", digest=whole_digest(store)))
        calls = pool.counters
    lines = [f"{store.manifest.name} ({store.manifest.language}) read by {facts['model']}"]
    lines += _counted(store.manifest.stage(STAGE))
    lines.append(f"  {calls.calls:,} questions, {calls.cached:,} answered from the cache, {calls.tokens:,} tokens")
    return "\n".join(lines)


def _opened(path: Path) -> Store:
    """A complete corpus, or one that lacks nothing but the reading of its people."""
    store = Store.open(path, unfinished=True)
    return Store.open(path) if store.manifest.stage("given") is None else store


def _counted(record: Any) -> Iterator[str]:
    counts: Mapping[str, Any] = record.counts
    for thing, count in counts.items():
        yield f"  {count.kept:,} of {count.given:,} {thing}"
        for reason, dropped in sorted(count.dropped.items(), key=lambda item: (-item[1], item[0])):
            yield f"    {dropped:,} {reason}"
    for note, count in record.notes.items():
        yield f"  {count:,} {note}"
