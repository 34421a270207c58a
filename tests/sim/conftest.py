"""Fixtures of the kernel's tests."""

import importlib.util
from pathlib import Path

import pytest

TOWN = Path(__file__).with_name("town.py")
HAMLET = Path(__file__).with_name("hamlet.py")


@pytest.fixture(scope="session")
def town_module():
    """The module `town.py`, which also runs as a program of its own."""
    spec = importlib.util.spec_from_file_location("town", TOWN)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def town(tmp_path, town_module):
    """Makes towns, each in a folder of its own."""
    return lambda name="run", **options: town_module.Town(tmp_path / name, **options)


@pytest.fixture(scope="session")
def hamlet_module():
    """The module `hamlet.py`, which also runs as a program of its own."""
    spec = importlib.util.spec_from_file_location("hamlet", HAMLET)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def hamlet(tmp_path, hamlet_module):
    """Makes hamlets, each in a folder of its own."""
    return lambda name="run": hamlet_module.Hamlet(tmp_path / name)
