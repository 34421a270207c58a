"""Runs whose configs are composed once for each choice of groups: composing is a third of a small run's time."""

import json
import re
from copy import deepcopy
from functools import cache

import pytest

from folkmoot.sim.commands.api import start
from folkmoot.sim.commands.compose import compose, groups

SIMPLE = re.compile(r"([\w.]+)=([\w.-]+)")


@cache
def composed(overrides):
    """The composed config."""
    return compose(overrides)


def place_of(values, key):
    """The mapping that holds a key's last name; None where there is none."""
    *path, last = key.split(".")
    for step in path:
        values = values.get(step) if isinstance(values, dict) else None
    return values if isinstance(values, dict) and last in values and not isinstance(values[last], dict) else None


def value(text):
    """A number, true, false, null, or a word."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def settled(overrides):
    """What `compose` gives: single values are set in the config that the groups make."""
    known = groups()
    simple = {one: found for one in overrides if (found := SIMPLE.fullmatch(one)) and found[1] not in known}
    whole = composed(tuple(one for one in overrides if one not in simple))
    simple = {one: found for one, found in simple.items() if place_of(whole, found[1]) is not None}
    values = deepcopy(composed(tuple(one for one in overrides if one not in simple)))
    for key, text in (found.groups() for found in simple.values()):
        name = key.rpartition(".")[2]
        place_of(values, key)[name] = value(text)
        if name == key and key in values["experiment"]:  # a short name of one of the experiment's settings
            values["experiment"][key] = values[key]
    return values


@pytest.fixture(scope="session")
def settle():
    """Composes configs, quicker."""
    return settled


@pytest.fixture(scope="session")
def run():
    """`folkmoot.run`, quicker."""
    return lambda overrides, folder: start(settled(overrides), folder)
