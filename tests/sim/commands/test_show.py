"""Laws of `folkmoot show`."""

import io
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.sim.commands.plain import plain
from folkmoot.sim.commands.show import show_event, show_run, show_thread
from folkmoot.sim.commands.story import calls_of, moment, note_of, tell, thread_of
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.log import EventLog
from folkmoot.sim.manifest import write_json
from folkmoot.sim.notes import Notes
from folkmoot.sim.runs import Run

HOSTILE = "[red]bold[/] \x1b[2J\x1b]8;;http://evil\x07 \u202ereversed\u202c \x9b1m end"


def printed(renderable, width=120):
    """The plain characters that reach a terminal."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(renderable)
    return console.file.getvalue()


def opened(seq, thread, text="Opening", **more):
    """A thread's opening."""
    fields = {"time": 1000, "actor": "ann", "community": "en", "origin": "recorded", "title": f"On {thread}"} | more
    return ThreadOpened(seq=seq, thread=thread, text=text, language="en", page="Talk:Mill", **fields)


def said(seq, thread, parent, text="Reply", **more):
    """A comment."""
    fields = {"time": 1000 + seq, "actor": "bob", "community": "en", "origin": "simulated"} | more
    return CommentPosted(seq=seq, thread=thread, parent=parent, text=text, language="en", page="Talk:Mill", **fields)


@pytest.fixture
def made(tmp_path):
    """Makes a run folder that holds these events and nothing else."""

    def make(*events):
        log = EventLog(tmp_path / "events.jsonl")
        for event in events:
            log.append(event)
        log.close()
        return Run.open(tmp_path)

    return make


@pytest.fixture
def lived(town):
    """A real run with notes, and a model that fails now and then."""
    place = town()
    notes = Notes(place.folder / "notes.jsonl")
    place.run(sinks=[notes], transient_rate=0.3, on_failure="abstain")
    notes.close()
    return Run.open(place.folder)


@given(st.text(st.characters() | st.sampled_from([chr(c) for c in (*range(0xA0), *range(0x2000, 0x2070))])))
def test_foreign_text_can_do_nothing(text):
    """Law: of any text, neither a control (C0, DEL, C1) nor a mark that turns the direction reaches the terminal."""
    left = set(plain(text)) - set("\n\t")
    assert not [c for c in left if ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0]
    turns = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not [c for c in left if unicodedata.bidirectional(c) in turns]


def test_hostile_text_is_shown_and_not_obeyed(made):
    """Law: markup, terminal escapes and bidi overrides of text, title and name appear as visible characters."""
    run = made(opened(0, "a", HOSTILE, title=HOSTILE, actor=HOSTILE))
    for view in (show_run(run), show_thread(run, 1), show_event(run, 0)):
        text = printed(view, 200)
        assert "[red]bold[/]" in text
        assert "␛[2J" in text
        assert "⟨U+202E⟩reversed" in text
        assert not set(text) & set("\x1b\x07\x9b\u202e")


def test_a_thread_stands_beside_its_real_continuation(made):
    """Law: a thread from a recorded opening is matched by (community, id), and the shared opening is marked."""
    start = opened(0, "a", "How old is the mill?")
    run = made(start, said(1, "a", 0, "Simulated answer"), said(2, "a", 1, "Deeper"))
    corpus = [
        opened(0, "a", "Other community", community="de"),
        opened(1, "a", "How old is the mill?"),
        said(2, "a", 1, "Real answer", origin="recorded"),
    ]
    text = printed(show_thread(run, 1, lambda: iter(corpus)))
    assert "the real thread, as it went on" in text
    assert "Other community" not in text
    assert any("How old" in row and row.count("How old") == 2 for row in text.splitlines())
    assert any("Simulated answer" in row and "Real answer" in row for row in text.splitlines())
    assert text.count("in both") == 1
    assert "    Deeper" in text


def test_without_its_own_the_thread_of_nearest_length_is_shown(made):
    """Law: a thread that no corpus knows stands beside a real one of the nearest length; candidates don't count."""
    run = made(
        opened(0, "t0", origin="simulated"), said(1, "t0", 0), said(2, "t0", 0, origin="candidate", target=1), *()
    )
    corpus = [opened(0, "x"), opened(1, "y"), said(2, "y", 1, "Right size"), said(3, "z", None), said(4, "z", 3)]
    text = printed(show_thread(run, 1, corpus))
    assert "of like length (2): On y" in text
    assert "Right size" in text
    assert "1 candidate" in text
    assert "no real thread to compare with" in printed(show_thread(run, 1))


def test_narrow_terminals_get_one_under_the_other(made):
    """Law: below 100 columns the two threads follow one another, and nothing is lost."""
    run = made(opened(0, "a", "Left text"))
    rows = printed(show_thread(run, 1, [opened(0, "b", "Right text")]), 60).splitlines()
    left, right = (next(i for i, row in enumerate(rows) if word in row) for word in ("Left text", "Right text"))
    assert left < right


@pytest.mark.parametrize("number", [0, 3, -1])
def test_wrong_numbers_name_the_range(made, number):
    """Law: a wrong thread or event number is an error that names the valid range."""
    run = made(opened(0, "a"), opened(1, "b"))
    with pytest.raises(LogError, match="threads 1 to 2"):
        show_thread(run, number)
    with pytest.raises(LogError, match="events 0 to 1"):
        show_event(run, number + 2 if number >= 0 else number)


def test_an_empty_run_says_so(made):
    """Law: a run without events has an overview, and no thread or event."""
    run = made()
    assert "(none)" in printed(show_run(run))
    with pytest.raises(LogError, match="no thread yet"):
        show_thread(run, 1)
    with pytest.raises(LogError, match="no event yet"):
        show_event(run, 0)


