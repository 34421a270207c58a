"""The options of a build of timelines, checked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.sources.instants import LAST, read_instant
from folkmoot.environments.corpora.timelines.accounts import ANY, AccountFilters
from folkmoot.environments.corpora.timelines.limits import Limits
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError, CorpusError, did_you_mean

FILTERS = tuple(AccountFilters.model_fields)
OPTIONS = ("posts", "years", "until", "unlisted", "accounts", "users", "follows", "encoding", *FILTERS)


def known_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options given.

    Raises:
        ConfigError: one isn't known.
    """
    for name in given:
        if name not in OPTIONS:
            raise ConfigError(f"unknown option {name!r} of timelines; {did_you_mean(name, OPTIONS)}")
    return dict(given)


def limits_of(options: Mapping[str, Any], *, keep_damaged: bool) -> Limits:
    """What is read of each timeline; without `until` nothing comes from the future.

    Raises:
        ConfigError, CorpusError: a value that isn't allowed.
    """
    until = read_instant(options["until"]) if options.get("until") else LAST
    chosen = {name: options[name] for name in ("posts", "years") if name in options}
    unlisted = options.get("unlisted", "drop")
    if unlisted not in {"drop", "keep"}:
        raise ConfigError(f"option unlisted={unlisted!r}; give drop or keep")
    values = {"until": until, "unlisted": unlisted == "keep", "keep_damaged": keep_damaged, **chosen}
    return check(Limits, values)


def filters_of(options: Mapping[str, Any]) -> AccountFilters:
    """The bounds of accounts: none, those of SocialPersona, or those that are given."""
    which = options.get("accounts", "all")
    if which not in {"all", "paper"}:
        raise ConfigError(f"option accounts={which!r}; give all, or paper for the filters of SocialPersona")
    usual = AccountFilters() if which == "paper" else ANY
    given = {name: options[name] for name in FILTERS if name in options}
    return check(AccountFilters, usual.model_dump() | given)


def table_of(options: Mapping[str, Any], option: str, said: str) -> Path | None:
    """The table that an option names; `said` is how the command line calls it.

    Raises:
        CorpusError: no file there.
    """
    if not options.get(option):
        return None
    path = Path(options[option])
    if not path.is_file():
        raise CorpusError(f"{path}: no table there; check {said}")
    return path
