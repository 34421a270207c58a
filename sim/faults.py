"""What is wrong with a config, in our words: key=value, the bound, the way out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from folkmoot.sim.errors import did_you_mean

MOST_SHOWN = 80
"""Characters of a value that are repeated."""

_BOUNDS = {
    "greater_than_equal": "at least {ge} is needed; give {path}={ge} or more",
    "greater_than": "more than {gt} is needed; give a larger number",
    "less_than_equal": "at most {le} is allowed; give {path}={le} or less",
    "less_than": "less than {lt} is needed; give a smaller number",
    "too_short": "holds {actual_length}, at least {min_length} are needed; give more",
    "too_long": "holds {actual_length}, at most {max_length} are allowed; give fewer",
    "string_too_short": "at least {min_length} characters are needed; give a longer text",
    "string_too_long": "at most {max_length} characters are allowed; give a shorter text",
    "finite_number": "a finite number is needed",
}
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "dict": "names with values",
    "mapping": "names with values",
    "model": "names with values",
    "tuple": "a list",
    "list": "a list",
    "none": "null",
}
"""First word of pydantic's type of fault (`int_parsing`, `bool_type`, ...) -> what is needed."""
_HINTS = {"names with values": "{path}.NAME=VALUE", "a list": "{path}=[A,B]", "text": "{path}=TEXT"}


def explain(model: type[BaseModel], error: ValidationError, values: Mapping[str, Any], where: str = "") -> str:
    """One line for each key that is wrong; of a key that may be of several kinds, all that it may be."""
    faults: dict[str, list[str]] = {}
    needed: dict[str, list[str]] = {}
    for fault in error.errors():
        steps = _steps(values, fault["loc"], absent=fault["type"] == "missing")
        path = ".".join(str(step) for step in ((where,) if where else ()) + steps)
        if kind := _kind(fault["type"]):
            needed.setdefault(path, []).append(kind)
            faults.setdefault(path, []).append(_shown(path, fault["input"]))
        else:
            faults.setdefault(path, []).append(_line(model, dict(fault), path))
    parts = {path for path in faults if any(other.startswith(f"{path}.") for other in faults) and path in needed}
    return "\n".join(_joined(path, lines, needed.get(path, [])) for path, lines in faults.items() if path not in parts)


def _joined(path: str, lines: Sequence[str], needed: Sequence[str]) -> str:
    if not needed:
        return "\n".join(dict.fromkeys(lines))
    kinds = list(dict.fromkeys(needed))
    an_item = path.rpartition(".")[2].isdigit()  # of a list: no override names it
    hints = [] if an_item else [_HINTS[kind].format(path=path) for kind in kinds if kind in _HINTS]
    return f"{lines[0]}: takes {' or '.join(kinds)}" + (f"; give {' or '.join(hints)}" if hints else "")


def _line(model: type[BaseModel], fault: Mapping[str, Any], path: str) -> str:
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "extra_forbidden":
        return f"unknown key {path!r}; {_suggest(model, fault['loc'])}"
    if kind == "missing":
        return f"{path} is missing: give {path}=..."
    if kind == "union_tag_not_found":
        name = context["discriminator"].strip("'")
        return f"{path}.{name} is missing: give {path}.{name}=..., which says what kind it is"
    if kind == "union_tag_invalid":
        name = context["discriminator"].strip("'")
        return (
            f"{path}.{name}={context['tag']}: there is no such kind; {_known(context['tag'], context['expected_tags'])}"
        )
    return f"{_shown(path, fault['input'])}: {_bound(kind, context, path, fault)}"


def _bound(kind: str, context: Mapping[str, Any], path: str, fault: Mapping[str, Any]) -> str:
    if kind in _BOUNDS:
        plain = {name: f"{value:g}" if isinstance(value, float) else value for name, value in context.items()}
        return _BOUNDS[kind].format(path=path, **plain)
    if kind == "literal_error":
        return f"not one of the choices; {_known(str(fault['input']), context['expected'])}"
    if kind == "value_error":
        return str(context["error"])
    return str(fault["msg"])


def _kind(kind: str) -> str | None:
    """What is needed, where the value is of the wrong kind altogether."""
    first = kind.removeprefix("is_").split("_")[0]
    return (
        _KINDS.get(first) if kind.endswith(("_type", "_parsing", "_from_float", "_required", "_parsing_size")) else None
    )


def _known(name: str, listed: str) -> str:
    """The hint for a choice; pydantic lists words in quotes, numbers without."""
    return did_you_mean(name, re.findall(r"'([^']*)'", listed) or re.split(r", | or ", listed))


def _shown(path: str, value: Any) -> str:
    text = repr(value)
    return f"{path}={text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + '...'}"


def _steps(values: Any, loc: Sequence[int | str], *, absent: bool) -> tuple[int | str, ...]:
    """Of a fault's place, the steps that are keys of the values: pydantic names kinds and members of unions between."""
    found: list[int | str] = []
    for place, step in enumerate(loc):
        inside = isinstance(values, Mapping) and step in values
        if inside or (isinstance(values, list | tuple) and isinstance(step, int) and step < len(values)):
            found.append(step)
            values = values[step]
        elif absent and place == len(loc) - 1:
            found.append(step)
    return tuple(found)


def _suggest(model: type[BaseModel], loc: Sequence[int | str]) -> str:
    """The nearest names in the same group, else all of that group."""
    at: Sequence[type[BaseModel]] = (model,)
    for step in loc[:-1]:
        named = [one for one in at if step in _tags(one)]
        at = named or [
            inner for one in at for inner in _models(getattr(one.model_fields.get(str(step)), "annotation", None))
        ]
    return did_you_mean(str(loc[-1]), {name for one in at for name in one.model_fields})


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that a value of this annotation may be."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    else:
        for part in get_args(annotation):
            yield from _models(part)


def _tags(model: type[BaseModel]) -> set[Any]:
    """What a discriminator of this model may be."""
    return {value for field in model.model_fields.values() for value in get_args(field.annotation)}
