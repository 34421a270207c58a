"""`monitor=fidelity` in a whole run: the log is the same with it, the numbers repeat, files and tables hold them."""

import io
import json
import shutil
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

import folkmoot
from folkmoot.metrics.records import AlarmRaised, Point, read_records
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.commands.show import show_run
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.experiments import measures
from folkmoot.sim.experiments.community import execute
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.runs import Run

SCRIPTED = ("llm=scripted", "annotator=scripted", "tracking=none", "live=off", "experiment.days=0.1")


def start(folder, *overrides, figures=False):
    """One run with the scripted model; figures, two thirds of its time, where they are looked at."""
    values = compose([*SCRIPTED, *overrides])
    folder.mkdir()
    run = Run(folder)
    run.config_path.write_bytes(msgspec.yaml.encode(values))
    with pytest.MonkeyPatch.context() as patch:
        if not figures:
            patch.setattr(measures, "draw", lambda *_: [])
        return execute(check(RunConfig, values), folder)


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A run that scores every comment, and one day's numbers of it as the tracker got them."""
    told = []
    make = measures.Measures.prepare

    async def heard(*given):
        made = await make(*given)
        made.listeners.append(lambda step, values: told.append((step, values)))
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measures.Measures, "prepare", heard)
        result = start(tmp_path_factory.mktemp("runs") / "watched", "monitor=[text,fidelity]", figures=True)
    return result, told


def test_the_log_is_the_same_without_the_monitor(watched, tmp_path):
    """Law: byte-identical log, whether the run is watched or not."""
    bare = start(tmp_path / "bare", "monitor=[text]")
    assert bare.run.log.read_bytes() == watched[0].run.log.read_bytes()
    assert not bare.run.fidelity.exists()
    more = watched[0].run.manifest()["prompts"].keys() - bare.run.manifest()["prompts"].keys()
    assert {"fidelity/wording_en", "fidelity/phrases_en"} <= more


def test_an_evaluator_of_its_own_that_is_slow_changes_nothing(watched, tmp_path):
    """Law: another backend as evaluator, slow and one call at a time: same log, same scores, same metrics.jsonl."""
    slow = start(
        tmp_path / "slow", "monitor=[text,fidelity]", "+llm@monitor.fidelity.evaluator=scripted",
        "monitor.fidelity.evaluator.latency_s=0.001", "monitor.fidelity.evaluator.pool.concurrency=3",
        "llm.latency_s=0.002", "llm.latency_jitter=1",
    )  # fmt: skip
    for name in ("events.jsonl", "metrics.jsonl", "fidelity/demo-en.jsonl", "fidelity/demo-en.html"):
        ours, theirs = (run.path / name for run in (slow.run, watched[0].run))
        same = ours.read_bytes() == theirs.read_bytes()
        assert same == (not name.endswith("html")), name  # the page says whose model scored
    assert slow.summary["calls"]["calls"] == watched[0].summary["calls"]["calls"]


def test_an_evaluator_that_fails_is_told_and_the_run_is_whole(watched, tmp_path):
    """A dead worker costs the scores, never the run: every comment is counted under its reason."""
    dead = start(
        tmp_path / "dead", "monitor=[text,fidelity]", "+llm@monitor.fidelity.evaluator=scripted",
        "monitor.fidelity.evaluator.permanent_rate=1",
    )  # fmt: skip
    assert dead.exit_code == 0
    assert dead.run.log.read_bytes() == watched[0].run.log.read_bytes()
    found = dead.summary["communities"]["demo-en"]["fidelity"]
    assert found["losses"] == {"the evaluator failed": dead.outcome.comments}
    assert any("0 of" in line for line in dead.summary["communities"]["demo-en"]["sentences"])


def test_an_alarm_ends_the_run_at_its_publish_point(watched, tmp_path):
    """Law: a run that fidelity numbers may stop has a log that is a prefix of the unmonitored one, ended at the point."""
    alarm = "monitor.fidelity.alarms=[{metric: fidelity.score, above: 0, stop: true}]"
    ended = start(tmp_path / "ended", "monitor=[text,fidelity]", "monitor.fidelity.every_comments=10", alarm)
    assert ended.outcome.state.startswith("stopped: monitor: fidelity.score = ")
    assert ended.outcome.comments == 10
    part, whole = ended.run.log.read_bytes(), watched[0].run.log.read_bytes()
    assert whole.startswith(part)
    assert len(part) < len(whole)
    assert [r.n for r in read_records(ended.run.metrics_path) if isinstance(r, AlarmRaised) and r.stop] == [10]


