"""A large archive is read in flat memory (`make bench`). Deselected by default."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.benchmark

MB_MORE = 60
"""What 200 MB may add to what 1 MB takes: blocks, the posts that count, 8 bytes an id in a set."""


def test_an_outbox_of_200_mb():
    """Every post is read, the latest 200 stay, and memory hardly grows."""
    script = Path(__file__).with_name("timelines.py")
    done = subprocess.run([sys.executable, script, "200"], capture_output=True, text=True, check=True)
    sys.stdout.write("\n" + done.stdout)
    run = json.loads(done.stdout)
    assert run["read"] == run["posts"]
    assert run["kept"] == 200
    assert run["rss_peak_mb"] - run["rss_before_mb"] <= MB_MORE
