"""Tracking: what W&B gets, what it never gets, and that nothing that happens to it touches the run."""

import json
import logging
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from folkmoot.sim.sinks.redact import REDACTED, artifact_files, redact
from folkmoot.sim.tracking import NullConfig, NullTracker, Table, TrackingConfig, WandbConfig, build_tracker

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
TEXT = "The mill has never been red, whatever the plaque says."
CONFIG = {"seed": 3, "llm": {"api_key": "abcd-1234", "max_tokens": 64}, "corpus": {"salt": "deep salt"}}


@pytest.fixture(autouse=True)
def no_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees an account or settings of this machine."""
    for name in [name for name in os.environ if name.startswith("WANDB_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NETRC", str(tmp_path / "home" / "netrc"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished run's folder, with texts where a real one has them."""
    folder = tmp_path / "grid" / "run-1"
    (folder / "figures").mkdir(parents=True)
    (folder / "annotations").mkdir()
    for name in ("events.jsonl", "calls.jsonl", "notes.jsonl", "annotations/acts.parquet"):
        (folder / name).write_text(TEXT)
    for name in ("manifest.json", "summary.json", "metrics.jsonl"):
        (folder / name).write_text("{}")
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    (folder / "figures" / "acts.png").write_bytes(PIXEL)
    return folder


def drive(
    folder: Path, state: str = "finished", finish_s: float = 60.0, between: Any = None, **config: Any
) -> tuple[Any, float]:
    """A run of three publish points under a tracker; the tracker, and the longest call before the end, in seconds."""
    tracker = build_tracker(WandbConfig(finish_timeout_s=finish_s, **config))
    took = [_timed(tracker.start, CONFIG, folder)]
    took += [_timed(tracker.log, step, {"acts.js": step / 8, "acts.n": step}) for step in (10, 20, 30)]
    if between is not None:
        between(tracker)
    table = Table(["act", "share"], [["ASK", 0.25], ["REPORT", None]])
    tracker.finish(
        state, {"js": 0.21, "tokens": {"prompt": 7}}, [folder / "figures" / "acts.png"], {"acts": table}, folder
    )
    return tracker, max(took)


def _timed(function: Any, *arguments: Any) -> float:
    start = time.monotonic()
    function(*arguments)
    return time.monotonic() - start


