"""What environments have in common in reading an `Intervene`: its value, and rules changed by it."""

from collections.abc import Collection
from typing import Any, TypeVar

import msgspec
from pydantic import ValidationError

from folkmoot.sim.errors import RuleError, did_you_mean
from folkmoot.sim.persona import Frozen
from folkmoot.sim.protocols import Intervene

Rules = TypeVar("Rules", bound=Frozen)
Value = TypeVar("Value", bound=Frozen)


class OneUser(Frozen):
    """The value of `ban`, `unban` and `mute`."""

    user: str


def read(action: Intervene, kind: type[Value]) -> Value:
    """The value of an intervention.

    Raises:
        RuleError: it isn't JSON of this kind; names field and fault.
    """
    try:
        return kind.model_validate_json(action.value or "{}")
    except ValidationError as error:
        raise RuleError(f"{action.name} {action.value}: {_first(error)}") from error


def change(action: Intervene, rules: Rules, allowed: Collection[str]) -> Rules:
    """The rules with the values of a `rule` intervention in them.

    Raises:
        RuleError: a rule that isn't there or can't be changed in a run, or a value that it can't take.
    """
    try:
        values: dict[str, Any] = msgspec.json.decode(action.value, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise RuleError(
            f"{action.name} {action.value}: isn't a JSON object ({error}); give rules and values"
        ) from error
    if unknown := sorted(set(values) - set(allowed)):
        raise RuleError(f"{action.name} {unknown[0]}: can't be changed in a run; {did_you_mean(unknown[0], allowed)}")
    try:
        return type(rules).model_validate({**rules.model_dump(), **values})
    except ValidationError as error:
        raise RuleError(f"{action.name} {action.value}: {_first(error)}") from error


def _first(error: ValidationError) -> str:
    fault = error.errors()[0]
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
