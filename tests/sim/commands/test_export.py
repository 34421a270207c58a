"""Laws of `folkmoot export`."""

import json
import tracemalloc
from collections import Counter

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import folkmoot
from folkmoot.environments.corpora.store import is_store
from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.sim.__main__ import app
from folkmoot.sim.commands.convokit import export_convokit
from folkmoot.sim.commands.export import arrow_type, event_columns, export_parquet
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import Abstained, TextEvent, decode
from folkmoot.sim.log import EventLog
from folkmoot.sim.runs import Run


@pytest.fixture
def lived(town):
    """A real run."""
    place = town()
    place.run(transient_rate=0.2)
    return Run.open(place.folder)


def opened(seq, thread, text="Opening", **more):
    """A thread's opening."""
    fields = {"time": 1_700_000_000_999, "actor": "ann", "community": "en", "origin": "recorded"} | more
    return ThreadOpened(seq=seq, thread=thread, text=text, language="en", page="Talk:Mill", title="T", **fields)


def said(seq, thread, parent, text="Reply", **more):
    """A comment."""
    fields = {"time": 1_700_000_001_000 + seq, "actor": "bob", "community": "en", "origin": "simulated"} | more
    return CommentPosted(seq=seq, thread=thread, parent=parent, text=text, language="en", page="Talk:Mill", **fields)


@pytest.fixture
def made(tmp_path):
    """Makes a run folder that holds these events."""

    def make(*events):
        folder = tmp_path / "made"
        folder.mkdir()
        log = EventLog(folder / "events.jsonl")
        for event in events:
            log.append(event)
        log.close()
        return Run.open(folder)

    return make


def annotate(run, name, rows, digest=None, **columns):
    """Writes an annotation file keyed by (log hash, seq)."""
    run.annotations.mkdir(exist_ok=True)
    table = {"log": [digest or run.digest] * len(rows), "seq": list(rows), "labels": list(rows.values())} | columns
    kinds = {"labels": pa.list_(pa.string()), "seq": pa.int64(), "log": pa.string()}
    arrays = {key: pa.array(values, kinds.get(key)) for key, values in table.items()}
    pq.write_table(pa.table(arrays), run.annotations / f"{name}.parquet")


def convokit(folder):
    """The five files of a ConvoKit corpus, read as its loader does: ASCII lines and maps."""
    lines = (folder / "utterances.jsonl").read_text(encoding="ascii").splitlines()
    maps = {name: json.loads((folder / f"{name}.json").read_text(encoding="ascii")) for name in MAPS}
    return [json.loads(line) for line in lines], maps


MAPS = ("speakers", "conversations", "corpus", "index")


# --- Parquet --------------------------------------------------------------------------------------


def test_the_log_can_be_rebuilt_from_its_table(lived, tmp_path):
    """Law: events.parquet holds every field of every event: the events made from its rows are the log's own."""
    done = export_parquet(lived, tmp_path / "out")
    events = list(lived.events())
    rows = pq.read_table(tmp_path / "out" / "events.parquet").to_pylist()
    assert done.counts["events"] == len(rows) == len(events)
    for row, event in zip(rows, events, strict=True):
        row["time"] = round(row["time"].timestamp() * 1000)
        assert decode(msgspec.json.encode({k: v for k, v in row.items() if v is not None})) == event


def test_calls_have_a_row_an_attempt_and_prompts_only_if_asked(lived, tmp_path):
    """Law: calls.parquet has a row an attempt; prompts are in it only with `text`."""
    calls = lived.calls()
    for text in (False, True):
        out = tmp_path / f"out{text}"
        assert export_parquet(lived, out, text=text).counts["calls"] == len(calls)
        table = pq.read_table(out / "calls.parquet")
        assert ("messages" in table.column_names) is text
        assert table["error"].to_pylist() == [call.error for call in calls]
        assert table["answer"].to_pylist() == [call.answer.text if call.answer else None for call in calls]
    assert table["messages"].to_pylist()[0] == [m._asdict() for m in calls[0].messages]
    assert any(call.error for call in calls)


def test_column_types_do_not_depend_on_what_happened(made, lived, tmp_path):
    """Law: an empty log, a log of one kind and a full log have one schema."""
    export_parquet(made(), tmp_path / "empty")
    export_parquet(lived, tmp_path / "full")
    schemas = [pq.read_schema(tmp_path / name / "events.parquet") for name in ("empty", "full")]
    assert schemas[0] == schemas[1]
    assert schemas[1].field("time").type == pa.timestamp("ms", tz="UTC")
    assert not (tmp_path / "empty" / "calls.parquet").exists()


