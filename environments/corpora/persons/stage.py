"""The stage `personas`: profiles, the choice of users and threads, traits, and the personas made of them.

Without a reader (no model was given) the source's own personas are chosen from; where there are none either, everybody
stays and only overlong threads go. Every answer of a model is kept in its cache, so an interrupted stage loses nothing.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from folkmoot.environments.corpora.filters import KEPT, Candidate, ThreadFilter, choose_users
from folkmoot.environments.corpora.persons import pages, talk
from folkmoot.environments.corpora.persons.selection import selection_rows
from folkmoot.environments.corpora.persons.settings import PersonSettings
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.store.manifest import Tally, tally
from folkmoot.environments.corpora.store.tables import Row
from folkmoot.sim.persona import Attributes, Persona
from folkmoot.sim.readings import PersonReader

STAGE = "personas"
GIVEN = "given_personas"
"""Table: what the source itself says of people."""


def begin_anew(store: Store) -> None:
    """Take a corpus's completeness back before its people are read again.

    Its tables are replaced one after the other: until the last one is, nobody may take the corpus for a whole one.
    """
    others = tuple(stage for stage in store.manifest.stages if stage.name != STAGE)
    store.update(msgspec.structs.replace(store.manifest, state="building", digest="", stages=others))


def add_personas(
    store: Store,
    settings: PersonSettings | None = None,
    reader: PersonReader | None = None,
    facts: Mapping[str, Any] | None = None,
) -> StageRecord:
    """Write `profiles`, `selection`, `traits` and `personas`; they replace earlier ones.

    Args:
        store: with the tables of the pages stage and `people`.
        settings: of the choice.
        reader: a model that reads people; None: no profile and no trait is read.
        facts: of the reader (model, prompt hashes), for the manifest.

    Raises:
        ModelError: a call failed for good; asking again makes only the missing calls.
    """
    settings = settings or PersonSettings()
    counts: dict[str, Tally] = {}
    if reader is not None:
        counts["user pages"] = _read_pages(store, reader)
    keep = _select(store, settings)
    counts["threads"] = tally(keep.reasons[KEPT], {why: n for why, n in keep.reasons.items() if why != KEPT})
    writers = _writers(store)
    chosen = writers if keep.chosen is None else writers & set(keep.chosen)
    counts["users"] = _users(store, chosen, keep.chosen)
    if reader is not None:
        counts["traits"] = _read_traits(store, chosen, reader, settings)
    made = store.write_personas(_personas(store, chosen))
    return StageRecord(
        name=STAGE,
        settings=settings.model_dump(mode="json", exclude={"at_once"}),
        counts=counts,
        notes=_notes(store),
        facts={"personas": made.rows, **(facts or {})},
    )


def given(store: Store) -> Iterator[Persona]:
    """The source's own personas."""
    for row in store.rows(GIVEN):
        yield Persona.model_validate_json(row["persona"])


def _read_pages(store: Store, reader: PersonReader) -> Tally:
    people = frozenset(row["id"] for row in store.rows("people", ["id"]))
    language = store.manifest.language
    store.write(pages.TABLE, pages.profile_rows(store, people, reader, language), pages.COLUMNS)
    return _tally(store.rows(pages.TABLE, ["reason"]))


def _select(store: Store, settings: PersonSettings) -> ThreadFilter:
    candidates = list(_candidates(store))
    chosen = frozenset(choose_users(candidates, settings.filters)) if candidates else None
    keep = ThreadFilter(settings.filters, chosen)
    store.drop("selection")
    store.write("selection", selection_rows(store, keep))
    return keep


def _candidates(store: Store) -> Iterator[Candidate]:
    """Users with a profile, each once: the source's own, then those that a model read."""
    seen: set[str] = set()
    for persona in given(store):
        if persona.profile or persona.traits:
            seen.add(persona.id)
            yield Candidate(persona.id, persona.attributes)
    for row in store.rows(pages.TABLE, ["id", "reason", "attributes"]):
        if not row["reason"] and row["id"] not in seen:
            yield Candidate(row["id"], Attributes.model_validate_json(row["attributes"]))


def _writers(store: Store) -> frozenset[str]:
    """Everybody who writes in a kept thread."""
    rows = zip(store.rows("threads", ["people"]), store.reasons(), strict=True)
    return frozenset(user for row, reason in rows if reason == "" for user in row["people"])


def _users(store: Store, chosen: Collection[str], profiled: Collection[str] | None) -> Tally:
    """Of all who write in the corpus, those who stay."""
    dropped: Counter[str] = Counter()
    for row in store.rows("people", ["id"]):
        if row["id"] not in chosen:
            known = profiled is None or row["id"] in profiled
            dropped["in no thread that was kept" if known else "without a profile, or not among the chosen"] += 1
    return tally(len(chosen), dropped)


def _read_traits(store: Store, chosen: frozenset[str], reader: PersonReader, settings: PersonSettings) -> Tally:
    drawn = talk.draw_threads(store, chosen, settings)
    store.write(talk.TABLE, talk.trait_rows(store, drawn, reader, settings), talk.COLUMNS)
    return _tally(store.rows(talk.TABLE, ["reason"]))


def _tally(rows: Iterable[Row]) -> Tally:
    reasons = Counter(row["reason"] for row in rows)
    kept = reasons.pop("", 0)
    return tally(kept, reasons)


def _personas(store: Store, chosen: Collection[str]) -> Iterator[Persona]:
    """The chosen users, by pseudonym; what the source says of a user goes before what a model read."""
    made = {persona.id: persona for persona in given(store) if persona.id in chosen}
    for row in store.rows(pages.TABLE):
        if row["id"] in chosen and not row["reason"] and row["id"] not in made:
            attributes = Attributes.model_validate_json(row["attributes"])
            made[row["id"]] = Persona(
                id=row["id"], language=store.manifest.language, profile=row["profile"], attributes=attributes
            )
    for row in store.rows(talk.TABLE):
        if row["reason"]:
            continue  # nothing was read
        base = made.get(row["id"])
        if base is None and row["id"] in chosen:
            base = Persona(id=row["id"], language=store.manifest.language)
        if base is not None and not base.traits:
            made[row["id"]] = base.model_copy(update={"traits": talk.read_traits(row)})
    yield from (made[user] for user in sorted(made))


def _notes(store: Store) -> dict[str, int]:
    """What was kept with doubt."""
    notes: Counter[str] = Counter()
    for row in store.rows(pages.TABLE, ["repaired", "notes"]):
        notes["profiles after a repair"] += row["repaired"]
        notes["pages shortened"] += bool(row["notes"])
    for row in store.rows(talk.TABLE, ["repaired", "notes", "malformed"]):
        notes["trait answers after a repair"] += row["repaired"]
        notes["trait questions shortened"] += bool(row["notes"])
        notes["malformed traits"] += len(row["malformed"])
    return dict(sorted((+notes).items()))
