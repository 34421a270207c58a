"""Values in archives, which may be of any kind: what is wanted of them, or nothing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def map_of(value: Any) -> Mapping[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> Sequence[Mapping[str, Any]]:
    """The objects in a list, or the one in its place."""
    return [each for each in list_of(value) if isinstance(each, dict)]


def list_of(value: Any) -> Sequence[Any]:
    """A list, or what stands in its place as one."""
    return value if isinstance(value, list) else [] if value is None else [value]


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Each text once, in order, without empty ones."""
    return tuple(dict.fromkeys(value for value in values if value))


def on_one_line(value: Any) -> str:
    """A text without line breaks and double blanks; "" for anything else."""
    return " ".join(value.split()) if isinstance(value, str) else ""