def test_every_field_of_every_kind_has_a_column():
    """Law: no field of a registered kind is without a column, and fields of other types are refused by name."""
    columns = event_columns()
    for kind in (ThreadOpened, CommentPosted, Abstained):
        assert all(columns[name][1][kind.__name__] == name for name in kind.__struct_fields__)
    with pytest.raises(LogError, match="'weird' of type"):
        arrow_type(dict[str, int], "weird")


def test_annotations_are_joined_by_log_and_seq(made, tmp_path):
    """Law: labels of this log stand beside their events; those of another log or ambiguous ones are named, not joined."""
    run = made(opened(0, "a"), said(1, "a", 0), said(2, "a", 1))
    annotate(run, "acts", {2: ["ASK", "REQUEST"], 0: None})
    annotate(run, "corpus", {0: ["INFORM"]}, digest="0" * 64)
    annotate(run, "twice", {1: ["INFORM"]}, seq=[1])
    table = pq.read_table(run.annotations / "twice.parquet")
    pq.write_table(pa.concat_tables([table, table]), run.annotations / "twice.parquet")
    done = export_parquet(run, tmp_path / "out")
    assert pq.read_table(tmp_path / "out" / "events.parquet")["acts"].to_pylist() == [None, None, ["ASK", "REQUEST"]]
    assert [notice.split(":")[0] for notice in done.notices] == ["corpus.parquet", "twice.parquet"]


def test_memory_does_not_grow_with_the_log(made, tmp_path, monkeypatch):
    """Law: four times the events, not twice the memory."""
    monkeypatch.setattr("folkmoot.sim.commands.export.EVENT_ROWS", 500)
    peaks = []
    for count in (2_000, 8_000):
        folder = tmp_path / str(count)
        folder.mkdir()
        log = EventLog(folder / "events.jsonl")
        for seq in range(count):
            log.append(opened(seq, f"t{seq}", "word " * 50, origin="simulated"))
        log.close()
        tracemalloc.start()
        export_parquet(Run.open(folder), folder / "out")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert pq.ParquetFile(folder / "out" / "events.parquet").num_row_groups == count // 500
    assert peaks[1] < 2 * peaks[0]


# --- ConvoKit -------------------------------------------------------------------------------------


def test_a_convokit_corpus_holds_every_utterance(lived, tmp_path):
    """Law: one line an utterance with the eight keys; ids are strings; replies point at earlier lines of their conversation."""
    done = export_convokit(lived, tmp_path / "out")
    lines, maps = convokit(tmp_path / "out")
    events = [event for event in lived.events() if isinstance(event, TextEvent)]
    assert [line["text"] for line in lines] == [event.text for event in events]
    assert done.counts == {
        "utterances": len(events),
        "speakers": len({event.actor for event in events}),
        "conversations": len({event.thread for event in events}),
    }
    assert any("aren't utterances" in notice for notice in done.notices)
    keys = {"id", "conversation_id", "text", "speaker", "meta", "reply-to", "timestamp", "vectors"}
    seen = {}
    for line, event in zip(lines, events, strict=True):
        assert set(line) == keys
        assert line["timestamp"] == event.time // 1000
        assert line["reply-to"] == (None if event.parent is None else str(event.parent))
        assert line["reply-to"] is None or seen[line["reply-to"]] == line["conversation_id"]
        assert line["conversation_id"] in maps["conversations"]
        assert line["speaker"] in maps["speakers"]
        seen[line["id"]] = line["conversation_id"]


def test_each_conversation_has_one_root_that_names_it(made, tmp_path):
    """Law: a conversation's id is its first utterance's, the only one without reply-to; equal ids in two communities are two."""
    run = made(
        opened(0, "a"),
        opened(1, "a", community="de"),
        said(2, "a", None, actor=""),
        said(3, "a", 1, community="de", origin="candidate", target=4),
    )
    done = export_convokit(run, tmp_path / "out")
    lines, maps = convokit(tmp_path / "out")
    roots = [line["id"] for line in lines if line["reply-to"] is None]
    assert roots == list(maps["conversations"]) == ["0", "1"]
    assert [line["conversation_id"] for line in lines] == ["0", "1", "0", "1"]
    assert set(maps["speakers"]) == {"en:ann", "de:ann", "en:(unknown)", "de:bob"}
    assert lines[3]["meta"]["origin"] == "candidate"
    assert lines[3]["meta"]["target"] == "4"
    assert done.notices == ["1 comments without a parent were made replies to their conversation's first one"]


