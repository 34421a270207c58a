"""What was built, in a few lines: what came in, what was kept, what was dropped and why; and the next step."""

from collections.abc import Iterator, Mapping

from folkmoot.environments.corpora.built_feed import holds_feed
from folkmoot.environments.corpora.feed_words import TALK_STAGES, in_feed_words
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.store.manifest import StageRecord, Tally

CONVERSATIONS, FEED = "conversations", "feed"

PASSES = frozenset({"translation", "captions"})
"""Stages of a model, told even where nothing was lost."""

FEWEST = 2
"""Users of a community."""


def summary(store: Store) -> Iterator[str]:
    """What was built, line by line; a feed is told in the words of one."""
    manifest = store.manifest
    yield f"{manifest.name} ({manifest.language}) in {store.path}"
    feed = holds_feed(store)
    for stage in sorted(manifest.stages, key=lambda stage: stage.name != FEED) if feed else manifest.stages:
        yield from _feed_stage(stage) if feed else _stage(stage)
    people = manifest.stage("people")
    users = people.facts["users"] if people is not None else 0
    if people is not None:
        yield f"  {users:,} user{'' if users == 1 else 's'}"
    yield f"  digest {manifest.digest}"
    yield f"Next: {_next(store, users, feed=feed)}"


def _stage(stage: StageRecord, done: str = "kept") -> Iterator[str]:
    for thing, count in stage.counts.items():
        yield f"  {stage.name}: {count.kept:,} of {count.given:,} {thing} {done}"
        yield from _reasons(count)
    yield from _notes(stage.notes)


def _feed_stage(stage: StageRecord) -> Iterator[str]:
    """Of conversations only what was lost is told: the stage `feed` counts the posts of the archives."""
    if stage.name in TALK_STAGES:
        return
    if stage.name in PASSES:
        yield from _stage(stage, "done")
        return
    for thing, count in stage.counts.items():
        if stage.name == "given":
            yield f"  descriptions of {count.kept:,} of {count.given:,} users kept"
        elif stage.name == FEED:
            yield f"  {count.kept:,} of {count.given:,} {thing} kept"
        elif count.dropped and thing != "pages":
            yield f"  {count.kept:,} of {count.given:,} {in_feed_words(thing)} kept of these"
        else:
            continue
        yield from map(in_feed_words, _reasons(count))
    yield from map(in_feed_words, _notes(stage.notes))


def _reasons(count: Tally) -> Iterator[str]:
    for reason, dropped in sorted(count.dropped.items(), key=lambda item: (-item[1], item[0])):
        yield f"    {dropped:,} {reason}"


def _notes(notes: Mapping[str, int]) -> Iterator[str]:
    for note, count in sorted(notes.items(), key=lambda item: (-item[1], item[0])):
        yield f"    {count:,} {note}{'' if '(kept' in note else ' (kept)'}"


def _next(store: Store, users: int, *, feed: bool) -> str:
    place = " environment=social_feed" if feed else ""
    if users >= FEWEST:
        return f"folkmoot run experiment=community{place} corpus=built corpus.path={store.path}"
    more = (
        "join more archives (--from A,B or --from A,demo_feed:en), or read this user's interests: "
        f"folkmoot profile gold --from {store.path} --out gold llm=..."
        if feed
        else f"build it of more pages, or look at it: folkmoot corpus stats {store.path}"
    )
    return f"a run takes at least {FEWEST} users; {more}"
