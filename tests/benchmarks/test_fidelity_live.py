"""What `monitor=fidelity` costs a run whose evaluator is on another worker; run with -m benchmark -s."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest

from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.experiments import community
from folkmoot.sim.experiments.community import execute
from folkmoot.sim.experiments.settings import RunConfig

PAIRS = 3
GOAL = 1.1
LATENCY_S = 0.5
"""Of a simulated model call: an evaluator's call takes a tenth of it, since it writes one token."""

SIMULATION = (
    *("llm=scripted", f"llm.latency_s={LATENCY_S}", "llm.latency_jitter=0.5", "llm.pool.concurrency=4"),
    *("annotator=scripted", "tracking=none", "live=off"),
)
FAMILIES = "acts,sentiment,text,threads,network"


@contextmanager
def worker():
    """The address of an evaluator in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("label_server.py")), str(LATENCY_S / 10)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.stdin.close()


def timed(folder, *overrides):
    """Seconds of the simulation, seconds of the whole run (scoring what is left, report and figure), its result."""
    config = check(RunConfig, compose([*SIMULATION, *overrides]))
    folder.mkdir()
    play, spans = community._play, []

    async def clocked(*given):
        start = perf_counter()
        outcome = await play(*given)
        spans.append(perf_counter() - start)
        return outcome

    start = perf_counter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(community, "_play", clocked)
        result = execute(config, folder)
    return spans[0], perf_counter() - start, result


@pytest.mark.benchmark
def test_the_run_takes_hardly_longer(tmp_path, record_property):
    """Law: every comment scored, with the control: at most 1.1x the wall time of the simulation, the two in turns.

    The log is byte-identical. What the whole run takes longer (two more panels, a page) is reported.
    """
    ratios, took, whole = [], {"without": [], "with": []}, {"without": [], "with": []}
    with worker() as url:
        scored = [
            f"monitor=[{FAMILIES},fidelity]", "+llm@monitor.fidelity.evaluator=server",
            f"monitor.fidelity.evaluator.url={url}", "monitor.fidelity.evaluator.model=labels",
            "monitor.fidelity.evaluator.cache.mode=off",
        ]  # fmt: skip
        timed(tmp_path / "warm", f"monitor=[{FAMILIES}]", "experiment.days=0.1")
        for k in range(PAIRS):
            logs = []
            for kind, monitors in (("without", [f"monitor=[{FAMILIES}]"]), ("with", scored))[:: 1 - 2 * (k % 2)]:
                seconds, all_of_it, result = timed(tmp_path / f"{kind}{k}", *monitors)
                took[kind].append(seconds)
                whole[kind].append(all_of_it)
                logs.append(result.run.log.read_bytes())
                if kind == "with":
                    assert result.summary["communities"]["demo-en"]["fidelity"]["scored"] == result.outcome.comments
            assert logs[0] == logs[1]
            ratios.append(took["with"][-1] / took["without"][-1])
    line = f"{median(took['without']):.1f} s without, {median(took['with']):.1f} s with"
    line += f"; whole runs {median(whole['without']):.1f} s and {median(whole['with']):.1f} s"
    low, high = min(ratios), max(ratios)
    sys.stdout.write(f"\nratio {median(ratios):.3f} of {PAIRS} pairs [{low:.3f}, {high:.3f}]: {line}\n")
    record_property("ratios", ratios)
    assert median(ratios) <= GOAL
