"""Laws of a run's folder: what is damaged is said in words, one process holds it, and a fresh process reads it."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from folkmoot.environments.talk_page.events import CommentPosted
from folkmoot.sim.claim import claimed
from folkmoot.sim.errors import LogError
from folkmoot.sim.log import EventLog
from folkmoot.sim.runs import Run

OBJECTS = ("", "null", "[1, 2]", "3", '"text"', "{1: 2}", "{a: [", b"\xff\xfe\xfa", "\x00")


@pytest.fixture
def run(tmp_path):
    """A run folder with one event."""
    log = EventLog(tmp_path / "events.jsonl")
    fields = {"time": 1, "actor": "ann", "community": "en", "origin": "simulated", "language": "en"}
    log.append(CommentPosted(seq=0, thread="t", parent=None, text="Hello", page="Talk:Mill", **fields))
    log.close()
    return Run.open(tmp_path)


def put(path, content):
    """Write text or bytes."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize("content", OBJECTS)
@pytest.mark.parametrize("name", ["config.yaml", "manifest.json", "summary.json"])
def test_a_damaged_file_is_told_with_its_path(run, name, content):
    """Law: whatever stands in config, manifest or summary, reading gives a mapping or an error that names the file."""
    put(run.path / name, content)
    reader = {"config.yaml": run.config, "manifest.json": run.manifest, "summary.json": run.summary}[name]
    with pytest.raises(LogError, match=name):
        reader()


@pytest.mark.parametrize("name", ["config.yaml", "manifest.json", "summary.json"])
def test_a_missing_file_is_told_with_its_path(run, name):
    """Law: a file that isn't there is an error that names it."""
    reader = {"config.yaml": run.config, "manifest.json": run.manifest, "summary.json": run.summary}[name]
    with pytest.raises(LogError, match=f"{name}: can't be read"):
        reader()


@pytest.mark.parametrize("content", ["{}", '{"communities": []}', '{"communities": {"en": 3}}'])
def test_a_manifest_without_communities_is_told(run, content):
    """Law: a manifest has parameters of communities, or the error says that they are missing."""
    put(run.manifest_path, content)
    with pytest.raises(LogError, match=r"manifest.json: holds no parameters under \"communities\""):
        run.manifest()


@pytest.mark.parametrize(
    "broken", ["{", "[1]", "null", "", b"\xff", '{"a": "\udcff"}'.encode("utf-8", "surrogatepass")]
)
@pytest.mark.parametrize("name", ["metrics.jsonl", "notes.jsonl"])
def test_a_broken_line_is_told_with_its_number(run, name, broken):
    """Law: a whole line that isn't an object is an error with path, number and way out."""
    put(run.path / name, b'{"a": 1}\n' + (broken.encode() if isinstance(broken, str) else broken) + b"\n")
    with pytest.raises(LogError, match=rf"{name}: line 2 isn't a JSON object.*resume"):
        (run.metrics if name == "metrics.jsonl" else run.notes)()


def test_an_unfinished_line_is_passed_over(run):
    """Law: the last line may be in the writing still; what is whole before it is read."""
    put(run.notes_path, '{"a": 1}\n{"a"')
    assert run.notes() == [{"a": 1}]


def test_a_run_that_was_ended_before_its_first_event_says_so(tmp_path):
    """Law: a config without a log isn't "no run folder": the error says how to start it."""
    put(tmp_path / "config.yaml", "seed: 1\n")
    with pytest.raises(LogError, match="before its first event; start it by `folkmoot resume"):
        Run.open(tmp_path)


@pytest.mark.parametrize("how", ["folkmoot.Run.open", "__import__('folkmoot.sim.runs').sim.runs.Run.open"])
def test_a_fresh_process_reads_the_events(run, how):
    """Law: events are read where nothing but the package was imported."""
    code = f"import folkmoot; print([type(e).__name__ for e in {how}({str(run.path)!r}).events()])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "['CommentPosted']", done.stderr


HOLD = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from folkmoot.sim.claim import claimed
    with claimed(Path(sys.argv[1])):
        print("held", flush=True)
        sys.stdin.read()
    """
)


def test_one_process_holds_a_folder(tmp_path):
    """Law: while a process holds a folder another is refused with the holder's pid; a killed one holds nothing."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LogError, match=rf"another process runs here \(pid {holder.pid}\)"), claimed(tmp_path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with claimed(tmp_path):
            assert (tmp_path / ".lock").read_text() == f"{os.getpid()}\n"
    with claimed(tmp_path):
        pass


def test_a_folder_that_cant_be_written_is_told(tmp_path):
    """Law: where the lock can't be made the error names it."""
    with pytest.raises(LogError, match=r"\.lock: can't be written"), claimed(tmp_path / "none"):
        pass
