"""A user's threads for the traits: at most so many of them, drawn by the seed, a block of users at a time."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import heappush, heapreplace
from itertools import islice

from folkmoot.environments.corpora.persons.settings import PersonSettings
from folkmoot.environments.corpora.records import ThreadRecord
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.store.tables import Row
from folkmoot.sim.persona import Trait
from folkmoot.sim.readings import OwnThread, PersonReader, TraitReading, UserTalk
from folkmoot.sim.rng import integer

TABLE = "traits"
COLUMNS = {
    "id": "string",
    "reason": "string",  # "" where the answer could be read
    "traits": "string",  # JSON: dimension -> values and reasoning
    "malformed": "texts",  # dimensions that couldn't be read
    "threads": "texts",  # ids of the threads that were shown
    "repaired": "bool",
    "notes": "texts",
}
"""Of `traits`: one row a chosen user, by pseudonym."""

TOO_FEW = "too few comments of their own (personas.least_comments)"
NOTHING = "no thread before the instant (personas.until)"
UNASKED = frozenset({TOO_FEW, NOTHING})
"""Reasons for which a model isn't asked about a user."""

Draw = dict[str, list[tuple[int, str]]]
"""User -> (minus a random number, thread) of the threads drawn so far: a heap whose first is the next to go."""


def draw_threads(store: Store, users: Collection[str], settings: PersonSettings) -> dict[str, tuple[str, ...]]:
    """User -> ids of the threads that are read, maybe none; it depends on the seed, the user and the thread alone."""
    drawn: Draw = {user: [] for user in users}
    rows = store.rows("threads", ["id", "people", "first"])
    for row, reason in zip(rows, store.reasons(), strict=True):
        if reason == "" and (settings.until is None or row["first"] < settings.until):
            for user in row["people"]:
                if user in drawn:
                    _push(drawn[user], user, row["id"], settings)
    return {user: tuple(thread for _, thread in sorted(heap, reverse=True)) for user, heap in sorted(drawn.items())}


def _push(heap: list[tuple[int, str]], user: str, thread: str, settings: PersonSettings) -> None:
    entry = (-integer(settings.seed, "traits", user, thread), thread)
    if len(heap) < settings.trait_threads:
        heappush(heap, entry)
    elif entry > heap[0]:
        heapreplace(heap, entry)


def trait_rows(
    store: Store, drawn: dict[str, tuple[str, ...]], reader: PersonReader, settings: PersonSettings
) -> Iterator[Row]:
    """A row for each user, block by block; each block reads the kept threads once.

    Who isn't asked about has a row too, with the reason.
    """
    users = iter(drawn)
    while block := list(islice(users, settings.at_once)):
        talks = _talks(store, {user: drawn[user] for user in block}, settings.until)
        language = store.manifest.language
        reasons = {user: _unread(talks[user], settings) for user in block}
        read = reader.traits([UserTalk(user, language, talks[user]) for user in block if not reasons[user]])
        rows = {reading.user: _row(reading) for reading in read}
        for user in block:
            yield _row(TraitReading(user, reasons[user])) if reasons[user] else rows[user]


def _unread(threads: Sequence[OwnThread], settings: PersonSettings) -> str:
    """Why nothing is asked about a user; "" where something is."""
    if not threads:
        return NOTHING
    return TOO_FEW if _own(threads) < settings.least_comments else ""


def _talks(store: Store, drawn: dict[str, tuple[str, ...]], until: int | None) -> dict[str, tuple[OwnThread, ...]]:
    wanted: dict[str, list[str]] = defaultdict(list)
    for user, threads in drawn.items():
        for thread in threads:
            wanted[thread].append(user)
    found: dict[tuple[str, str], OwnThread] = {}
    for record in store.threads():
        for user in wanted.get(record.id, ()):
            found[user, record.id] = own_thread(record, user, until)
    return {user: tuple(found[user, thread] for thread in threads) for user, threads in drawn.items()}


def own_thread(thread: ThreadRecord, user: str, until: int | None = None) -> OwnThread:
    """The thread up to the user's last comment, as a reader is shown it."""
    comments = [c for c in thread.comments if until is None or c.time < until]
    last = max((place for place, c in enumerate(comments) if c.actor == user), default=-1)
    return OwnThread(thread.id, thread.title, tuple((c.actor == user, c.text) for c in comments[: last + 1]))


def _own(threads: Iterable[OwnThread]) -> int:
    return sum(own and bool(text) for thread in threads for own, text in thread.comments)


def _row(reading: TraitReading) -> Row:
    import msgspec

    traits = {name: {"values": trait.values, "reasoning": trait.reasoning} for name, trait in reading.traits.items()}
    return {
        "id": reading.user,
        "reason": reading.reason,
        "traits": msgspec.json.encode(traits).decode(),
        "malformed": list(reading.malformed),
        "threads": list(reading.threads),
        "repaired": reading.repaired,
        "notes": list(reading.notes),
    }


def read_traits(row: Row) -> dict[str, Trait]:
    """The traits of a row."""
    import msgspec

    return {name: Trait.model_validate(trait) for name, trait in msgspec.json.decode(row["traits"]).items()}


def drawn_threads(rows: Iterable[Row]) -> dict[str, Sequence[str]]:
    """User -> threads that the traits were read from: what a split must not take as reference without a word."""
    return {row["id"]: row["threads"] for row in rows}
