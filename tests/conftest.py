"""Shared fixtures."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is slow: how long an example takes is no law.
settings.register_profile("folkmoot", deadline=None)
settings.load_profile("folkmoot")

if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # workers share the cores: threads that spin for each other starve


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; skips where it is absent (a user's machine)."""
    path = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not path.is_dir():
        pytest.skip(f"real data not found at {path}: these tests run only beside the shared data folder")
    return path
