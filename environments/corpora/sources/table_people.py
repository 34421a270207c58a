"""People from a plain table: a row each, with the fields of a persona as columns."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.sources.base import SourcePerson
from folkmoot.environments.corpora.sources.faults import Faults
from folkmoot.environments.corpora.sources.person_fields import sound
from folkmoot.environments.corpora.sources.table_rows import Row, read_rows
from folkmoot.sim.persona import TRAITS, Attributes

SEPARATOR = ";"
"""Between the items of a list in one field."""

_LISTS = frozenset({"known_languages", "hobbies", "stated_interests", "contribution_topics"})
_TRAIT, _REASONING = "traits.", ".reasoning"
NEEDED = ("author",)
WHOLE = ("profile", "rate_per_day", "attributes", "traits", "history")
"""Columns that hold a field of `Persona`; JSON lines may nest what CSV spreads over columns."""


def columns() -> tuple[str, ...]:
    """All columns that a table of people may have."""
    traits = [f"{_TRAIT}{name}{end}" for name in TRAITS for end in ("", _REASONING)]
    return ("author", *WHOLE, *Attributes.model_fields, *traits)


def read_people(path: Path, faults: Faults, encoding: str | None = None) -> Iterator[SourcePerson]:
    """The people of a table; what isn't one, and every wrong field, is told to `faults`.

    Raises:
        CorpusError: the file can't be read, or a column is no field of a persona.
    """
    seen: set[str] = set()
    known, told = frozenset(columns()), set[str]()
    for line, row in read_rows(path, NEEDED, columns(), faults, encoding):
        author = str(row.get("author") or "").strip()
        for column in sorted(set(row) - known - told):
            told.add(column)
            faults.add(f"columns of people (kept without) that personas don't have: {column!r}", line)
        if not author:
            faults.add("people without an author", line)
        elif author in seen:
            faults.add("people who are there twice (the first row counts)", line)
        else:
            seen.add(author)
            yield _person(author, row, faults, line)


def _person(author: str, row: Row, faults: Faults, line: int) -> SourcePerson:
    """The person, without the fields whose values are wrong."""
    fields, wrong = sound(_fields(row))
    for name, why in wrong:
        faults.add(f"fields of people (kept without) that are wrong: {name}: {why}", line)
    return SourcePerson(author, fields)


def _fields(row: Row) -> dict[str, Any]:
    """The row as fields of `Persona`."""
    fields = {name: row[name] for name in WHOLE if row.get(name) not in (None, "")}
    attributes = {k: _value(k, row[k]) for k in Attributes.model_fields if row.get(k) not in (None, "")}
    if attributes:
        fields["attributes"] = {**_mapping(fields.get("attributes")), **attributes}
    traits: dict[str, Any] = {}
    for name in TRAITS:
        values = row.get(f"{_TRAIT}{name}")
        if values not in (None, ""):
            reasoning = str(row.get(f"{_TRAIT}{name}{_REASONING}") or "")
            traits[name] = {"values": _items(values), "reasoning": reasoning}
    if traits:
        fields["traits"] = {**_mapping(fields.get("traits")), **traits}
    return fields


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _value(name: str, value: Any) -> Any:
    return _items(value) if name in _LISTS else value


def _items(value: Any) -> Any:
    """The items of one field; lists as they are."""
    return [item.strip() for item in value.split(SEPARATOR) if item.strip()] if isinstance(value, str) else value
