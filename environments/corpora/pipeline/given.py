"""What a source itself says of people, as personas."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_origin

from folkmoot.environments.corpora.pipeline.context import StageContext
from folkmoot.environments.corpora.pseudonyms import Pseudonyms
from folkmoot.environments.corpora.sources.base import KEPT, SourcePerson, ThreadSource
from folkmoot.environments.corpora.sources.person_fields import sound
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.store.manifest import tally
from folkmoot.environments.corpora.store.tables import Row
from folkmoot.sim.persona import Attributes, Persona

TABLE = "given_personas"
COLUMNS = {"id": "string", "persona": "string"}
FIXED = frozenset(
    {"values", *(name for name, of in Attributes.model_fields.items() if get_origin(of.annotation) is Literal)}
)
"""Fields whose values are chosen from a list, those of traits and of attributes; a wrong one isn't written anywhere."""


def add_given(store: Store, context: StageContext) -> StageRecord:
    """Write `given_personas`, empty where the source says nothing; a wrong field costs no person and is counted."""
    dropped: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    before = Counter(context.source.losses)
    people = list(context.source.people()) if isinstance(context.source, ThreadSource) else []
    names = Pseudonyms(context.page.salt, context.page.language, [person.author for person in people])
    record = store.write(TABLE, _rows(people, names, context, store.manifest.language, dropped, wrong), COLUMNS)
    told = _told(Counter(context.source.losses) - before, names)
    notes = {reason: count for reason, count in sorted((told + wrong).items()) if KEPT in reason}
    dropped.update({reason: count for reason, count in told.items() if reason not in notes})
    counts = {"people": tally(record.rows, dropped)} if record.rows or dropped else {}
    return StageRecord(name="given", counts=counts, notes=notes)


def _told(losses: Counter[str], names: Pseudonyms) -> Counter[str]:
    """What a source couldn't read, by reason; a reason may quote a wrong value, and that a name."""
    told: Counter[str] = Counter()
    for reason, count in losses.items():
        told[names.text(reason)] += count
    return told


def _rows(
    people: Iterable[SourcePerson],
    names: Pseudonyms,
    context: StageContext,
    language: str,
    dropped: Counter[str],
    wrong: Counter[str],
) -> Iterator[Row]:
    seen: set[str] = set()
    for person in people:
        made = _persona(person, names, context, language, wrong)
        if made.id in context.page.blocked:
            dropped["users on the blocklist"] += 1
        elif made.id in seen:
            dropped["named a second time"] += 1
        else:
            seen.add(made.id)
            yield {"id": made.id, "persona": made.model_dump_json()}


def _persona(
    person: SourcePerson, names: Pseudonyms, context: StageContext, language: str, wrong: Counter[str]
) -> Persona:
    """The persona, without the fields that are wrong; a profile may name any of the people."""
    kept = context.page.pseudonymous
    fields, faults = sound(dict(person.fields) if kept else hide(person.fields, names))
    wrong.update(f"people {KEPT}) without a wrong {names.text(name)}" for name, _ in faults)
    return Persona.model_validate(
        {"language": language, **fields, "id": person.author if kept else names.of(person.author)}
    )


def hide(fields: Mapping[str, Any], names: Pseudonyms) -> dict[str, Any]:
    """A person's fields with names replaced in every free text; values out of a fixed list stay as they are."""
    return {key: value if key in FIXED else _hidden(value, names) for key, value in fields.items()}


def _hidden(value: Any, names: Pseudonyms) -> Any:
    if isinstance(value, str):
        return names.text(value)
    if isinstance(value, Mapping):
        return hide(value, names)
    if isinstance(value, Sequence):
        return [_hidden(item, names) for item in value]
    return value
