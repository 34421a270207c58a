"""Checks a composed config once; below it only typed objects."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from folkmoot.sim.errors import ConfigError, did_you_mean

Model = TypeVar("Model", bound=BaseModel)


def check(model: type[Model], values: Mapping[str, Any], where: str = "") -> Model:
    """The typed object of these values.

    Raises:
        ConfigError: names each wrong key, its value, what is allowed, and the nearest right name.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ConfigError(explain(model, error, where)) from error


def explain(model: type[BaseModel], error: ValidationError, where: str = "") -> str:
    """One line for each fault of a pydantic error."""
    lines = []
    for fault in error.errors():
        path = ".".join(str(step) for step in ((where,) if where else ()) + fault["loc"])
        if fault["type"] == "extra_forbidden":
            lines.append(f"unknown key {path!r}; {_suggest(model, fault['loc'])}")
        elif fault["type"] == "missing":
            lines.append(f"{path} is missing: give {path}=...")
        else:
            lines.append(f"{path}={fault['input']!r}: {fault['msg']}")
    return "\n".join(lines)


def _suggest(model: type[BaseModel], loc: tuple[int | str, ...]) -> str:
    fields: Mapping[str, Any] = model.model_fields
    for step in loc[:-1]:
        inner = getattr(fields.get(str(step)), "annotation", None)
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            fields = inner.model_fields
    return did_you_mean(str(loc[-1]), fields)
