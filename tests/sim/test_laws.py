"""The two laws at full size: 50 seeds at three concurrencies, and thirty kills."""

import subprocess
import sys

import pytest

from folkmoot.sim.call_records import read_calls
from folkmoot.sim.rng import uniform

SEEDS = 50
KILLS = 30


@pytest.mark.slow
def test_fifty_seeds_at_three_concurrencies(town):
    """50 seeds x concurrency 1, 8, 256 with random latencies: one log a seed, byte for byte."""
    for seed in range(SEEDS):
        logs = set()
        for concurrency in (1, 8, 256):
            place = town(f"{seed}-{concurrency}")
            place.run(seed=seed, days=0.75, concurrency=concurrency, latency_s=0.001, latency_jitter=1.0)
            logs.add(place.log.read_bytes())
        assert len(logs) == 1, f"seed {seed} wrote {len(logs)} different logs"


@pytest.mark.slow
def test_thirty_kills(town, town_module, tmp_path):
    """Kill -9 at random points, resume, again and again: identical log, no recorded call repeated."""
    kills = number = unfinished = 0
    while kills < KILLS:
        whole = town(f"whole{number}")
        whole.run(seed=number, days=4)
        folder = tmp_path / f"killed{number}"
        folder.mkdir()
        attempt = 0
        while _killed(town_module, folder, number, 0.7 * uniform(number, "kill", attempt)):
            attempt += 1
            unfinished += 0 < (folder / "events.jsonl").stat().st_size < whole.log.stat().st_size
        kills += attempt
        assert (folder / "events.jsonl").read_bytes() == whole.log.read_bytes()
        keys = [(c.agent, c.activation, c.call, c.attempt) for c in read_calls(folder / "calls.jsonl")]
        assert len(keys) == len(set(keys))
        assert set(keys) == {(c.agent, c.activation, c.call, c.attempt) for c in read_calls(whole.calls)}
        number += 1
    assert unfinished > KILLS / 2, "most kills came before or after the run: the test shows little"


def _killed(town_module, folder, seed, moment) -> bool:
    """Start the town there and kill it so many seconds after it has come alive; False if it ended before."""
    command = [sys.executable, town_module.__file__, str(folder), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"alive\n"
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.kill()
        error = process.stderr.read().decode()
    assert process.returncode in {0, -9}, error
    return process.returncode == -9
