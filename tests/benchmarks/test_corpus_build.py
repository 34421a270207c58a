"""Builds measured: flat memory, the same corpus from any number of workers. Deselected by default (`make bench`)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(__file__).with_name("corpus_build.py")
GOAL_MB = 300

pytestmark = pytest.mark.benchmark


def measured(size_mb, workers):
    """One build in a process of its own."""
    command = [sys.executable, BUILD, str(size_mb), str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    sys.stdout.write(f"\n{done.stdout.strip()}")
    return json.loads(done.stdout)


def test_memory_is_flat():
    """Ten times the dump takes no more memory than a tenth on top, under 300 MB in all."""
    small, large = measured(40, 1), measured(400, 1)
    assert large["main_mb"] < GOAL_MB
    assert large["main_mb"] < small["main_mb"] * 1.1 + 10


def test_workers_give_the_same_corpus():
    """Two workers: the same digest, each process under 300 MB."""
    one, two = measured(40, 1), measured(40, 2)
    assert one["digest"] == two["digest"]
    assert max(two["main_mb"], two["worker_mb"]) < GOAL_MB
