"""The community experiment from config to summary: run, resume, replay, several communities, teacher-forced, bad input."""

import shutil

import msgspec
import pytest

from folkmoot.metrics.annotations import Annotations, columns_file
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError, CorpusError, ReplayMismatch
from folkmoot.sim.events import ActionRefused, TextEvent
from folkmoot.sim.experiments.activities import check_rates
from folkmoot.sim.experiments.community import execute
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.runs import Run

SCRIPTED = ("llm=scripted", "annotator=scripted", "tracking=none", "live=off", "experiment.days=2")


def start(folder, *overrides, mode="run"):
    """One run with the scripted model, as the command line would start it."""
    values = compose([*SCRIPTED, *overrides])
    folder.mkdir(exist_ok=True)
    run = Run(folder)
    run.config_path.write_bytes(msgspec.yaml.encode(values))
    return execute(check(RunConfig, values), folder, mode)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of the English demo."""
    return start(tmp_path_factory.mktemp("runs") / "demo")


def copy(finished, folder):
    """The finished run's folder, to be damaged."""
    shutil.copytree(finished.run.path, folder)
    return Run(folder)


def test_a_run_leaves_all_that_it_promises(finished):
    """Config, manifest, log, calls, notes, annotations, metrics, figures and summary stand in the folder."""
    run = finished.run
    assert finished.outcome.state == "finished"
    assert finished.exit_code == 0
    for path in (run.log, run.calls_path, run.notes_path, run.metrics_path, run.manifest_path, run.config_path):
        assert path.stat().st_size > 0
    assert {p.suffix for p in run.figures.iterdir()} == {".png", ".svg"}
    assert any(run.annotations.glob("*.parquet"))
    summary = run.summary()["communities"]["demo-en"]
    assert summary["families"]["acts"]["numbers"]["js_distance"]["value"] > 0
    assert "two halves of the real one differ by" in summary["sentences"][0]
    assert run.manifest()["communities"]["demo-en"]["activity"]["fitted"]["events_n"] > 0


def test_openings_are_recorded_and_never_counted(finished):
    """The log begins with recorded openings; the summary counts simulated comments alone."""
    events = list(finished.run.events())
    texts = [e for e in events if isinstance(e, TextEvent)]
    simulated = [e for e in texts if e.origin == "simulated"]
    assert events[0].origin == "recorded"
    assert len(simulated) == finished.outcome.comments == finished.summary["communities"]["demo-en"]["comments"]
    assert len(simulated) < len(texts)


def test_every_comment_is_labelled_once(finished):
    """What the annotator counted is what the labels of the log hold: nothing is labelled for monitors and again for the end."""
    read = Annotations.read(columns_file(finished.run.annotations, "demo-en"), finished.run.digest)
    unread = sum(labels["acts"] is None for labels in read.columns.values())
    assert unread > 0
    assert read.sources["acts"].counts == {"not a text of the scripted model": unread}


def test_the_same_seed_writes_the_same_log(finished, tmp_path):
    """Again, with random latencies and one call at a time: the same bytes, the same published numbers."""
    slow = start(tmp_path / "slow", "llm.latency_s=0.002", "llm.latency_jitter=1", "llm.pool.concurrency=2")
    assert slow.run.log.read_bytes() == finished.run.log.read_bytes()
    assert slow.run.metrics_path.read_bytes() == finished.run.metrics_path.read_bytes()


def test_monitors_never_change_the_log(finished, tmp_path):
    """Without monitors and annotators' work the log is byte-identical."""
    bare = start(tmp_path / "bare", "monitor=[text]")
    assert bare.run.log.read_bytes() == finished.run.log.read_bytes()


def test_replay_proves_the_log(finished, tmp_path):
    """A replay makes no call and ends as `identical`; a changed record is found out."""
    run = copy(finished, tmp_path / "copy")
    config = check(RunConfig, run.config())
    assert execute(config, run.path, "replay").outcome.state == "identical"
    changed = run.log.read_bytes().replace(b"simulated", b"candidate", 1)
    run.log.write_bytes(changed)
    with pytest.raises(ReplayMismatch):
        execute(config, run.path, "replay")


