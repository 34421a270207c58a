"""The answer on a user's eight habits, checked one by one."""

from typing import Any

from folkmoot.sim.asking import UnusableAnswer
from folkmoot.sim.persona import NOT_DEDUCIBLE, TRAITS, Trait

LONGEST = 1500
"""Characters of a reasoning."""

_ALLOWED = {
    name: {value.casefold(): value for value in (*values, NOT_DEDUCIBLE, "Not deducible")}
    for name, values in TRAITS.items()
}


def options() -> str:
    """The lines of a prompt that name each habit and its values."""
    return "\n".join(f"{name}: {'; '.join(values)}; {NOT_DEDUCIBLE}" for name, values in TRAITS.items())


def read_traits(answer: dict[str, Any]) -> tuple[dict[str, Trait], dict[str, str]]:
    """Traits that can be read, and what is wrong with the others (dimension -> words).

    Raises:
        UnusableAnswer: not one of the eight can be read.
    """
    read: dict[str, Trait] = {}
    wrong: dict[str, str] = {}
    for name in TRAITS:
        try:
            read[name] = _trait(name, answer.get(name))
        except UnusableAnswer as fault:
            wrong[name] = str(fault)
    if not read:
        raise UnusableAnswer("none of the eight habits", "; ".join(wrong.values()))
    return read, wrong


def _trait(name: str, given: Any) -> Trait:
    if given is None:
        raise UnusableAnswer("missing", f"the key {name} is missing")
    value = given.get("value", given.get("values")) if isinstance(given, dict) else given
    reasoning = given.get("reasoning", "") if isinstance(given, dict) else ""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not values or not all(isinstance(item, str) for item in values):
        raise UnusableAnswer("no list", f"{name} needs a list of values under the key value")
    return Trait(values=_values(name, values), reasoning=" ".join(str(reasoning or "").split())[:LONGEST])


def _values(name: str, values: list[str]) -> tuple[str, ...]:
    """As spelled in `TRAITS`, each once; Not-deducible only by itself.

    The paper lets a model name several values of any habit, though its table asks for one of most.
    """
    known = _ALLOWED[name]
    found = [known.get(" ".join(value.split()).casefold().rstrip(".")) for value in values]
    if None in found:
        raise UnusableAnswer(
            "not allowed", f"{name} has a value that isn't on its line: {values[found.index(None)][:60]!r}"
        )
    chosen = tuple(dict.fromkeys(NOT_DEDUCIBLE if value == "Not deducible" else value for value in found if value))
    return tuple(value for value in chosen if value != NOT_DEDUCIBLE) or chosen
