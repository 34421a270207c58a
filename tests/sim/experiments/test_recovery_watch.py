"""`monitor=recovery` in a whole run of the demo feed: the log is the same with it, the numbers repeat, files hold them."""

import io
import json
import shutil

import pytest
from rich.console import Console

from folkmoot.agents.llm.build import build_pool
from folkmoot.metrics.plots import figure
from folkmoot.metrics.records import Point, read_records
from folkmoot.metrics.report import plain_table
from folkmoot.sim.commands.api import compare, replay, resume, run
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.commands.show import show_run
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.experiments import measures
from folkmoot.sim.experiments.places import prepare
from folkmoot.sim.experiments.recovery_watch import people_of
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.feed import PostCreated

TOWN = "demo-feed-en"
QUICK = ["corpus=demo_feed", "llm=scripted", "annotator=scripted", "tracking=none", "live=off", "experiment.days=1"]
WATCHED = [
    *QUICK, "monitor=[recovery]", "monitor.recovery.match=exact", "monitor.recovery.draws=20",
    "monitor.recovery.min_posts=1", "monitor.recovery.every_posts=10",
]  # fmt: skip
FILES = ("events.jsonl", "metrics.jsonl", f"recovery/{TOWN}.jsonl")


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch):
    """Figures are two thirds of a run's time; the one of `watched` is drawn."""
    monkeypatch.setattr(measures, "draw", lambda *_: [])


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A day of the demo feed."""
    return run(WATCHED, tmp_path_factory.mktemp("runs") / "watched")


def same(one, other, names=FILES):
    """Whether files of two runs are equal, byte for byte."""
    return [(one.run.path / name).read_bytes() == (other.run.path / name).read_bytes() for name in names]


def test_the_log_is_the_same_without_the_monitor(watched, tmp_path):
    """Law: byte-identical log and calls, whether the run is watched or not; a replay is identical."""
    bare = run([*QUICK, "monitor=[]"], tmp_path / "bare")
    assert same(bare, watched, ("events.jsonl",)) == [True]
    assert bare.summary["calls"]["calls"] == watched.summary["calls"]["calls"]
    assert not bare.run.recovery.exists()
    more = watched.run.manifest()["prompts"].keys() - bare.run.manifest()["prompts"].keys()
    assert {"interests/profile", "interests/timeline", "interests/judge_same"} <= more
    assert replay(watched.run.path).outcome.state == "identical"


def test_interests_are_recovered_and_told_apart(watched):
    """Agents that write of their interests are recovered far better than another's interests would be."""
    found = watched.summary["communities"][TOWN]["recovery"]
    mine = found["sides"]["simulated"]
    assert mine["numbers"]["f1"]["value"] > 0.3
    assert mine["margin"]["f1"]["low"] > 0.1
    assert found["verdict"] == "tell their authors' interests from other people's"
    simulated = [e for e in watched.run.events() if isinstance(e, PostCreated) and e.origin == "simulated" and e.text]
    assert found["posts"] == len(simulated)
    assert found["calls"]["calls"] >= found["people"] + mine["n"]
    assert found["calls"]["failed_calls"] == 0


def test_the_numbers_stand_where_the_other_monitors_do(watched):
    """Points in metrics.jsonl, rows, sentences and warnings in the summary, a line a profile, a page, the figure."""
    points = [one for one in read_records(watched.run.metrics_path) if isinstance(one, Point)]
    assert [one.n for one in points] == sorted(one.n for one in points)
    last = points[-1].values
    assert {"recovery.f1", "recovery.f1.low", "recovery.real.f1", "recovery.swap.f1", "recovery.active"} <= set(last)
    summary = watched.run.summary()["communities"][TOWN]
    numbers = summary["recovery"]["sides"]["simulated"]["numbers"]
    assert numbers["f1"]["value"] == pytest.approx(last["recovery.f1"], abs=1e-5)
    shown = plain_table(summary)
    assert "recovery f1" in shown
    assert "posts of the run; earlier ones don't count" in shown
    lines = [json.loads(line) for line in (watched.run.recovery / f"{TOWN}.jsonl").read_bytes().splitlines()]
    assert {line["side"] for line in lines} == {"simulated", "real", "same_size"}
    assert len({line["user"] for line in lines if line["side"] == "real"}) == summary["recovery"]["people"]
    page = (watched.run.recovery / f"{TOWN}.html").read_text("utf-8")
    assert page.count("<section>") == summary["recovery"]["scored"]
    assert watched.run.figures.joinpath(f"{TOWN}.png").stat().st_size > 0
    titles = {axes.get_title("left") for axes in figure(summary, points).axes}
    assert {"Interests recovered from posts", "Recovery at the end"} <= titles


