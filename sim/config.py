"""Checks a composed config once; below it only typed objects."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from folkmoot.sim.errors import ConfigError
from folkmoot.sim.faults import explain

Model = TypeVar("Model", bound=BaseModel)


def check(model: type[Model], values: Mapping[str, Any], where: str = "") -> Model:
    """The typed object of these values.

    Raises:
        ConfigError: names each wrong key, its value, what is allowed, and the nearest right name.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ConfigError(explain(model, error, values, where)) from error