def test_an_alarm_on_a_number_that_no_community_has_is_refused(tmp_path):
    """A slip in an alarm's number is told before anything is simulated."""
    alarm = "monitor.fidelity.alarms=[{metric: fidelity.scor, below: 0.4}]"
    with pytest.raises(ConfigError, match=r"unknown number 'fidelity.scor' .* did you mean 'fidelity.score'"):
        start(tmp_path / "slip", "monitor=[fidelity]", alarm)
    assert [path.name for path in (tmp_path / "slip").iterdir()] == ["config.yaml"]


def test_the_numbers_stand_where_the_other_monitors_do(watched):
    """Points in metrics.jsonl, sentences, warnings and table rows in the summary, a line a text beside, the figure."""
    result, _ = watched
    points = [r for r in read_records(result.run.metrics_path) if isinstance(r, Point)]
    mine = [point for point in points if "fidelity.score" in point.values]
    assert [point.n for point in mine] == sorted(point.n for point in mine)
    assert mine[-1].values["fidelity.n"] == result.outcome.comments
    lines = (result.run.fidelity / "demo-en.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["seq"] for line in lines] == sorted(json.loads(line)["seq"] for line in lines)
    assert len(lines) == result.outcome.comments
    summary = result.run.summary()["communities"]["demo-en"]
    assert summary["fidelity"]["scored"] == result.outcome.comments
    assert any(line.startswith("persona fidelity: S ") for line in summary["sentences"])
    assert any("says nothing" in line or "say nothing" in line for line in summary["sentences"])
    assert (result.run.figures / "demo-en.png").stat().st_size > 0


def test_show_and_compare_have_the_numbers(watched):
    """Law: `show` says what the summary says; `compare` has S and the control's AUC with the summary's intervals."""
    run = watched[0].run
    found = run.summary()["communities"]["demo-en"]
    console = Console(file=io.StringIO(), width=400, color_system=None)
    console.print(show_run(run))
    shown = console.file.getvalue()
    assert all(text in shown for text in (*found["sentences"], *found["warnings"]))
    table = folkmoot.compare([run.path])
    for name, number in (
        ("score", found["fidelity"]["numbers"]["score"]),
        ("swap.auc", found["fidelity"]["swap"]["auc"]),
    ):
        assert f"fidelity.{name}" in table
        assert f"{number['value']:.3f} [{number['low']:.3f}, {number['high']:.3f}]" in table


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("config.yaml", "context: 3", "context: 2", "don't compare of context 3 and 2"),
        (
            "manifest.json",
            '"fidelity/wording_en": "',
            '"fidelity/wording_en": "f',
            "don't compare of fidelity/wording_en",
        ),
        ("config.yaml", "every_comments: 50", "every_comments: 60", ""),
    ],
)
def test_runs_asked_in_two_ways_do_not_compare(watched, tmp_path, file, old, new, told):
    """Law: runs whose evaluator saw other settings or words have no fidelity in the table; when it was told is no matter."""
    run = watched[0].run
    other = tmp_path / "other"
    shutil.copytree(run.path, other)
    before = (other / file).read_text("utf-8")
    at = before.index("fidelity")
    (other / file).write_text(before[:at] + before[at:].replace(old, new, 1), "utf-8")
    assert (other / file).read_text("utf-8") != before
    table = folkmoot.compare([run.path, other])
    assert told in table
    assert ("fidelity.score" in table) == (not told)


def test_the_tracker_gets_the_series(watched):
    """Population and groups go to the tracker, single agents don't; steps never go down."""
    _, told = watched
    names = {name for _, values in told for name in values}
    assert {"fidelity.score", "fidelity.score.low", "fidelity.swap.auc"} <= names
    assert any(name.startswith("fidelity.group.") for name in names)
    assert not any(name.startswith("fidelity.agent.") for name in names)
    steps = [step for step, _ in told]
    assert steps == sorted(steps)


def test_the_demo_watches_a_share_and_others_are_asked_for():
    """The demo's default scores a share; raw pages don't score; the list on the command line is what counts."""
    assert check(RunConfig, compose([])).monitor.fidelity.share < 1
    assert check(RunConfig, compose(["corpus=wikitext", "corpus.path=x"])).monitor.fidelity is None
    assert check(RunConfig, compose(["monitor=[acts]"])).monitor.fidelity is None
    whole = check(RunConfig, compose(["monitor=[acts,fidelity]"])).monitor
    assert (whole.fidelity.share, list(whole.families)) == (1.0, ["acts"])
    dry = ["dry_run=true", "llm=scripted", "tracking=none"]
    told = [execute(check(RunConfig, compose([*dry, f"monitor=[{m}]"])), Path()).summary for m in ("acts", "fidelity")]
    assert "fidelity_prompts_about" not in told[0]
    assert told[1]["fidelity_prompts_about"] == 6 * told[1]["calls_expected"]
    with pytest.raises(ConfigError, match=r"monitor\.fidelity\.share=2"):
        check(RunConfig, compose(["monitor.fidelity.share=2"]))
