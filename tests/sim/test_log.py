"""The event log: what is written is read back, a torn tail is cut, a re-run must agree."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.talk_page.events import CommentPosted
from folkmoot.sim.errors import LogError, ReplayMismatch
from folkmoot.sim.events import Abstained, decode, encode
from folkmoot.sim.log import EventLog, digest, read, repair_tail

TEXT = st.text(st.characters(codec="utf-8"), max_size=60)


def comment(seq: int, text: str = "hello") -> CommentPosted:
    """A comment numbered `seq`."""
    return CommentPosted(
        seq=seq, time=seq, actor="a", community="en", origin="simulated", thread="t", text=text, language="en", page="P"
    )


def write(path: Path, texts: list[str]) -> None:
    """A log with these texts."""
    log = EventLog(path)
    for seq, text in enumerate(texts):
        log.append(comment(seq, text))
    log.close()


@given(TEXT, TEXT, st.lists(st.integers(0, 9), max_size=3))
def test_encode_decode_round_trip(text, actor, causes):
    """Any event survives its line, and its line holds no raw newline."""
    event = comment(3, text)
    event = type(event)(
        **{f: getattr(event, f) for f in event.__struct_fields__} | {"actor": actor, "causes": tuple(causes)}
    )
    line = encode(event)
    assert decode(line) == event
    assert b"\n" not in line


def test_unknown_kind_is_named():
    """A line of an unknown kind is refused with the kinds that are known."""
    with pytest.raises(LogError, match="known kinds: .*Abstained"):
        decode(b'{"kind":"Nothing","seq":0}')


@settings(max_examples=25, deadline=None)
@given(st.lists(TEXT, max_size=6), st.data())
def test_any_torn_tail_is_cut_to_whole_lines(texts, data):
    """Cut the file anywhere: opening it again leaves a prefix of whole events, and the rest can be appended."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        write(path, texts)
        whole = path.read_bytes()
        header = whole.index(b"\n") + 1
        cut = data.draw(st.integers(header, len(whole)))
        path.write_bytes(whole[:cut])
        log = EventLog(path)
        torn = cut != header and whole[cut - 1 : cut] != b"\n"
        assert (log.notice is not None) == torn
        for seq, text in enumerate(texts):
            log.append(comment(seq, text))
        log.close()
        assert path.read_bytes() == whole


def test_a_torn_header_is_written_again(tmp_path):
    """A process killed within its very first line leaves a log that opens."""
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"sch')
    log = EventLog(path)
    log.append(comment(0))
    log.close()
    assert [e.seq for e in read(path)] == [0]


def test_a_rerun_that_differs_is_stopped(tmp_path):
    """A re-run's first different event raises and leaves the log as it was."""
    path = tmp_path / "events.jsonl"
    write(path, ["one", "two"])
    before = digest(path)
    log = EventLog(path)
    log.append(comment(0, "one"))
    with pytest.raises(ReplayMismatch, match="event 1 differs"):
        log.append(comment(1, "other"))
    log.close()
    assert digest(path) == before


def test_verify_never_writes(tmp_path):
    """In mode verify an event beyond the log is a mismatch, and `rerunning` tells when the log is exhausted."""
    path = tmp_path / "events.jsonl"
    write(path, ["one"])
    before = digest(path)
    log = EventLog(path, "verify")
    assert log.rerunning
    log.append(comment(0, "one"))
    assert not log.rerunning
    with pytest.raises(ReplayMismatch, match="the log ends before event 1"):
        log.append(comment(1))
    log.close()
    assert digest(path) == before


def test_sequence_has_no_gaps(tmp_path):
    """An event whose number isn't the next one is refused."""
    log = EventLog(tmp_path / "events.jsonl")
    with pytest.raises(LogError, match="no gaps"):
        log.append(comment(1))
    log.close()


def test_another_schema_is_refused(tmp_path):
    """A file that isn't a log of this schema is not touched."""
    path = tmp_path / "events.jsonl"
    path.write_text('{"schema":"other/9"}\n')
    with pytest.raises(LogError, match="folkmoot.events/1"):
        EventLog(path)
    assert path.read_text() == '{"schema":"other/9"}\n'


def test_read_from_the_middle(tmp_path):
    """`first` skips events without decoding them."""
    path = tmp_path / "events.jsonl"
    write(path, ["a", "b", "c"])
    assert [e.seq for e in read(path, 2)] == [2]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full (Linux)")
def test_a_full_disk_is_an_error_with_a_way_out():
    """Writing to a full disk raises LogError that says what to do; no half line counts as written."""
    from folkmoot.sim.log import Appender

    appender = Appender.__new__(Appender)
    appender.path, appender._before_sync, appender._sync_every, appender._unsynced = Path("/dev/full"), None, 9, 0
    appender._file = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(LogError, match="resume"):
        appender.write(b"line\n")
    os.close(appender._file)


def test_what_events_rest_on_is_synced_first(tmp_path):
    """`before_sync` is called before the log's own fsyncs, at the full batch as at `sync`, and only if one is due."""
    log, synced = EventLog(tmp_path / "events.jsonl", sync_every=3), []
    log.before_sync = lambda: synced.append(log.size)
    for seq in range(7):
        log.append(comment(seq))
    assert synced == [2, 5], "once a batch of three, while the third event is being appended"
    log.sync()
    log.sync()
    assert synced == [2, 5, 7]
    log.close()
    assert synced == [2, 5, 7]


def test_repair_of_a_missing_file_is_nothing(tmp_path):
    """No file, no notice."""
    assert repair_tail(tmp_path / "none") is None


def test_abstained_has_no_text():
    """An abstention isn't an utterance."""
    event = Abstained(seq=0, time=1, actor="a", community="en", origin="simulated", reason="nothing to add")
    assert decode(encode(event)) == event


@pytest.mark.parametrize(("content", "said"), [(b"", "is empty"), (b"garbage", "holds no whole line")])
def test_a_log_without_a_line_is_mended_as_it_says(tmp_path, content, said):
    """Law: a log without a whole line is told with what mends it, and opening it to go on, as resume does, does."""
    path = tmp_path / "events.jsonl"
    path.write_bytes(content)
    with pytest.raises(LogError, match=rf"{said}.*`folkmoot resume .*` mends it"):
        list(read(path))
    write(path, ["one"])
    assert len(list(read(path))) == 1


def test_a_file_of_other_lines_is_no_log(tmp_path):
    """Law: a whole line that isn't the header is named, with the way to have the log written again."""
    (tmp_path / "events.jsonl").write_bytes(b"other\n")
    with pytest.raises(LogError, match="is it a Folkmoot event log.*move it away: `folkmoot resume"):
        list(read(tmp_path / "events.jsonl"))
