"""Laws of `folkmoot run`, `resume`, `replay`, `compare`, and of the same from Python."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from typer.testing import CliRunner

import folkmoot
from folkmoot.metrics.annotations import Annotations, Source, columns_file
from folkmoot.sim.__main__ import app
from folkmoot.sim.claim import claimed
from folkmoot.sim.commands.api import fresh, outside_loops
from folkmoot.sim.errors import AnnotationError, ConfigError, LogError
from folkmoot.sim.experiments import community
from folkmoot.sim.runs import Run

QUICK = (
    *("llm=scripted", "annotator=scripted", "tracking=none", "live=off"),
    *("experiment.days=0.5", "monitor=[acts]"),
)


def told(*arguments):
    """Exit code and output of a command."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run."""
    return folkmoot.run(QUICK, tmp_path_factory.mktemp("grid") / "one").run


@pytest.fixture
def copied(finished, tmp_path):
    """The finished run's folder, to be damaged."""
    shutil.copytree(finished.path, tmp_path / "copy")
    return Run(tmp_path / "copy")


# --- folders --------------------------------------------------------------------------------------


def test_no_two_ask_for_a_folder_and_get_the_same(tmp_path):
    """Law: however many ask for the next free folder at once, each gets its own."""
    with ThreadPoolExecutor(16) as pool:
        got = list(pool.map(lambda _: fresh(tmp_path / "deep" / "run"), range(64)))
    assert len(set(got)) == 64
    assert sorted(got) == sorted((tmp_path / "deep").iterdir())


def test_a_folder_that_is_taken_is_told(tmp_path, monkeypatch):
    """Law: a run whose folder was there already goes into another, and says so in a line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    code, said = told("run", *QUICK, "experiment.days=0.05", "monitor=[text]", "hydra.run.dir=mine")
    assert code == 0
    assert "run folder: mine_2 (mine was there already)" in said


def test_a_second_run_leaves_the_first_alone(copied):
    """Law: a run into a folder where one stands is refused, and not a byte of it changes."""
    before = {path: path.read_bytes() for path in copied.path.iterdir() if path.is_file()}
    with pytest.raises(ConfigError, match=r"a run stands here: `folkmoot resume .*copy`, or name another"):
        folkmoot.run([*QUICK, "seed=2"], copied.path)
    after = {path: path.read_bytes() for path in copied.path.iterdir() if path.is_file()}
    assert {p: b for p, b in after.items() if p.name != ".lock"} == {
        p: b for p, b in before.items() if p.name != ".lock"
    }


def test_a_grid_into_an_old_folder_is_refused(finished, tmp_path):
    """Law: `-m hydra.sweep.dir=X` into an earlier grid's folder changes none of its runs."""
    shutil.copytree(finished.path, tmp_path / "0_seed1")
    log = (tmp_path / "0_seed1" / "events.jsonl").read_bytes()
    code, output = told("run", "-m", *QUICK, "seed=1", f"hydra.sweep.dir={tmp_path}")
    assert code == 2
    assert "a run stands here" in output
    assert (tmp_path / "0_seed1" / "events.jsonl").read_bytes() == log


@pytest.mark.parametrize("act", ["run", "resume"])
def test_a_folder_in_use_is_refused(copied, act):
    """Law: neither run nor resume touches a folder that another holds."""
    log = copied.log.read_bytes()
    with claimed(copied.path), pytest.raises(LogError, match="another process runs here"):
        folkmoot.run(QUICK, copied.path) if act == "run" else folkmoot.resume(copied.path)
    assert copied.log.read_bytes() == log


@pytest.mark.parametrize("arguments", [["--dry-run"], ["dry_run=true"], ["-m", "--dry-run", "seed=1,2"]])
def test_a_dry_run_makes_nothing(arguments, tmp_path, monkeypatch):
    """Law: a dry run tells its estimate and leaves no file and no folder, in a grid too."""
    monkeypatch.chdir(tmp_path)
    code, output = told("run", *arguments, *QUICK)
    assert code == 0
    assert re.search(r"calls", output)
    assert list(tmp_path.iterdir()) == []