def test_resume_finishes_a_torn_run(finished, tmp_path):
    """A run torn in the middle is finished to the same log and the same summary, answered calls aside."""
    run = copy(finished, tmp_path / "torn")
    log = run.log.read_bytes()
    calls = run.calls_path.read_bytes()
    run.log.write_bytes(log[: len(log) * 2 // 3])
    run.calls_path.write_bytes(calls[: len(calls) * 3 // 4])
    run.summary_path.unlink()
    again = execute(check(RunConfig, run.config()), run.path, "resume")
    assert run.log.read_bytes() == log
    assert again.summary["communities"] == finished.summary["communities"]
    assert again.summary["notices"]


def test_several_communities_in_one_run(tmp_path):
    """Each community is measured by itself; all share the log."""
    result = start(tmp_path / "two", "corpus.lang=[de,fr]")
    assert set(result.summary["communities"]) == {"demo-de", "demo-fr"}
    assert all(c["comments"] > 0 for c in result.summary["communities"].values())
    assert sum(c["comments"] for c in result.summary["communities"].values()) == result.outcome.comments


def test_teacher_forced_candidates_stand_beside_real_comments(tmp_path):
    """Every real comment with a comment before it and a persona gets a candidate; only recorded ones are applied."""
    result = start(tmp_path / "forced", "environment.teacher_forced=true", "condition=base")
    texts = {e.seq: e for e in result.run.events() if isinstance(e, TextEvent)}
    candidates = [e for e in texts.values() if e.origin == "candidate"]
    assert candidates
    assert {e.origin for e in texts.values()} == {"candidate", "recorded"}
    for candidate in candidates:
        target = texts[candidate.target]
        assert (target.origin, target.thread, target.actor) == ("recorded", candidate.thread, candidate.actor)
        assert candidate.seq < target.seq
        assert texts[candidate.parent].origin == "recorded"
    assert result.summary["communities"]["demo-en"]["comments"] == len(candidates)


def test_a_budget_ends_the_run_in_order_and_resume_goes_on(finished, tmp_path):
    """Ten comments, then `stopped: budget`; the log is a prefix; resumed without the budget it is finished."""
    part = start(tmp_path / "part", "budget.max_comments=10")
    assert part.outcome.state.startswith("stopped: budget: max_comments 10")
    assert finished.run.log.read_bytes().startswith(part.run.log.read_bytes())
    whole = compose(list(SCRIPTED))
    execute(check(RunConfig, whole), part.run.path, "resume")
    assert part.run.log.read_bytes() == finished.run.log.read_bytes()


def test_failed_calls_are_told(tmp_path):
    """A run in which a call failed past its retries isn't a success, and says which and why."""
    result = start(tmp_path / "bad", "llm.permanent_rate=0.3", "on_failure=abstain")
    assert result.exit_code == 1
    assert result.summary["failures"][0]["reason"]
    assert result.run.summary()["state"].startswith("failed: ")
    assert result.summary["counts"]["failed"] == len(result.summary["failures"])
    stopped = start(tmp_path / "stop", "llm.permanent_rate=0.3")
    assert stopped.outcome.state.startswith("failed")
    assert stopped.exit_code == 1


def test_garbage_is_repaired_once_or_refused(tmp_path):
    """Empty, AI-talk and noise answers never become comments."""
    result = start(tmp_path / "garbage", "llm.garbage_rate=0.6")
    refused = [e for e in result.run.events() if isinstance(e, ActionRefused)]
    assert refused
    assert all("language model" not in e.text for e in result.run.events() if isinstance(e, TextEvent))
    assert result.outcome.state == "finished"


def test_a_dry_run_estimates_and_makes_no_call(tmp_path):
    """Expected calls and tokens, no log."""
    result = start(tmp_path / "dry", "dry_run=true")
    assert result.summary["calls_expected"] > 0
    assert not result.run.log.exists()


def test_activity_by_hand(tmp_path):
    """Fields set by hand win over the fitted ones; a negative rate is refused with its bound."""
    result = start(tmp_path / "hand", "activity.set.think.mean_s=0")
    assert result.outcome.most_in_flight == 1
    with pytest.raises(ConfigError, match=r"activity\.set.*rate_per_day=-1"):
        start(tmp_path / "negative", "activity.set.rate_per_day=-1")


def test_activity_by_hand_reaches_any_depth(tmp_path):
    """One number of a fitted shape can be set; another kind of shape takes the whole shape's place."""
    one = start(tmp_path / "one", "activity.set.think.shape.sigma=0.5", "budget.max_comments=1").run.manifest()
    think = one["communities"]["demo-en"]["activity"]["think"]
    assert think["shape"] == {"kind": "lognormal", "sigma": 0.5}
    assert think["mean_s"] > 600
    other = start(
        tmp_path / "other", "activity.set.think.shape.kind=exponential", "budget.max_comments=1"
    ).run.manifest()
    assert other["communities"]["demo-en"]["activity"]["think"]["shape"] == {"kind": "exponential"}


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "empty"), ("== Hello ==\nNobody signed this.\n", "sign"), (None, "no file or folder")],
)
def test_unreadable_pages_say_what_is_wrong(tmp_path, text, message):
    """An empty file, a page without signatures and a missing file are clear errors."""
    page = tmp_path / "page.wikitext"
    if text is not None:
        page.write_text(text)
    with pytest.raises(CorpusError, match=f"(?i){message}"):
        start(tmp_path / "bad", "corpus=wikitext", f"corpus.path={page}", "corpus.lang=en")


def test_personas_that_lack_what_the_condition_shows_are_refused(tmp_path, demo_page):
    """`profile` on raw wikitext: there is no persona data, and the error says what to do."""
    with pytest.raises(ConfigError, match="profile"):
        start(tmp_path / "none", "corpus=wikitext", f"corpus.path={demo_page}", "condition=profile")


@pytest.fixture
def demo_page():
    """A raw Talk page of the shipped demo."""
    from folkmoot.environments.corpora import demo

    return demo.FOLDER / "en" / "1.wikitext"


def test_a_raw_page_runs_by_history(tmp_path, demo_page):
    """One page is enough: split in time, condition `history`, names pseudonymised."""
    result = start(
        tmp_path / "page", "corpus=wikitext", f"corpus.path={demo_page}", "monitor=[text,threads,network]",
        "experiment.days=20",
    )  # fmt: skip
    assert result.outcome.state == "finished"
    assert result.outcome.comments > 0
    assert b"Saltmarsh" not in result.run.log.read_bytes()
    assert result.run.manifest()["communities"]["wikitext-en"]["rate_scale"] >= 1


def test_nobody_looks_all_the_time():
    """Law: who would look over 10 000 times a day is refused with a scale that does: no budget would end such a run."""
    rates = {"ann": 5_000.0, "bob": 20_000.0}
    with pytest.raises(ConfigError, match=r"bob would look 20000 times a day, at most 10000 .*rate_scale=500 or less"):
        check_rates(rates, 1000)
    check_rates({name: rate / 2 for name, rate in rates.items()}, 500)
    check_rates({}, 1)