def records(folder: Path) -> Iterator[Any]:
    """The records of an offline run: a LevelDB log (blocks of 32 KiB, headers of 7 bytes) of protobuf messages."""
    pb = pytest.importorskip("wandb.proto.wandb_internal_pb2")
    (path,) = folder.glob("wandb/offline-run-*/run-*.wandb")
    data, at, whole = path.read_bytes(), 7, b""
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        _, size, kind = struct.unpack("<IHB", data[at : at + 7])
        whole += data[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in {1, 4}:
            record = pb.Record()
            record.ParseFromString(whole)
            yield record
            whole = b""


def pairs(items: Any) -> dict[str, Any]:
    """Key -> value of W&B's lists of JSON items."""
    return {item.key or ".".join(item.nested_key): json.loads(item.value_json) for item in items}


def test_an_offline_run_is_whole_and_holds_no_text(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Config, scalars by step, summary, state, table, figure and artifact stand in W&B's file; texts and secrets don't."""
    tracker, longest = drive(folder)
    assert not tracker.failures
    assert longest < 0.5
    found = list(records(folder))
    run = next(record.run for record in found if record.HasField("run"))
    config = pairs(run.config.update)
    assert (run.project, run.run_group, run.display_name) == ("folkmoot", "grid", "run-1")
    assert (config["seed"], config["llm"], config["corpus"]) == (
        3, {"api_key": REDACTED, "max_tokens": 64}, {"salt": REDACTED},
    )  # fmt: skip
    history = [pairs(record.history.item) for record in found if record.HasField("history")]
    assert [(row["_step"], row["acts.js"]) for row in history if "acts.js" in row] == [
        (10, 1.25),
        (20, 2.5),
        (30, 3.75),
    ]
    assert (history[-1]["tables/acts._type"], history[-1]["tables/acts.nrows"]) == ("table-file", 2)
    assert (history[-1]["figures/acts._type"], history[-1]["figures/acts.size"]) == ("image-file", len(PIXEL))
    summary: dict[str, Any] = {}
    for record in found:
        if record.HasField("summary"):
            summary |= pairs(record.summary.update)
    assert (summary["state"], summary["js"]) == ("finished", 0.21)
    artifacts = [record.request.log_artifact.artifact for record in found if record.request.HasField("log_artifact")]
    artifacts += [record.artifact for record in found if record.HasField("artifact")]
    names = {entry.path for artifact in artifacts if artifact.type == "run" for entry in artifact.manifest.contents}
    assert names == {"manifest.json", "summary.json", "metrics.jsonl", "figures/acts.png"}
    assert [record.exit.exit_code for record in found if record.HasField("exit")] == [0]
    kept = b"".join(path.read_bytes() for path in (folder / "wandb").rglob("*") if path.is_file())
    assert not any(secret in kept for secret in (TEXT.encode(), b"abcd-1234", b"deep salt"))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("state", "code"), [("failed: activation 3 of Ada: dead", 1), ("stopped: budget: tokens 9 used up", 0)]
)
def test_the_state_of_the_run_is_told(folder: Path, state: str, code: int) -> None:
    """A failed run fails in W&B too; a run stopped in order doesn't, and its summary says why it stopped."""
    drive(folder, state)
    found = list(records(folder))
    assert [record.exit.exit_code for record in found if record.HasField("exit")] == [code]
    states = [pairs(record.summary.update).get("state") for record in found if record.HasField("summary")]
    assert state in states


DIES = """
import os, pathlib, signal, sys
from folkmoot.sim.tracking import WandbConfig, build_tracker
tracker = build_tracker(WandbConfig())
tracker.start({}, pathlib.Path(sys.argv[1]))
tracker.log(1, {"x": 1.0})
tracker._started.wait(60)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_run_that_dies_is_marked_as_failed(folder: Path) -> None:
    """A run killed in its tracks leaves a complete W&B run with exit code 1, and no process."""
    subprocess.run([sys.executable, "-c", DIES, str(folder)], check=False)
    codes: list[int] = []
    deadline = time.monotonic() + 60
    while not codes and time.monotonic() < deadline:
        codes = [record.exit.exit_code for record in records(folder) if record.HasField("exit")]
        time.sleep(0.1)
    assert codes == [1]


# --- outages -------------------------------------------------------------------------------------------


def _is_off(tracker: Any, caplog: pytest.LogCaptureFixture, what: str, why: str) -> None:
    """The failure is counted and was said once."""
    assert tracker.failures[what] == 1
    assert _soon(lambda: len(caplog.records) > 0)
    told = [record.getMessage() for record in caplog.records if record.name == "folkmoot.tracking"]
    assert len(told) == 1
    assert why in told[0]


def _server(*, answers: bool) -> tuple[socket.socket, str]:
    """A loopback port that is closed, or one that takes connections and never says a word."""
    server = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{server.getsockname()[1]}"
    if not answers:
        server.close()
    return server, address


def _soon(holds: Any, seconds: float = 5.0) -> bool:
    """Whether it holds within some seconds."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(holds())


@pytest.mark.parametrize("answers", [False, True])
def test_a_dead_or_silent_server_is_given_up(
    answers: bool, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Online without a server that answers: nobody waits, and after the time-out the sink is off."""
    server, address = _server(answers=answers)
    monkeypatch.setenv("WANDB_BASE_URL", address)
    monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
    with server:
        start = time.monotonic()
        tracker, longest = drive(folder, mode="online", start_timeout_s=6.0, finish_s=20.0)
    assert longest < 0.5
    assert time.monotonic() - start < 22
    assert tracker.failures["start"] == 1
    assert _soon(lambda: len(caplog.records) == 1)  # the worker counts a failure just before it tells of it
    tracker.log(40, {"x": 1.0})
    assert tracker.failures["dropped after the sink went quiet"] == 1


def test_no_account_is_an_outage(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Online without an account: no prompt, one notice with W&B's own words."""
    tracker, _ = drive(folder, mode="online")
    _is_off(tracker, caplog, "start", "API key")


def test_without_the_package_the_run_goes_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where wandb isn't installed the notice says so."""
    _hide_wandb(tmp_path, monkeypatch)
    tracker, longest = drive(folder)
    assert longest < 0.5
    _is_off(tracker, caplog, "start", "No module named 'wandb'")


def _hide_wandb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "wandb.py").write_text("raise ModuleNotFoundError(\"No module named 'wandb'\")\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "hidden"))


def test_a_disk_that_refuses_is_an_outage(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """No folder for W&B: counted, said once."""
    (folder / "wandb").write_text("in the way")
    tracker, _ = drive(folder)
    _is_off(tracker, caplog, "start", "wandb")


def test_a_killed_process_is_an_outage(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """W&B's process dies in the middle of the run."""

    def kill(tracker: Any) -> None:
        assert tracker._started.wait(60)
        tracker._process.kill()

    tracker, _ = drive(folder, between=kill)
    _is_off(tracker, caplog, "run", "exit code -9")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds W&B's service through /proc")
def test_a_dead_service_is_an_outage(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """W&B's own service process dies: the end of the run waits no longer than it may."""

    def kill(tracker: Any) -> None:
        assert tracker._started.wait(60)
        os.kill(_child_of(tracker._process.pid), signal.SIGKILL)

    start = time.monotonic()
    tracker, _ = drive(folder, finish_s=20.0, between=kill)
    assert time.monotonic() - start < 40
    assert sum(tracker.failures.values()) == 1
    assert len(caplog.records) == 1


def _child_of(pid: int) -> int:
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after_name[1]) == pid:
            return int(path.parent.name)
    raise AssertionError(f"process {pid} has no child")


def test_a_full_queue_drops_and_counts(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Publish points beyond the queue are dropped and counted; the run never waits for room."""
    tracker = build_tracker(WandbConfig(queue_size=1))
    tracker._put("start")
    assert _timed(tracker.log, 1, {"x": 1.0}) < 0.1
    assert tracker.failures == {"dropped, queue full": 1}


def test_finish_without_start_returns_at_once(folder: Path) -> None:
    """A run that failed before its tracker started has nothing to wait for."""
    tracker = build_tracker(WandbConfig())
    assert _timed(tracker.finish, "failed", {}) < 0.5


@pytest.mark.parametrize("outage", [False, True])
def test_the_log_is_the_same_with_and_without_wandb(
    outage: bool, town: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A run tracked by W&B, or by a W&B that isn't there, writes the log of an untracked run byte for byte."""
    if outage:
        _hide_wandb(tmp_path, monkeypatch)
    plain, tracked = town("plain"), town("tracked")
    plain.run()
    sink = Follow(build_tracker(WandbConfig()), tracked.folder)
    tracked.run(sinks=[sink])
    sink.tracker.finish("finished", {})
    assert tracked.log.read_bytes() == plain.log.read_bytes()
    # How many points come after W&B is given up depends on who is faster.
    assert {reason for reason in sink.tracker.failures if not reason.startswith("dropped")} == (
        {"start"} if outage else set()
    )


class Follow:
    """A kernel's sink that logs every commit to a tracker."""

    def __init__(self, tracker: Any, folder: Path) -> None:
        self.tracker, self.seen = tracker, 0
        tracker.start(CONFIG, folder)

    def committed(self, events: Any, turn: Any) -> None:
        """Count the events."""
        self.seen += len(events)

    async def settle(self) -> str | None:
        """Publish."""
        self.tracker.log(self.seen, {"events": self.seen})
        return None


# --- what may leave the machine, and configuration ----------------------------------------------------------


@settings(max_examples=50)
@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_no_secret_survives(value: Any) -> None:
    """Whatever stands under a secret's name, at any depth, is gone, and the config itself is unchanged."""
    config = {"a": [{"API_Key": "hunter2", "nested": value}], "password": {"deep": "hunter2"}, "x.token=hunter2": 1}
    before = json.dumps(config)
    kept = json.dumps({key: item for key, item in redact(config).items() if key != "x.token=hunter2"})
    assert "hunter2" not in kept.replace(json.dumps(redact(value)), "")
    assert json.dumps(config) == before


def test_counts_of_tokens_are_no_secrets() -> None:
    """Numbers that a table needs stay."""
    counts = {"max_tokens": 5, "tokens": {"prompt": 3}, "token": None, "note": "tokens=5"}
    assert redact(counts) == counts


def test_texts_are_taken_only_on_demand(folder: Path) -> None:
    """By default figures and numbers only; with text everything but the raw config and W&B's own files."""
    (folder / "wandb").mkdir()
    (folder / "wandb" / "x.json").write_text("{}")
    (folder / ".hydra").mkdir()
    (folder / ".hydra" / "overrides").write_text("llm.api_key=abcd")
    numbers = [name for _, name in artifact_files(folder, text=False)]
    everything = [name for _, name in artifact_files(folder, text=True)]
    assert numbers == ["figures/acts.png", "manifest.json", "metrics.jsonl", "summary.json"]
    assert set(everything) - set(numbers) == {"events.jsonl", "calls.jsonl", "notes.jsonl", "annotations/acts.parquet"}


@pytest.mark.parametrize(("name", "default"), [("wandb", WandbConfig()), ("none", NullConfig())])
def test_the_yamls_have_the_models_fields(name: str, default: Any) -> None:
    """conf/tracking names every field with its default, and `kind` picks the model."""
    from importlib.resources import files

    values = yaml.safe_load((files("folkmoot") / "conf" / "tracking" / f"{name}.yaml").read_text(encoding="utf-8"))
    assert TypeAdapter(TrackingConfig).validate_python(values) == default
    assert values.keys() == default.model_dump().keys()


def test_the_null_tracker_keeps_nothing(tmp_path: Path) -> None:
    """It takes everything, writes nothing and fails never."""
    tracker = build_tracker(NullConfig())
    assert isinstance(tracker, NullTracker)
    tracker.start(CONFIG, tmp_path)
    tracker.log(1, {"x": 1.0})
    tracker.finish("finished", {}, artifact=tmp_path)
    assert not tracker.failures
    assert list(tmp_path.iterdir()) == []


def test_starting_costs_nothing() -> None:
    """The module that every run imports doesn't import wandb."""
    code = "import sys, folkmoot.sim.tracking; sys.exit('wandb' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_notices_go_through_logging() -> None:
    """The notice's logger has a name of ours, so that a user can silence it."""
    from folkmoot.sim.sinks import wandb_tracker

    assert isinstance(wandb_tracker._log, logging.Logger)
    assert wandb_tracker._log.name == "folkmoot.tracking"
