"""A corpus in three disjoint parts: what personas remember, what threads start from, what a run is compared with."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.leakage import sources, text_keys
from folkmoot.environments.corpora.parting import Cut, cut_by_thread, cut_by_time, cut_by_user
from folkmoot.environments.corpora.people import build_personas, with_profile
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.events import Event, TextEvent
from folkmoot.sim.persona import Frozen, Persona
from folkmoot.sim.rng import digest

LEAST_USERS = 2
"""A population that talks needs two."""

Threads = Sequence[tuple[str, Sequence[TextEvent]]]


class Leak(CorpusError):
    """Something stands in the reference and in another part of a split.

    Attributes:
        thing: what it is: "user", "comment" or "the text".
        first: the first such: a pseudonym, an id in the source, or a text's beginning.
        count: how many there are.
    """

    def __init__(self, corpus: str, thing: str, first: str, count: int) -> None:
        super().__init__(
            f"{corpus}: {thing} {first!r} stands in the reference and in the history or the openings ({count} such, "
            "0 allowed); split the corpus by time, or take the repeated comment out"
        )
        self.thing, self.first, self.count = thing, first, count


class SplitSettings(Frozen):
    """How to split.

    Attributes:
        by: `time` at which threads opened; `thread`: by lot; `user`: users by lot, with threads that are theirs alone.
        fraction: of the threads (or users), the share before the split (where personas bring no history).
        openings: how many of those, the latest, are openings; None: `openings_share` of them.
        openings_share: the share of openings: of the threads before the instant (raw pages), or of all (personas).
        first_comments: how many comments of an opening are used.
        opening_days: of a feed, the posts of so many days before the instant are openings.
        min_history: comments that a user needs in the history part to become a persona.
        seed: of the lots.
    """

    by: Literal["time", "thread", "user"] = "time"
    fraction: float = Field(default=0.6, gt=0, lt=1)
    openings: int | None = Field(default=None, ge=1)
    openings_share: float = Field(default=1 / 3, gt=0, lt=1)
    first_comments: int = Field(default=1, ge=1)
    opening_days: float = Field(default=7, gt=0)
    min_history: int = Field(default=1, ge=1)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Split:
    """Three disjoint parts; threads by id, each in order of opening.

    Attributes:
        history: threads that personas remember; empty where personas bring their own history.
        openings: threads whose first comments a simulation starts from.
        reference: threads of the population to compare with.
        personas: by pseudonym.
        before: the instant of the split, milliseconds; comments of earlier threads from then on are in no part.
            None where personas bring their own history.
        first_comments: how many comments of each opening are used.
        losses: what is in no part, counted by reason.
        facts: sizes, for the manifest.
    """

    history: tuple[str, ...]
    openings: tuple[str, ...]
    reference: tuple[str, ...]
    personas: Mapping[str, Persona]
    before: int | None
    first_comments: int = 1
    losses: Counter[str] = field(default_factory=Counter)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def opening_events(self, corpus: Corpus) -> list[TextEvent]:
        """The first comments of the openings, in order of opening."""
        threads = corpus.threads()
        return [event for thread in self.openings for event in threads[thread][: self.first_comments]]

    def first_events(self, corpus: Corpus) -> Sequence[Event]:
        """What enters a run before it starts, in order of time: the openings."""
        return sorted(self.opening_events(corpus), key=lambda event: (event.time, event.seq))

    def reference_events(self, corpus: Corpus) -> list[TextEvent]:
        """All comments of the reference population, thread by thread."""
        threads = corpus.threads()
        return [event for thread in self.reference for event in threads[thread]]

    def history_events(self, corpus: Corpus) -> list[TextEvent]:
        """The comments of the history threads before the instant of the split."""
        threads = corpus.threads()
        events = (event for thread in self.history for event in threads[thread])
        return [event for event in events if self.before is None or event.time < self.before]


def split(corpus: Corpus, settings: SplitSettings | None = None) -> Split:
    """Split a corpus by thread and time, and check that nothing leaks.

    A raw page: threads that opened before an instant give history and openings (the latest of them), those that
    opened at it or later are the reference. A corpus whose personas have a history of their own: the earliest threads
    are openings, the others the reference. One whose personas have none is split as a raw page is, and who gets a
    history keeps the profile, attributes and traits that the corpus tells of them.

    Raises:
        Leak: something stands in two parts.
        CorpusError: too few threads or users for three parts.
    """
    settings = settings or SplitSettings()
    threads = sorted(corpus.threads().items(), key=lambda item: (item[1][0].time, item[1][0].seq))
    whole = corpus.personas and corpus.remembering
    parts = _by_personas(corpus, threads, settings) if whole else _by_cut(corpus, threads, settings)
    check_leakage(corpus, parts, apart=settings.by == "user")
    return parts


def _cut(threads: Threads, settings: SplitSettings, losses: Counter[str]) -> Cut:
    if settings.by == "thread":
        return cut_by_thread(threads, settings.fraction, settings.seed)
    if settings.by == "user":
        return cut_by_user(threads, settings.fraction, settings.seed, losses)
    return cut_by_time(threads, settings.fraction)


def _by_personas(corpus: Corpus, threads: Threads, settings: SplitSettings) -> Split:
    """The earliest threads open, those that the lot names, or those of the users that it names."""
    _enough(corpus, "thread", "", len(threads), 2)
    losses: Counter[str] = Counter()
    personas = corpus.personas
    before: Threads = threads
    after: Threads = ()
    if settings.by == "user":
        cut = cut_by_user(threads, settings.fraction, settings.seed, losses)
        before, after = cut.before, cut.after
        personas = {user: persona for user, persona in corpus.personas.items() if user in (cut.users or ())}
        _enough(corpus, "thread", "of either side's users alone", min(len(before), len(after)), 1)
    elif settings.by == "thread":
        before = sorted(threads, key=lambda item: digest(settings.seed, "split", item[0]))
    count = settings.openings or round(len(before) * settings.openings_share)
    count = max(1, min(count, len(before))) if after else _within(corpus, count, len(before))
    openings, reference = _ids(before[:count]), _ids(after or before[count:])
    losses["later comments of openings"] = sum(max(len(e) - settings.first_comments, 0) for _, e in before[:count])
    losses["threads of the openings' users that are no opening"] = len(before) - count if after else 0
    facts = _facts(corpus, (), openings, reference, None, losses)
    return Split((), openings, reference, personas, None, settings.first_comments, +losses, facts)


def _by_cut(corpus: Corpus, threads: Threads, settings: SplitSettings) -> Split:
    _enough(corpus, "thread", "", len(threads), 3)
    losses: Counter[str] = Counter()
    cut = _cut(threads, settings, losses)
    before, after = cut.before, cut.after
    _enough(corpus, "thread", _where(cut), len(before), 2)
    _enough(corpus, "thread", "on the other side of the split", len(after), 1)
    instant = cut.instant if cut.instant is not None else 1 + max(e.time for _, events in before for e in events)
    openings = _latest_openings(corpus, before, after, settings, losses)
    history = [item for item in before if item[0] not in openings]
    repeated = frozenset(text_keys(event.text for _, events in after for event in events))
    personas = build_personas(corpus.language, history, before, instant, repeated, settings.min_history, losses)
    personas = {user: with_profile(persona, corpus.personas.get(user)) for user, persona in personas.items()}
    _enough(corpus, "user", f"with {_comments(settings.min_history)} in the history part", len(personas), LEAST_USERS)
    _count_unused(before, openings, instant, settings, losses)
    parts = _ids(history), openings, _ids(after)
    facts = _facts(corpus, *parts, cut.instant, losses)
    return Split(*parts, personas, cut.instant, settings.first_comments, +losses, facts)


def _where(cut: Cut) -> str:
    if cut.instant is not None:
        return f"that opened before the instant of the split ({cut.instant} ms)"
    return "on this side of the split"


def _ids(threads: Threads) -> tuple[str, ...]:
    return tuple(thread for thread, _ in threads)


def _enough(corpus: Corpus, noun: str, which: str, count: int, least: int) -> None:
    if count < least:
        found = f"{count} {noun if count == 1 else noun + 's'}{which and ' ' + which}"
        raise CorpusError(
            f"{corpus.name}: {found}, at least {least} needed to tell history, openings and reference "
            f"apart; take a longer page or a folder of pages, or change population.fraction or population.min_history"
        )


def _comments(least: int) -> str:
    return "at least one comment" if least == 1 else f"at least {least} comments"


def _within(corpus: Corpus, count: int, available: int) -> int:
    """At least one opening, and at least one thread left."""
    if count >= available:
        raise CorpusError(
            f"{corpus.name}: {count} openings asked for, at most {available - 1} can be given out of {available} "
            f"threads; lower population.openings"
        )
    return max(count, 1)


def _latest_openings(
    corpus: Corpus, before: Threads, after: Threads, settings: SplitSettings, losses: Counter[str]
) -> tuple[str, ...]:
    """The latest threads before the instant, without those whose first comments stand in the reference too."""
    said = text_keys(event.text for _, events in after for event in events).keys()
    first = settings.first_comments
    fit = [item for item in before if said.isdisjoint(text_keys(event.text for event in item[1][:first]))]
    losses["openings passed over: their text stands in the reference too"] = len(before) - len(fit)
    count = _within(corpus, settings.openings or round(len(before) * settings.openings_share), len(before))
    _enough(corpus, "thread", "to open with (not repeated in the reference)", len(fit), 1)
    return _ids(fit[-count:])


def _count_unused(
    before: Threads, openings: Sequence[str], instant: int, settings: SplitSettings, losses: Counter[str]
) -> None:
    """Comments that are in no part."""
    for thread, events in before:
        late = [event.time >= instant for event in events]
        if thread in openings:
            late, rest = late[: settings.first_comments], late[settings.first_comments :]
            losses["later comments of openings"] += len(rest)
        losses["comments after the instant of the split in threads from before it"] += sum(late)


def _facts(
    corpus: Corpus,
    history: Sequence[str],
    openings: Sequence[str],
    reference: Sequence[str],
    instant: int | None,
    losses: Counter[str],
) -> dict[str, Any]:
    threads = corpus.threads()
    return {
        "before": instant,
        "history_threads": len(history),
        "opening_threads": len(openings),
        "reference_threads": len(reference),
        "reference_comments": sum(len(threads[thread]) for thread in reference),
        "losses": dict(+losses),
    }


def check_leakage(corpus: Corpus, parts: Split, *, apart: bool = False) -> None:
    """Make sure that the reference holds nothing that personas remember or that threads start from.

    Compared are ids in the source, and texts of over 8 words without case and punctuation.

    Args:
        corpus: that was split.
        parts: of it.
        apart: personas may not write in the reference either (a split by user).

    Raises:
        Leak: something stands in the reference and in another part; the first such thing is named.
    """
    reference, openings = parts.reference_events(corpus), parts.opening_events(corpus)
    writing = {event.actor for event in reference} & set(parts.personas) if apart else set()
    if writing:
        raise Leak(corpus.name, "user", min(writing), len(writing))
    shared = sources(reference) & (sources(openings) | sources(parts.history_events(corpus)))
    if shared:
        raise Leak(corpus.name, "comment", min(shared), len(shared))
    memories = (c.text for p in parts.personas.values() for item in p.history for c in item.comments)
    used = text_keys((*(event.text for event in openings), *memories))
    said = [key for key in text_keys(event.text for event in reference) if key in used]
    if said:
        raise Leak(corpus.name, "the text", used[said[0]][:80], len(said))