def test_show_and_compare_have_the_numbers(watched):
    """Law: `show` says what the summary says; `compare` has F1 and margin with the summary's intervals."""
    found = watched.run.summary()["communities"][TOWN]
    console = Console(file=io.StringIO(), width=900, color_system=None)
    console.print(show_run(watched.run))
    shown = console.file.getvalue()
    assert all(text in shown for text in (*found["sentences"], *found["warnings"]))
    table = compare([watched.run.path])
    mine = found["recovery"]["sides"]["simulated"]
    for name, number in (("recovery.f1", mine["numbers"]["f1"]), ("recovery.margin.f1", mine["margin"]["f1"])):
        assert name in table
        assert f"{number['value']:.3f} [{number['low']:.3f}, {number['high']:.3f}]" in table


def test_runs_asked_in_two_ways_do_not_compare(watched, tmp_path):
    """Law: runs whose profiles were made in another way have no recovery in the table, and it says what differs."""
    other = tmp_path / "other"
    shutil.copytree(watched.run.path, other)
    config = (other / "config.yaml").read_text("utf-8")
    at = config.index("recovery:")
    (other / "config.yaml").write_text(
        config[:at] + config[at:].replace("min_domains: 3", "min_domains: 2", 1), "utf-8"
    )
    table = compare([watched.run.path, other])
    assert "recovery left out: scores don't compare of min_domains 3 and 2" in table
    assert "recovery.f1" not in table


def test_another_evaluator_that_is_slow_changes_nothing(watched, tmp_path):
    """Law: a slow backend of its own as evaluator, two calls at a time: same log, same points, same profiles."""
    slow = run(
        [
            *WATCHED, "+llm@monitor.recovery.evaluator=scripted", "monitor.recovery.evaluator.latency_s=0.002",
            "monitor.recovery.evaluator.pool.concurrency=2", "llm.latency_s=0.001", "llm.latency_jitter=1",
        ],
        tmp_path / "slow",
    )  # fmt: skip
    assert same(slow, watched) == [True] * 3
    assert slow.summary["communities"][TOWN]["recovery"]["own_model"] is False


def test_a_stopped_run_resumes_to_the_same_numbers(watched, tmp_path):
    """Law: a run stopped on the way and resumed ends with the log, the points and the profiles of an undisturbed one."""
    stopped = run([*WATCHED, "budget.max_comments=12"], tmp_path / "stopped")
    assert "budget" in stopped.outcome.state
    whole = resume(stopped.run.path, ["budget.max_comments=null"])
    assert same(whole, watched) == [True] * 3


def test_an_evaluator_that_fails_is_told_and_the_run_is_whole(watched, tmp_path):
    """A dead worker costs the profiles, never the run: everybody is counted under the reason, nobody scores 0."""
    dead = run(
        [*WATCHED, "+llm@monitor.recovery.evaluator=scripted", "monitor.recovery.evaluator.permanent_rate=1"],
        tmp_path / "dead",
    )
    assert dead.exit_code == 0
    assert same(dead, watched, ("events.jsonl",)) == [True]
    summary = dead.summary["communities"][TOWN]
    found = summary["recovery"]
    assert (found["scored"], found["sides"]["simulated"]["numbers"]) == (0, {})
    assert found["sides"]["real"]["failed"] == found["people"]
    assert any("users left out: the evaluator failed" in line for line in summary["warnings"])


def test_a_sample_is_the_same_for_every_seed():
    """Law: `max_users` people are asked about, drawn by `sample_seed`, whatever the run's seed; who isn't is counted."""
    asked = []
    for seed in (1, 2):
        config = check(RunConfig, compose([*WATCHED, "monitor.recovery.max_users=6", f"seed={seed}"]))
        (place,) = prepare(config, build_pool(config.llm, seed))
        people, losses = people_of(config.monitor.recovery, place)
        asked.append([user.id for user in people])
    assert len(asked[0]) == 6
    assert asked[0] == asked[1]
    assert losses == {"people who aren't in the sample of max_users": 17}


def test_what_cannot_be_watched_is_refused(tmp_path):
    """Talk pages, and people without interests enough, are refused with the way out, and leave no folder."""
    with pytest.raises(ConfigError, match="environment=social_feed"):
        run(["corpus=demo", "monitor=[recovery]"], tmp_path / "talk")
    with pytest.raises(ConfigError, match=r"23 users with fewer than 7 active domains.*min_domains"):
        run([*WATCHED, "monitor.recovery.min_domains=7"], tmp_path / "seven")
    assert not list(tmp_path.iterdir())


def test_a_dry_run_tells_the_calls(watched, tmp_path):
    """The calls that come on top are told before the run, within three times those made; judging is among them."""
    dry = [*WATCHED, "dry_run=true"]
    assert "recovery_calls_about" not in run([*QUICK, "dry_run=true", "monitor=[text]"], tmp_path).summary
    direct, judged = (
        run([*dry, *more], tmp_path).summary["recovery_calls_about"]
        for more in ([], ["monitor.recovery.match=judge", "monitor.recovery.swaps=2"])
    )
    made = watched.summary["communities"][TOWN]["recovery"]["calls"]["calls"]
    assert made / 3 <= direct <= 3 * made
    assert judged == 4 * direct
