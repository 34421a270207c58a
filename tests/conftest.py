"""Shared fixtures."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; skips where it is absent (a user's machine)."""
    path = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not path.is_dir():
        pytest.skip(f"real data not found at {path}: these tests run only beside the shared data folder")
    return path
