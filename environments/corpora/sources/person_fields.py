"""What a source says of a person, without the fields that a persona can't have."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import Persona

_NESTED = frozenset({"attributes", "traits"})
"""Fields of which a part may be wrong and the rest right."""


def sound(fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The fields that are right, and of each wrong one its name and why; a wrong field costs no person.

    >>> sound({"profile": "Reads maps.", "attributes": {"gender": "F", "location": "Ulm"}})[0]
    {'profile': 'Reads maps.', 'attributes': {'location': 'Ulm'}}
    """
    kept = {key: dict(value) if _is_nest(key, value) else value for key, value in fields.items()}
    wrong: list[tuple[str, str]] = []
    while faults := list(_faults(kept)):
        for path, why in faults:
            if _remove(kept, path):
                wrong.append((".".join(path), why))
    return kept, wrong


def _is_nest(key: str, value: Any) -> bool:
    return key in _NESTED and isinstance(value, Mapping)


def _faults(fields: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Where the fields are wrong, and why: a field, or one of its parts."""
    try:
        Persona.model_validate({"id": "a", "language": "en", **fields})
    except ValidationError as error:
        for fault in error.errors():
            path = tuple(str(step) for step in fault["loc"])
            yield path[: 2 if _is_nest(path[0], fields[path[0]]) else 1], fault["msg"]
    except ConfigError:
        yield from _wrong_traits(fields["traits"])


def _wrong_traits(traits: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    for name, trait in traits.items():
        try:
            Persona.model_validate({"id": "a", "language": "en", "traits": {name: trait}})
        except ConfigError as error:
            yield ("traits", name), str(error)


def _remove(fields: dict[str, Any], path: tuple[str, ...]) -> bool:
    """Take a field out, or one of its parts; whether it was still there."""
    if len(path) == 1:
        return fields.pop(path[0], _remove) is not _remove
    return fields[path[0]].pop(path[1], _remove) is not _remove