# --- resume ---------------------------------------------------------------------------------------


def test_a_run_that_used_up_its_budget_goes_on_without_it(finished, tmp_path):
    """Law: stopped by a budget and resumed without it, the log is that of a run that never had one."""
    stopped = folkmoot.run([*QUICK, "budget.max_comments=3"], tmp_path / "short")
    assert stopped.outcome.state.startswith("stopped: budget: max_comments")
    code, output = told("resume", stopped.run.path)
    assert code == 0
    assert f"folkmoot resume {stopped.run.path} budget.max_comments=null" in output
    whole = folkmoot.resume(stopped.run.path, ["budget.max_comments=null", "live=off", "tracking=none"])
    assert whole.outcome.state == "finished"
    assert whole.run.log.read_bytes() == finished.log.read_bytes()
    assert whole.run.config()["budget"]["max_comments"] is None
    assert whole.run.config()["live"] == "off"


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("seed=2", "seed=2: a run that has begun keeps it.*budget, live, tracking, llm.pool, on_failure"),
        ("llm=scripted", "llm=scripted: a run that has begun keeps it"),
        ("budgeting=2", "budgeting=2: a run that has begun keeps it"),
        ("budget.max_coments=2", "unknown key 'budget.max_coments'; did you mean 'max_comments'"),
        ("budget.tokens=-1", "budget.tokens=-1: at least 1 is needed"),
        ("budget.tokens=1,2", "one value"),
        ("tracking=wandbb", "did you mean 'wandb'"),
        ("live", "live"),
    ],
)
def test_what_would_make_another_log_is_refused(copied, override, message):
    """Law: resume takes only what the log doesn't depend on; a refused override leaves the config as it was."""
    config = copied.config_path.read_bytes()
    with pytest.raises(ConfigError, match=message):
        folkmoot.resume(copied.path, [override])
    assert copied.config_path.read_bytes() == config


def test_a_finished_run_has_nothing_left_to_do(copied):
    """Law: resumed, a finished run is said to be finished and where it stands; nothing is done or written."""
    before = {path: path.read_bytes() for path in copied.path.rglob("*") if path.is_file()}
    code, output = told("resume", copied.path)
    assert code == 0
    assert "finished already" in output
    assert "JS distance" not in output
    assert f"run folder: {copied.path}" in output
    assert {path: path.read_bytes() for path in copied.path.rglob("*") if path.is_file()} == before