def test_the_index_names_the_type_of_all_metadata(made, tmp_path):
    """Law: index.json has its five mandatory fields, and each metadata value's type is among those it names."""
    run = made(opened(0, "a", "ü \x1b ]"), said(1, "a", 0, mentions=("ann",)))
    annotate(run, "acts", {1: ["ASK"]})
    export_convokit(run, tmp_path / "out")
    lines, maps = convokit(tmp_path / "out")
    index = maps["index"]
    assert set(index) >= {"utterances-index", "speakers-index", "conversations-index", "overall-index", "version"}
    levels = {
        "utterances-index": [line["meta"] for line in lines],
        "speakers-index": [value["meta"] for value in maps["speakers"].values()],
        "conversations-index": [value["meta"] for value in maps["conversations"].values()],
        "overall-index": [maps["corpus"]],
    }
    for level, metas in levels.items():
        for name, value in (item for meta in metas for item in meta.items()):
            assert str(type(value)) in index[level][name]
    assert lines[1]["meta"]["acts"] == ["ASK"]
    assert lines[0]["text"] == "ü \x1b ]"


# --- folders --------------------------------------------------------------------------------------

EXPORTS = pytest.mark.parametrize("export", [export_parquet, export_convokit])


@EXPORTS
def test_nothing_but_an_earlier_export_is_replaced(made, tmp_path, export):
    """Law: an existing folder is kept without `force`, and with it too where it holds anything else or is a link."""
    run, out = made(opened(0, "a")), tmp_path / "out"
    export(run, out)
    with pytest.raises(LogError, match="--force replaces it"):
        export(run, out)
    export(run, out, force=True)
    (out / "thesis.txt").write_text("mine")
    with pytest.raises(LogError, match=r"holds thesis\.txt"):
        export(run, out, force=True)
    (tmp_path / "link").symlink_to(out)
    with pytest.raises(LogError, match="isn't an earlier export"):
        export(run, tmp_path / "link", force=True)
    assert (out / "thesis.txt").read_text() == "mine"
    assert Counter(path.name for path in tmp_path.iterdir()) == Counter(["made", "out", "link"])


@EXPORTS
def test_a_failed_export_leaves_nothing(made, tmp_path, export):
    """Law: where the log is damaged, no folder appears and an earlier export stays."""
    run, out = made(opened(0, "a")), tmp_path / "out"
    export(run, out)
    kept = sorted((path.name, path.read_bytes()) for path in out.iterdir())
    with run.log.open("ab") as file:
        file.write(b'{"kind":"Nonsense"}\n')
    with pytest.raises(LogError, match="not an event"):
        export(run, out, force=True)
    assert sorted((path.name, path.read_bytes()) for path in out.iterdir()) == kept
    assert {path.name for path in tmp_path.iterdir()} == {"made", "out"}


def test_a_folder_that_cannot_be_written_is_an_error(made, tmp_path):
    """Law: a disk that refuses is a LogError with the way out."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LogError, match="can't be written .* name another folder"):
        export_parquet(made(opened(0, "a")), tmp_path / "file" / "out")


def test_a_torn_log_is_exported_up_to_its_last_whole_line(made, tmp_path):
    """Law: an unfinished last line of log or calls is passed over."""
    run = made(opened(0, "a"), said(1, "a", 0))
    run.log.write_bytes(run.log.read_bytes()[:-3])
    run.calls_path.write_bytes(b'{"agent":')
    assert export_parquet(run, tmp_path / "p").counts == {"events": 1, "calls": 0}
    assert export_convokit(run, tmp_path / "c").counts["utterances"] == 1


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize("to", ["parquet", "convokit"])
def test_the_command_exports_a_run_as_a_run(to, tmp_path):
    """Law: a run's folder, which has a manifest.json as a built corpus has, is exported as a run in both formats."""
    quick = ("llm=scripted", "annotator=scripted", "tracking=none", "live=off", "experiment.days=0.1", "monitor=[text]")
    run = folkmoot.run(quick, tmp_path / "run").run
    assert run.manifest_path.is_file()
    assert not is_store(run.path)
    done = CliRunner().invoke(app, ["export", str(run.path), "--to", to])
    assert done.exit_code == 0, done.output
    written = {path.name for path in (run.path / "export" / to).iterdir()}
    assert {"parquet": "events.parquet", "convokit": "utterances.jsonl"}[to] in written