def test_every_event_of_a_real_run_can_be_shown(lived):
    """Law: whatever a run logs can be shown; every written comment comes with its prompt, answer and attempts."""
    events = list(lived.events())
    for event in events:
        text = printed(show_event(lived, event.seq), 160)
        note = note_of(lived, event.seq)
        assert f"event {event.seq}" in text
        if note and isinstance(event, TextEvent):
            records = calls_of(lived, note.agent, note.activation)
            assert {r.call for r in records} == set(range(note.calls))
            assert text.count("attempt ") == len(records)
            assert records[0].prompt in text
            assert all(record.error in text for record in records if record.error)
    assert any(record.error for record in lived.calls())
    kinds = {type(event).__name__ for event in events}
    assert {"ThreadOpened", "CommentPosted", "Abstained"} <= kinds


def test_the_view_is_the_one_the_agent_had(lived):
    """Law: the reconstructed view holds the comment answered, and nothing committed after the look."""
    replies = [event for event in lived.events() if isinstance(event, CommentPosted)]
    assert replies
    for event in replies:
        note = note_of(lived, event.seq)
        then = moment(lived, event, note.looked, event.thread)
        assert event.parent in {seen.seq for seen in then.thread}
        assert all(seen.time <= note.looked for seen in then.thread)
        # The town's people answer the newest comment that they see.
        assert then.thread[-1].seq == event.parent


def test_a_view_numbers_threads_as_the_run_does(made):
    """Law: a thread has one number everywhere, whatever a view leaves out; other communities and candidates are left out."""
    run = made(
        opened(0, "x", community="de"),
        opened(1, "a"),
        said(2, "a", 1, origin="candidate", target=3),
        said(3, "a", 1, origin="recorded"),
        said(4, "a", 3),
    )
    then = moment(run, list(run.events())[4], 1001, "a")
    assert [(line.number, line.size) for line in then.story.threads.values()] == [(2, 1)]
    assert [event.seq for event in then.thread] == [1]
    assert [event.seq for event in then.since] == [3]


def test_torn_tails_are_passed_over(lived):
    """Law: a run killed within a line can still be shown, and the overview says so."""
    last = [event.seq for event in lived.events()][-1]
    for path in (lived.log, lived.calls_path, lived.notes_path):
        path.write_bytes(path.read_bytes()[:-7])
    text = printed(show_run(lived), 200)
    assert "unfinished line" in text
    assert "still going, or killed" in text
    assert tell(lived).events == last
    printed(show_event(lived, last - 1))
    with pytest.raises(LogError, match=f"0 to {last - 1}"):
        show_event(lived, last)


def test_the_overview_tells_the_state(made):
    """Law: the state is the summary's; a damaged summary is said, not fatal."""
    run = made(opened(0, "a"), said(1, "a", 0))
    write_json(
        run.summary_path, {"state": "stopped: budget", "sentence": "JS distance 0.21", "more": {"a": 1}, "events": 2}
    )
    text = printed(show_run(run))
    assert len(re.findall(r"^events +\d", text, re.MULTILINE)) == 1
    assert "stopped: budget" in text
    assert "JS distance 0.21" in text
    run.summary_path.write_text("{")
    assert "unknown" in printed(show_run(run))


def test_the_overview_tells_what_was_measured(made):
    """Law: each community's sentences and warnings are shown, or an experiment's lines, as plain text; no form is fatal."""
    run = made(opened(0, "a"))
    found = {"sentences": [f"S 0.41 [0.30, 0.52] {HOSTILE}", 3], "warnings": ["4 people scored"], "fidelity": {}}
    write_json(run.summary_path, {"state": "finished", "communities": {f"en {HOSTILE}": found}, "lines": ["AUC 0.5"]})
    text = printed(show_run(run))
    assert "S 0.41 [0.30, 0.52] [red]bold[/]" in text
    assert "warning: 4 people scored" in text
    assert "AUC 0.5" in text
    assert "\x1b" not in text
    for damaged in ({"communities": 3}, {"communities": {"en": [1]}}, {"communities": {"en": {"sentences": "no"}}}):
        write_json(run.summary_path, {"state": "finished", **damaged})
        assert "finished" in printed(show_run(run))


def test_threads_count_from_one_in_order_of_opening(made):
    """Law: numbers follow the order of opening, and equal ids in two communities are two threads."""
    run = made(opened(0, "a"), opened(1, "a", community="de"), said(2, "a", 0))
    assert [thread.key for thread in tell(run).threads.values()] == [("en", "a"), ("de", "a")]
    assert [event.seq for event in thread_of(run, 1)[1]] == [0, 2]
    assert [event.seq for event in thread_of(run, 2)[1]] == [1]


def test_a_damaged_line_of_the_log_is_named(made):
    """Law: a line of the log that isn't an event is an error that names file and line, and what to do."""
    run = made(opened(0, "a"), opened(1, "b"))
    lines = run.log.read_bytes().splitlines(keepends=True)
    run.log.write_bytes(b"".join([*lines[:2], b"x" + lines[2]]))
    with pytest.raises(LogError, match=r"events\.jsonl: line 3: not an event: .*; put back the file"):
        show_thread(run, None)


def test_a_damaged_record_is_an_error(made):
    """Law: a whole line that isn't a record is an error that names file and line."""
    run = made(opened(0, "a"))
    run.calls_path.write_bytes(b'{"agent": 1}\n')
    with pytest.raises(LogError, match=r"calls\.jsonl: line 1 isn't a CallRecord"):
        calls_of(run, "ann", 0)
