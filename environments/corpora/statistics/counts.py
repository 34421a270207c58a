"""One corpus, counted: a few passes over the columns of its tables, one row at a time."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec

from folkmoot.environments.corpora.built_feed import holds_feed
from folkmoot.environments.corpora.feed_words import TALK_STAGES, in_feed_words
from folkmoot.environments.corpora.persons import pages as page_table
from folkmoot.environments.corpora.persons import talk as trait_table
from folkmoot.environments.corpora.pseudonyms import UNATTRIBUTED
from folkmoot.environments.corpora.sampling import Sample, SampleSettings, choose_threads, count_targets
from folkmoot.environments.corpora.statistics.spread import Spread
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.talk_page.wikitext.clean import words
from folkmoot.sim.persona import NOT_DEDUCIBLE, TRAITS

ACTIVE = 5
"""Turns of a user who counts as active."""

Sentences = Callable[[str], int]


@dataclass(slots=True)
class SampleStatistics:
    """Of the experiment's sample.

    Attributes:
        sample: the chosen threads.
        before: comments before each target in its thread.
        users: authors of targets.
        men, women: those among them.
        men_sentences, women_sentences: in their targets.
    """

    sample: Sample
    before: Spread = field(default_factory=Spread)
    users: set[str] = field(default_factory=set)
    men: int = 0
    women: int = 0
    men_sentences: int = 0
    women_sentences: int = 0


@dataclass(slots=True)
class CorpusStatistics:
    """Of the kept threads of one corpus.

    Attributes:
        name, language: of the corpus.
        turn_words: words of each turn.
        thread_turns, thread_users: turns and distinct users of each thread; nobody's comments have no user.
        user_turns: user -> turns.
        page_words, profile_words: words of user pages and profiles of the corpus's users.
        with_topics, with_gender, with_profession: users whose persona states them.
        personas: users with a persona.
        unavailable: dimension -> users whose value is Not-deducible.
        malformed: dimension -> users whose value couldn't be read.
        read: users whose traits were asked for.
        sample: of the experiments; None for a feed, of which they take none.
        stages: what became of pages, threads, comments and users, from the manifest.
    """

    name: str
    language: str
    turn_words: Spread = field(default_factory=Spread)
    thread_turns: Spread = field(default_factory=Spread)
    thread_users: Spread = field(default_factory=Spread)
    user_turns: Counter[str] = field(default_factory=Counter)
    page_words: Spread = field(default_factory=Spread)
    profile_words: Spread = field(default_factory=Spread)
    with_topics: int = 0
    with_gender: int = 0
    with_profession: int = 0
    personas: int = 0
    unavailable: Counter[str] = field(default_factory=Counter)
    malformed: Counter[str] = field(default_factory=Counter)
    read: int = 0
    sample: SampleStatistics | None = None
    stages: tuple[tuple[str, str, int, int, Mapping[str, int]], ...] = ()

    @property
    def turns_per_user(self) -> Spread:
        """Turns of each user."""
        return Spread.of(self.user_turns.values())

    @property
    def active(self) -> int:
        """Users with at least five turns."""
        return sum(turns >= ACTIVE for turns in self.user_turns.values())


def measure(store: Store, sentences: Sentences, settings: SampleSettings | None = None) -> CorpusStatistics:
    """All statistics of a corpus.

    Args:
        store: a complete corpus.
        sentences: counts the sentences of a text.
        settings: of the experiment's sample.
    """
    stats = CorpusStatistics(store.manifest.name, store.manifest.language, stages=tuple(_stages(store)))
    for actors, lengths in _threads(store):
        _count_thread(stats, actors, lengths)
    genders = _count_people(stats, store)
    _count_traits(stats, store)
    if holds_feed(store):
        return stats
    stats.sample = _sampled(store, stats.user_turns, genders, sentences, settings or SampleSettings())
    return stats


def _threads(store: Store) -> Iterator[tuple[list[str], list[int]]]:
    """(actors, words) of the comments of each kept thread."""
    comments = store.rows("comments", ["actor", "words"])
    for row, reason in zip(store.rows("threads", ["comments"]), store.reasons(), strict=True):
        own = list(islice(comments, row["comments"]))
        if reason == "":
            yield [comment["actor"] for comment in own], [comment["words"] for comment in own]


def _count_thread(stats: CorpusStatistics, actors: list[str], lengths: list[int]) -> None:
    known = [actor for actor in actors if actor != UNATTRIBUTED]
    stats.thread_turns.add(len(actors))
    stats.thread_users.add(len(set(known)))
    stats.user_turns.update(known)
    stats.turn_words.counts.update(lengths)


def _count_people(stats: CorpusStatistics, store: Store) -> dict[str, str]:
    """Counts what personas state; returns stated genders."""
    genders: dict[str, str] = {}
    for persona in store.personas():
        about = persona.attributes
        if persona.id not in stats.user_turns:
            continue
        stats.personas += 1
        stats.with_topics += bool(about.contribution_topics)
        stats.with_profession += about.profession != "unknown"
        stats.with_gender += about.gender != "unknown"
        if about.gender != "unknown":
            genders[persona.id] = about.gender
        if persona.profile:
            stats.profile_words.add(words(persona.profile))
        if not store.has(trait_table.TABLE) and persona.traits:
            stats.read += 1
            stats.unavailable.update(n for n, t in persona.traits.items() if NOT_DEDUCIBLE in t.values)
    for row in store.rows(page_table.TABLE, ["id", "page_words"]):
        if row["id"] in stats.user_turns:
            stats.page_words.add(row["page_words"])
    return genders


def _count_traits(stats: CorpusStatistics, store: Store) -> None:
    for row in store.rows(trait_table.TABLE, ["reason", "traits", "malformed"]):
        if row["reason"] in trait_table.UNASKED:
            continue
        stats.read += 1
        if row["reason"]:
            stats.malformed.update(TRAITS)
            continue
        stats.malformed.update(row["malformed"])
        read: dict[str, Any] = msgspec.json.decode(row["traits"])
        stats.unavailable.update(name for name, trait in read.items() if NOT_DEDUCIBLE in trait["values"])


def _sampled(
    store: Store, turns: Mapping[str, int], genders: Mapping[str, str], sentences: Sentences, settings: SampleSettings
) -> SampleStatistics:
    least = settings.least_comments
    ids = (
        row["id"] for row, reason in zip(store.rows("threads", ["id"]), store.reasons(), strict=True) if reason == ""
    )
    counted = (
        count_targets(thread, actors, turns, genders, least)
        for thread, (actors, _) in zip(ids, _threads(store), strict=True)
    )
    stats = SampleStatistics(choose_threads(counted, settings))
    chosen = frozenset(stats.sample.threads)
    if chosen:
        for thread in store.threads():
            if thread.id in chosen:
                for place, comment in enumerate(thread.comments):
                    if place and turns.get(comment.actor, 0) >= least:
                        _count_target(
                            stats, place, comment.actor, genders.get(comment.actor, ""), comment.text, sentences
                        )
    stats.men = sum(genders.get(user) == "man" for user in stats.users)
    stats.women = sum(genders.get(user) == "woman" for user in stats.users)
    return stats


def _count_target(
    stats: SampleStatistics, place: int, actor: str, gender: str, text: str, sentences: Sentences
) -> None:
    stats.before.add(place)
    stats.users.add(actor)
    if gender == "man":
        stats.men_sentences += sentences(text)
    elif gender == "woman":
        stats.women_sentences += sentences(text)


def _stages(store: Store) -> Iterator[tuple[str, str, int, int, Mapping[str, int]]]:
    """Of every stage what became of things; of a feed's in its own words, conversations once."""
    feed = holds_feed(store)
    for stage in store.manifest.stages:
        for thing, tally in stage.counts.items():
            if not feed:
                yield stage.name, thing, tally.given, tally.kept, tally.dropped
            elif stage.name not in TALK_STAGES and thing != "pages":
                dropped = {in_feed_words(reason): count for reason, count in tally.dropped.items()}
                yield in_feed_words(stage.name), in_feed_words(thing), tally.given, tally.kept, dropped
