"""Composes a run's config by Hydra, and says in plain words what is wrong with an override."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.sim.errors import ConfigError, did_you_mean

CONF = Path(__file__).resolve().parents[2] / "conf"


def groups() -> dict[str, list[str]]:
    """Config groups and their options."""
    return {
        folder.name: sorted(option.stem for option in folder.glob("*.yaml"))
        for folder in sorted(CONF.iterdir())
        if folder.is_dir() and not folder.name.startswith("_")
    }


def compose(overrides: Sequence[str], *, hydra: bool = False, whole: bool = True) -> dict[str, Any]:
    """The composed config as plain values; with `hydra`, its own settings under that key.

    Args:
        overrides: as on the command line.
        hydra: give Hydra's settings too.
        whole: a value that must be given and isn't is an error.

    Raises:
        ConfigError: a group, an option or a key that isn't there, or a malformed override.
    """
    from hydra import compose as hydra_compose
    from hydra import initialize_config_module
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

    try:
        with initialize_config_module("folkmoot.conf", version_base="1.3"):
            config = hydra_compose("config", overrides=normal(overrides), return_hydra_config=hydra)
        folder = config.hydra.run.dir if hydra else None
        ours = OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"])
        values = OmegaConf.to_container(ours, resolve=whole, throw_on_missing=whole)
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        if isinstance(error, MissingMandatoryValue):
            raise ConfigError(f"{error.full_key} is missing: give {error.full_key}=...") from error
        raise ConfigError(in_words(str(error), overrides)) from error
    return {**values, **({"hydra": {"run": {"dir": folder}}} if hydra else {})}  # type: ignore[dict-item]


def parse(overrides: Sequence[str]) -> list[Any]:
    """Hydra's override objects.

    Raises:
        ConfigError: one is malformed.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        return list(OverridesParser.create().parse_overrides(normal(overrides)))
    except HydraException as error:
        raise ConfigError(in_words(str(error), overrides)) from error


OPEN = ("activity.set.", "agents.abstain.", "llm.extra.", "llm.engine.")
"""Below these any key may be given."""


def normal(overrides: Sequence[str]) -> list[str]:
    """Overrides as Hydra wants them: keys of open mappings are added, since none is there.

    >>> normal(["activity.set.think.mean_s=600", "seed=1"])
    ['++activity.set.think.mean_s=600', 'seed=1']
    """
    return [f"++{one}" if one.startswith(OPEN) else one for one in overrides]


def first_of_sweep(overrides: Sequence[str]) -> list[str]:
    """The overrides of a grid's first run."""
    return [
        f"{o.get_key_element()}={next(iter(o.sweep_string_iterator()))}" if o.is_sweep_override() else str(o.input_line)
        for o in parse(overrides)
    ]


def in_words(message: str, overrides: Sequence[str]) -> str:
    """What Hydra says, as a person who never heard of it reads it."""
    if plain := _malformed(overrides) or _wrong_option(overrides):
        return plain
    if found := re.search(r"Could not override '([^']+)'", message) or re.search(
        r"Key '(\w+)' is not in struct", message
    ):
        key = _whole_key(found[1], overrides)
        return f"unknown key {key!r}; {_hint(key, overrides)}"
    return message.strip().splitlines()[0] + (f" (overrides: {' '.join(overrides)})" if overrides else "")


def _malformed(overrides: Sequence[str]) -> str | None:
    """The first override that isn't key=value."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    for one in normal(_ours(overrides)):
        try:
            OverridesParser.create().parse_override(one)
        except HydraException:
            key = one.partition("=")[0]
            return f"{one}: can't be read as key=value; put a value with special signs in quotes: {key}=\"'...'\""
    return None


def _wrong_option(overrides: Sequence[str]) -> str | None:
    """The first override of a config group that names no option of it."""
    known = groups()
    for one in parse(_ours(overrides)):
        options = known.get(one.key_or_group)
        if options is None or one.is_sweep_override() or one.is_delete() or one.package is not None:
            continue
        value, text = one.value(), str(one.input_line)
        names = value if isinstance(value, list) else [value]
        if wrong := next((str(name) for name in names if name not in options), None):
            return f"{text}: there is no such option; {did_you_mean(wrong, options)}"
        if isinstance(value, list) and value and one.key_or_group not in SEVERAL:
            return f"{text}: takes one option; give {one.key_or_group}={value[0]}, or -m for a grid"
    return None


SEVERAL = ("monitor",)
"""Groups of which a list of options may be chosen."""


def _ours(overrides: Sequence[str]) -> list[str]:
    """Without Hydra's flags and their values."""
    return [one for one in overrides if "=" in one.lstrip("+~") and not one.startswith("-")]


def _whole_key(key: str, overrides: Sequence[str]) -> str:
    names = [o.split("=", 1)[0].lstrip("+~") for o in overrides]
    return next((name for name in names if name == key or name.endswith("." + key)), key)


def _hint(key: str, overrides: Sequence[str]) -> str:
    """The nearest keys of the same group, else of all; where none is near, the names of the innermost known group."""
    options = [one for one in overrides if one.partition("=")[0] in groups() and not one.startswith("-")]
    keys = [*groups(), *_flat(compose(options if len(options) < len(overrides) else [], whole=False))]
    group = key.rpartition(".")[0]
    while group and group not in keys:
        group = group.rpartition(".")[0]
    own = {one for one in keys if one.rpartition(".")[0] == group}
    if place := next((one for one in keys if group and not own and one.endswith(f".{group}")), ""):
        return f"the keys of {group} stand under {place}; {_hint(place + key.removeprefix(group), overrides)}"
    if group and not {one.rpartition(".")[2] for one in own} - {"kind"}:
        return _of_other_options(group.rpartition(".")[2], key.rpartition(".")[2])
    for near in (own, {one for one in keys if not key.startswith(f"{one}.")}):
        if get_close_matches(
            key.removeprefix(f"{group}."), [one.removeprefix(f"{group}.") for one in near], cutoff=0.6
        ):
            return did_you_mean(key, near)
    return did_you_mean("", own)


def _of_other_options(group: str, name: str) -> str:
    """What to say of a key where the option in use of its group has no keys, or none is in use."""
    options = groups().get(group, [])
    files = {one: msgspec.yaml.decode((CONF / group / f"{one}.yaml").read_bytes()) or {} for one in options}
    having = [f"{group}={one}" for one in options if name in files[one]]
    if having:
        return f"{' and '.join(having)} {'has' if len(having) == 1 else 'have'} it, the option in use doesn't"
    return f"{group} has no keys as it is now" + (f"; its options: {', '.join(options)}" if options else "")


def _flat(values: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in values.items():
        yield prefix + key
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
