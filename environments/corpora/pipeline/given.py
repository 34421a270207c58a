"""What a source itself says of people, as personas."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from folkmoot.environments.corpora.pipeline.context import StageContext
from folkmoot.environments.corpora.pseudonyms import Pseudonyms
from folkmoot.environments.corpora.sources.base import KEPT, SourcePerson
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.store.manifest import tally
from folkmoot.environments.corpora.store.tables import Row
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import Persona

TABLE = "given_personas"
COLUMNS = {"id": "string", "persona": "string"}


def add_given(store: Store, context: StageContext) -> StageRecord:
    """Write `given_personas`, empty where the source says nothing; a wrong field costs its person and is counted."""
    dropped: Counter[str] = Counter()
    before = Counter(context.source.losses)
    record = store.write(TABLE, _rows(context, store.manifest.language, dropped), COLUMNS)
    told = Counter(context.source.losses) - before
    notes = {reason: count for reason, count in sorted(told.items()) if KEPT in reason}
    dropped.update({reason: count for reason, count in told.items() if reason not in notes})
    counts = {"people": tally(record.rows, dropped)} if record.rows or dropped else {}
    return StageRecord(name="given", counts=counts, notes=notes)


def _rows(context: StageContext, language: str, dropped: Counter[str]) -> Iterator[Row]:
    seen: set[str] = set()
    people = list(context.source.people()) if hasattr(context.source, "people") else []
    names = Pseudonyms(context.page.salt, context.page.language, {person.author for person in people})
    for person in people:
        made = _persona(person, names, context, language)
        if isinstance(made, str):
            dropped[made] += 1
        elif made.id in context.page.blocked:
            dropped["users on the blocklist"] += 1
        elif made.id in seen:
            dropped["named a second time"] += 1
        else:
            seen.add(made.id)
            yield {"id": made.id, "persona": made.model_dump_json()}


def _persona(person: SourcePerson, names: Pseudonyms, context: StageContext, language: str) -> Persona | str:
    """The persona, or why there is none; a profile may name any of the people."""
    kept = context.page.pseudonymous
    fields = dict(person.fields) if kept else hide(dict(person.fields), names)
    try:
        return Persona.model_validate(
            {"language": language, **fields, "id": person.author if kept else names.of(person.author)}
        )
    except ValidationError as error:
        where = ".".join(str(step) for step in error.errors()[0]["loc"])
        return f"with a wrong value in {where}"
    except ConfigError as error:
        return f"with a wrong value ({str(error).split(':')[0]})"


def hide(value: Any, names: Pseudonyms) -> Any:
    """The same with names replaced in every text."""
    if isinstance(value, str):
        return names.text(value)
    if isinstance(value, Mapping):
        return {key: hide(item, names) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [hide(item, names) for item in value]
    return value