def test_a_finished_run_whose_log_was_cut_goes_on(copied):
    """Law: a summary that says finished isn't believed over a log that lacks its end."""
    log = copied.log.read_bytes()
    copied.log.write_bytes(log[: len(log) // 2])
    code, output = told("resume", copied.path)
    assert code == 0
    assert "finished already" not in output
    assert copied.log.read_bytes() == log


def test_resume_starts_a_run_that_was_killed_before_its_first_event(finished, tmp_path):
    """Law: from a config alone resume makes the whole run."""
    shutil.copy(finished.config_path, tmp_path)
    code, _ = told("resume", tmp_path)
    assert code == 0
    assert (tmp_path / "events.jsonl").read_bytes() == finished.log.read_bytes()


# --- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["resume", "replay", "show", "compare", "export"])
@pytest.mark.parametrize(
    ("name", "content"),
    [("config.yaml", b"[1]"), ("config.yaml", b"\xff{"), ("manifest.json", b"[]"), ("notes.jsonl", b"{\n"), ("", b"")],
)
def test_a_damaged_folder_gives_words_and_no_traceback(copied, command, name, content):
    """Law: whatever is broken in a folder, a command works all the same or exits 2 with one error."""
    if name:
        (copied.path / name).write_bytes(content)
    else:
        shutil.rmtree(copied.path)
    code, output = told(command, copied.path)
    assert code in {0, 2}
    assert ("error" in output) == (code == 2)


@pytest.mark.parametrize("command", ["resume", "show", "compare", "export"])
def test_a_refusal_of_the_system_is_one_message(copied, command):
    """Law: an OSError (here: a folder where a file should be) is an error with exit code 2."""
    for path in (copied.log, copied.summary_path):
        path.unlink()
        path.mkdir()
    assert told(command, copied.path)[0] == 2


@pytest.mark.parametrize("where", [["hydra.run.dir={}/x/run"], ["-m", "seed=1,2", "hydra.sweep.dir={}/x"]])
def test_a_place_that_cant_be_written_is_one_message(where, tmp_path):
    """Law: where no run folder can be made (here: below a file) run and grid say so and exit 2."""
    (tmp_path / "file").write_text("")
    code, output = told("run", *QUICK, *(part.format(tmp_path / "file") for part in where))
    assert code == 2
    assert "error" in output
    assert "Traceback" not in output


def test_a_file_is_no_run_folder(tmp_path):
    """Law: where the run folder's name is a file's, the run is refused and nothing is made beside it."""
    (tmp_path / "notes.md").write_text("mine")
    code, output = told("run", *QUICK, f"hydra.run.dir={tmp_path / 'notes.md'}")
    assert code == 2
    assert "notes.md: isn't a folder; name one" in output
    assert [path.name for path in tmp_path.iterdir()] == ["notes.md"]


def test_a_log_that_is_gone_or_garbage_comes_back_as_it_was(copied):
    """Law: the log that an error says `resume` writes again is the one that was, byte for byte."""
    before = copied.log.read_bytes()
    copied.log.write_bytes(b"garbage without an end")
    for command in ("show", "replay"):
        code, output = told(command, copied.path)
        assert (code, "mends it" in output) == (2, True)
    for spoil in (lambda: None, copied.log.unlink):
        spoil()
        assert told("resume", copied.path)[0] == 0
        assert copied.log.read_bytes() == before


def test_a_file_where_a_folder_is_needed_is_told_so(copied):
    """Law: a file in the place of the annotations' folder is named with what is needed, not taken for a full disk."""
    shutil.rmtree(copied.annotations)
    copied.annotations.write_text("")
    copied.log.write_bytes(b"".join(copied.log.read_bytes().splitlines(keepends=True)[:-1]))
    code, output = told("resume", copied.path)
    assert code == 2
    assert "a folder is needed there: move the file away" in output


def test_hydras_own_flags_are_told_in_plain_words(tmp_path):
    """Law: a wrong override beside a flag of Hydra's is one message as well."""
    code, output = told("run", "--config-dir", tmp_path, "llm=scriptd")
    assert code == 2
    assert "did you mean 'scripted'" in output


# --- the command line -----------------------------------------------------------------------------


def test_version_and_wrong_names():
    """Law: --version answers; a wrong command, option or experiment names the nearest right one."""
    assert re.fullmatch(r"folkmoot \d+\.\d+.*", told("--version")[1])
    assert "Did you mean 'run'" in told("rnu")[1]
    assert "Did you mean 'compare'" in told("comprae")[1]
    code, output = told("run", "experiment=comunity")
    assert code == 2
    assert "did you mean 'community'" in output


def test_an_interrupted_command_is_one_line(monkeypatch, finished):
    """Law: Ctrl-C under any command is one line and exit code 130."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("folkmoot.sim.commands.show.show_thread", interrupted)
    assert told("show", finished.path) == (130, "interrupted; a run that had begun goes on with `folkmoot resume RUN`")


def test_an_interrupt_ends_a_grid(tmp_path):
    """Law: Ctrl-C in a grid ends it: the run in hand is resumable, the next one isn't begun, the exit code is 130."""
    slow = ["llm.latency_s=0.05", "llm.pool.concurrency=1", "experiment.days=7", f"hydra.sweep.dir={tmp_path}"]
    command = [sys.executable, "-m", "folkmoot.sim", "run", "-m", *QUICK, *slow, "seed=1,2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as grid:
        calls = tmp_path / "0_seed1" / "calls.jsonl"
        while grid.poll() is None and not (calls.exists() and calls.stat().st_size):
            time.sleep(0.05)
        grid.send_signal(signal.SIGINT)
        output, errors = grid.communicate()
    assert grid.returncode == 130, errors
    assert "stopped: interrupted" in output
    assert "Traceback" not in errors
    assert not (tmp_path / "1_seed2").exists()


# --- compare --------------------------------------------------------------------------------------


def test_compare_makes_rows_by_any_key(finished, tmp_path):
    """Law: rows are the combinations of the keys' values, written as they stand in the config."""
    other = folkmoot.run([*QUICK, "seed=2"], tmp_path / "two").run
    table = folkmoot.compare([finished.path, other.path], ["seed"])
    assert "demo-en, seed=1" in table
    assert "demo-en, seed=2" in table
    code, output = told("compare", finished.path.parent, "--by", "seed, llm")
    assert (code, "seed=1, llm=scripted" in output) == (0, True)
    with pytest.raises(ConfigError, match="did you mean 'seed'"):
        folkmoot.compare([finished.path], ["sed"])
    with pytest.raises(ConfigError, match="budget.max_comments"):
        folkmoot.compare([finished.path], ["budget"])


def test_compare_says_which_run_was_not_measured(copied):
    """Law: a run that failed before it was measured is named with its state and the way out."""
    shutil.rmtree(copied.annotations)
    copied.summary_path.write_text('{"state": "failed: no disk"}')
    with pytest.raises(LogError, match=r"copy isn't measured \(state: failed: no disk\); `folkmoot resume .*copy`"):
        folkmoot.compare([copied.path])


def test_compare_refuses_two_annotators(finished, copied):
    """Law: rows labelled by different annotators aren't put into one table; both runs are named."""
    for name in ("demo-en", "demo-en.reference"):
        file = columns_file(copied.annotations, name)
        old = Annotations.read(file)
        renamed = {role: Source(s.name, "other", s.labels, s.counts) for role, s in old.sources.items()}
        Annotations(old.digest, old.columns, renamed).write(file)
    assert "demo-en" in folkmoot.compare([copied.path])
    with pytest.raises(AnnotationError, match=f"{finished.path}.*other labelled {copied.path}"):
        folkmoot.compare([finished.path, copied.path])


# --- from Python ----------------------------------------------------------------------------------


def test_all_works_inside_an_event_loop(tmp_path):
    """Law: run, replay, resume and compare work where a loop is running, as in a notebook."""

    async def cell():
        result = folkmoot.run(QUICK, tmp_path / "run")
        states = [result.outcome.state, folkmoot.replay(result.run.path).outcome.state]
        return [*states, folkmoot.resume(result.run.path).outcome.state], folkmoot.compare([result.run.path])

    states, table = asyncio.run(cell())
    assert states == ["finished", "identical", "finished"]
    assert "demo-en" in table


def interrupted_twice(act, pause=0.3):
    """Call this in a running loop, as a notebook does, and press Ctrl-C at 1 and at 2 pauses."""

    async def cell():
        return outside_loops(act)

    timers = [threading.Timer(pause * n, os.kill, (os.getpid(), signal.SIGINT)) for n in (1, 2)]
    loop = asyncio.new_event_loop()
    try:
        for timer in timers:
            timer.start()
        return loop.run_until_complete(cell())
    finally:
        for timer in timers:
            timer.cancel()
        loop.close()


def test_a_notebooks_interrupt_reaches_the_run(monkeypatch):
    """Law: the first interrupt of a notebook is handed to the run, which ends in order and gives its result."""
    ended = threading.Event()
    monkeypatch.setattr(community, "interrupt_current", ended.set, raising=False)
    assert interrupted_twice(lambda: ended.wait(30)) is True


def test_a_notebook_is_never_held_up(monkeypatch):
    """Law: where the run doesn't end at the first interrupt, the second one gives the notebook back."""
    ended = threading.Event()
    monkeypatch.setattr(community, "interrupt_current", lambda: None)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interrupted_twice(lambda: ended.wait(30))
    ended.set()
    assert time.monotonic() - began < 20
