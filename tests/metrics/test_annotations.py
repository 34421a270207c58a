"""Columns beside the log."""

import asyncio

import pytest

from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.metrics.annotations import Annotations, Source, check_comparable, label, save_columns, utterances
from folkmoot.metrics.annotators.base import ACTS
from folkmoot.sim.errors import AnnotationError
from folkmoot.sim.events import Abstained

DIGEST = "ab" * 32


def common(seq):
    """Fields of all events."""
    return {"seq": seq, "time": seq, "actor": "a", "community": "en", "origin": "simulated"}


def comment(seq, thread, text, parent=0):
    """A comment of a thread."""
    return CommentPosted(**common(seq), thread=thread, parent=parent, text=text, language="en", page="P")


EVENTS = [
    ThreadOpened(**common(0), thread="t", text="zero", language="en", page="P", title="First"),
    ThreadOpened(**common(1), thread="u", text="one", language="en", page="P", title="Second"),
    Abstained(**common(2), reason="nothing"),
    comment(3, "t", "three"),
    comment(4, "u", "four", 1),
    comment(5, "t", "five"),
    comment(6, "t", "six"),
]


class Echo:
    """Labels by what it was shown."""

    name, version, labels, context = "echo", "1", ACTS, 2

    def __init__(self):
        self.counts = {"odd": 1}
        self.batches = []

    async def annotate(self, batch):
        """ASK where there is context, INFORM where there is none, None for "four"."""
        self.batches.append(batch)
        return [None if one.text == "four" else ("ASK",) if one.context else ("INFORM",) for one in batch]


def test_utterances_have_title_and_context():
    """Each comment sees its own thread's title and the two comments before it there, in order."""
    seen = [(one.text, one.title, one.context) for one in utterances(EVENTS)]
    assert seen == [
        ("zero", "First", ()),
        ("one", "Second", ()),
        ("three", "First", ("zero",)),
        ("four", "Second", ("one",)),
        ("five", "First", ("zero", "three")),
        ("six", "First", ("three", "five")),
    ]


def test_label_counts_only_what_counts():
    """Comments that don't count aren't labelled but stay context of others."""
    echo = Echo()
    columns = asyncio.run(label(EVENTS, {"acts": echo}, lambda event: event.seq > 2))
    assert columns == {3: {"acts": ("ASK",)}, 4: {"acts": None}, 5: {"acts": ("ASK",)}, 6: {"acts": ("ASK",)}}
    assert echo.batches[0][0].context == ("zero",)


def test_round_trip(tmp_path):
    """What is written is read back: labels, None, who wrote it, which log; another log's hash is refused."""
    columns = asyncio.run(label(EVENTS, {"acts": Echo()}))
    file = save_columns(tmp_path, "en/../x", DIGEST, columns, {"acts": Echo()})
    assert file.parent == tmp_path
    read = Annotations.read(file, DIGEST)
    assert read == Annotations(DIGEST, columns, {"acts": Source("echo", "1", ACTS, {"odd": 1})})
    assert read.columns[4]["acts"] is None
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name]
    with pytest.raises(AnnotationError, match="belongs to"):
        Annotations.read(file, "cd" * 32)


def test_nothing_labelled(tmp_path):
    """No comments give an empty file that is read back empty."""
    assert dict(Annotations.read(save_columns(tmp_path, "e", DIGEST, {}, {"acts": Echo()})).columns) == {}


def test_not_annotations(tmp_path):
    """A file that isn't Parquet, or isn't ours, is refused with the way out."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "a.parquet").write_bytes(b"nothing")
    pq.write_table(pa.table({"seq": [1]}), tmp_path / "b.parquet")
    for name in ("a", "b", "missing"):
        with pytest.raises(AnnotationError, match="annotate again"):
            Annotations.read(tmp_path / f"{name}.parquet")


@pytest.mark.parametrize("other", [{}, {"acts": Source("echo", "2", ACTS)}, {"acts": Source("else", "1", ACTS)}])
def test_other_annotators_are_not_compared(other):
    """Labels by another annotator, another version or none are refused; equal ones pass."""
    one = Annotations(DIGEST, {}, {"acts": Source("echo", "1", ACTS, {"odd": 3})})
    check_comparable(one, Annotations("x", {}, {"acts": Source("echo", "1", ACTS)}))
    with pytest.raises(AnnotationError, match="same annotator"):
        check_comparable(one, Annotations("x", {}, other))
