"""What may be changed in a run that has begun: settings that its log doesn't depend on."""

from collections.abc import Sequence
from typing import Any

from folkmoot.sim.commands.compose import compose, parse
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.experiments.settings import RunConfig

ALLOWED = ("budget", "live", "tracking", "llm.pool", "on_failure", "keep_prompts")


def amend(stored: dict[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """The stored config with these overrides; the stored one isn't changed.

    Args:
        stored: the composed config of a run.
        overrides: `budget.max_comments=null`, `tracking=none`, ...

    Raises:
        ConfigError: a malformed override, one of another key, or a value that isn't allowed.

    >>> amend({"seed": 1, "budget": {"tokens": 5}, "live": "auto"}, ["budget.tokens=null", "live=off"])
    {'seed': 1, 'budget': {'tokens': None}, 'live': 'off'}
    >>> amend({"seed": 1}, ["seed=2"])
    Traceback (most recent call last):
    folkmoot.sim.errors.ConfigError: seed=2: a run that has begun keeps it, or its log would become another one...
    """
    values = stored
    for key, value, text in map(_assignment, parse(overrides)):
        if not any(key == allowed or key.startswith(allowed + ".") for allowed in ALLOWED):
            raise ConfigError(
                f"{text}: a run that has begun keeps it, or its log would become another one; `resume` takes "
                f"{', '.join(ALLOWED)} (and keys below these); for another {key} start a new run"
            )
        values = _with(values, key.split("."), _option(key, value))
    return values


def amended(stored: dict[str, Any], overrides: Sequence[str]) -> tuple[RunConfig, dict[str, Any]]:
    """The typed config, and the values that it was made from."""
    values = amend(stored, overrides)
    return check(RunConfig, values), values


def _assignment(override: Any) -> tuple[str, Any, str]:
    text = str(override.input_line)
    if override.is_sweep_override() or override.is_delete() or override.package is not None:
        raise ConfigError(f"{text}: `resume` takes key=value with one value")
    return override.key_or_group, override.value(), text


def _option(key: str, value: Any) -> Any:
    """`tracking=none` names an option of a config group: the values that it stands for."""
    return compose([f"{key}={value}"])[key] if key == "tracking" and isinstance(value, str) else value


def _with(values: Any, steps: list[str], value: Any) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ConfigError(f"{'.'.join(steps)}: {values!r} has no keys below it")
    first, rest = steps[0], steps[1:]
    return {**values, first: _with(values.get(first, {}), rest, value) if rest else value}
