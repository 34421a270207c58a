"""The engine's figures (`make bench`): CPU per event, waves of calls, growth, memory. Deselected by default.

Bounds are those of the project's goals times SLACK, since machines differ; the printed table is what counts.
Wall-clock figures are compared with the bound that the calls themselves set (waves x latency).
"""

import json
import subprocess
import sys
from pathlib import Path
from statistics import mean, stdev

import pytest

ENGINE = Path(__file__).with_name("engine.py")
AGENTS = 1000
SLACK = 1.5

pytestmark = pytest.mark.benchmark


def engine(*arguments):
    """One run in a process of its own."""
    done = subprocess.run([sys.executable, ENGINE, *map(str, arguments)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def show(name, values, goal, unit):
    """A line of the table: mean, half a 95 % interval, goal."""
    half = 1.96 * stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    sys.stdout.write(f"\n{name}: {mean(values):.3f} +- {half:.3f} {unit} (goal {goal})")
    return mean(values)


def test_cpu_per_event_of_rule_driven_agents():
    """Whole stack with log and monitors: at most 0.3 ms CPU per committed event."""
    runs = [engine("rules", AGENTS, 10, 0, "monitors")["cpu_ms_per_event"] for _ in range(3)]
    assert show("CPU per event, rules, log and monitors", runs, 0.3, "ms") <= 0.3 * SLACK


def test_cpu_per_event_through_langgraph():
    """LangGraph agents on the scripted model, log and monitors: at most 2 ms CPU per committed event."""
    runs = [engine("model", AGENTS, 3, 0, "monitors")["cpu_ms_per_event"] for _ in range(3)]
    assert show("CPU per event, LangGraph, log and monitors", runs, 2.0, "ms") <= 2.0 * SLACK


def test_wall_time_of_a_step_of_waiting_agents():
    """1,000 calls of 200 ms through 128 slots: 8 waves are 1.6 s, the whole step at most 1.68 s."""
    steps = [wall for _ in range(2) for wall in engine("waiting", AGENTS, 5, 0.2)["wall_by_step"]]
    assert show("wall per step, waiting, 200 ms, 128 in flight", steps, 1.68, "s") <= 1.68 * SLACK


def test_wall_time_of_a_step_through_langgraph():
    """The same through LangGraph: at most 2.4 s."""
    steps = [wall for _ in range(2) for wall in engine("model", AGENTS, 4, 0.2)["wall_by_step"]]
    assert show("wall per step, LangGraph, 200 ms, 128 in flight", steps, 2.4, "s") <= 2.4 * SLACK


def test_memory_over_forty_steps():
    """The stack's own memory stays within 150 MB at step 40."""
    run = engine("rules", AGENTS, 40, 0, "monitors")
    memory = run["rss_peak_mb"] - run["rss_before_mb"]
    show("peak memory beyond imports", [memory], 150, "MB")
    assert memory <= 150


def test_growth_to_step_forty():
    """Time per event doesn't grow from step 1 to step 40 (at most 1.1x): an old run and young ones in turns."""
    run = engine("growth", AGENTS, 36, 20)
    show("CPU per step, steps 2 to 6", run["young"], "-", "s")
    show("CPU per step, steps 37 to 56", run["old"], "-", "s")
    assert show("growth, old step over young step", run["growth"], 1.1, "x") <= 1.1 * SLACK
