"""JSON read value by value: the same values as read whole, and a clear word where that can't be."""

import io
import json
import tracemalloc
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.corpora.timelines import stream
from folkmoot.environments.corpora.timelines.stream import BEHIND, Scanner, Truncated, items_of, value_of
from folkmoot.sim.errors import CorpusError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def test_values_are_those_of_json(monkeypatch, tmp_path):
    """Whatever the blocks in which a file comes, its members are those that the standard reader finds."""
    monkeypatch.setattr(stream, "CHUNK", 5)
    path = tmp_path / "x.json"

    @settings(deadline=None, max_examples=60)
    @given(st.lists(VALUES | st.integers(), max_size=5), st.booleans())
    def same(members, spaced):
        whole = {"before": [1, {"list": 2}], "list": members, "after": None}
        path.write_text(json.dumps(whole, indent=2 if spaced else None, ensure_ascii=spaced), encoding="utf-8")
        assert list(items_of(path, "list")) == members

    same()


@settings(deadline=None)
@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), min_size=1, max_size=4), st.data()
)
def test_a_prefix_is_truncated(members, data):
    """However much of the end is missing, the members before it are given, and then the break is told."""
    raw = json.dumps(members).encode()
    cut = data.draw(st.integers(1, len(raw) - 1))
    scanner = Scanner(io.BytesIO(raw[:cut]), "x")
    found = []
    with pytest.raises(Truncated, match="breaks off"):
        found.extend(stream.members(scanner, _Named("x")))
    assert found == members[: len(found)]


class _Named:
    """All that messages need of a path."""

    def __init__(self, name):
        self.name = name


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b'{"list": [{"a": nope}' + b" " * 100 + b"]}", "isn't JSON"),
        (b'{"list": [1 2]}', "instead of ','"),
        (b"[1, 2]", "not with an object"),
        (b'{"other": [1]}', "has no list 'list'"),
        (b'{"list": null, "other": [1]}', "has no list 'list'"),
        (b'{"list": ["\xff\xfe' + b"x" * 99, "isn't UTF-8"),
        (b"window.YTD.tweets.part0 = []", "not with an object"),
        (b'{"list": [' + b"[" * 5000 + b"]" * 5000 + b"]}", "nests too deep|breaks off"),
    ],
)
def test_what_is_no_such_file(tmp_path, raw, says):
    """A fault is told with its place, never passed over."""
    path = tmp_path / "x.json"
    path.write_bytes(raw)
    with pytest.raises(CorpusError, match=says):
        list(items_of(path, "list"))


def test_memory_is_flat(tmp_path, monkeypatch):
    """A file of many members takes no more memory than a few blocks."""
    monkeypatch.setattr(stream, "CHUNK", 1 << 13)
    path = tmp_path / "x.json"
    with path.open("w", encoding="utf-8") as file:
        file.write('{"list": [')
        file.writelines(json.dumps({"n": n, "text": "word " * 100}) + ", " for n in range(2_000))
        file.write("{}]}")
    assert path.stat().st_size > 1_000_000
    tracemalloc.start()
    count = sum(1 for _ in items_of(path, "list"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 2_001
    assert peak < 200_000


@pytest.mark.parametrize("chunk", [3, stream.CHUNK])
@pytest.mark.parametrize(
    ("more", "behind"),
    [("", 0), (" \n\t\n", 0), (" garbage", 7), ('{"list": [3, 4]}\n', 14), ("]\x00é \n", 4), ("]" * 300_000, 300_000)],
)
def test_what_stands_behind_the_end_is_counted(tmp_path, monkeypatch, chunk, more, behind):
    """Whatever follows the archive's one value is no part of it, and is counted by its bytes, blanks aside."""
    monkeypatch.setattr(stream, "CHUNK", chunk)
    path = tmp_path / "x.json"
    path.write_text('{"list": [1, 2], "after": 5}' + more, encoding="utf-8")
    losses = Counter()
    assert list(items_of(path, "list", losses)) == [1, 2]
    assert losses == ({BEHIND: behind} if behind else {})
    losses.clear()
    assert value_of(path, losses) == {"list": [1, 2], "after": 5}
    assert losses[BEHIND] == behind


def test_a_list_that_is_there_twice(tmp_path):
    """Nothing of a second list of the same name is lost."""
    (tmp_path / "x.json").write_text('{"list": [1], "other": [2], "list": [3]}', encoding="utf-8")
    assert list(items_of(tmp_path / "x.json", "list")) == [1, 3]


def test_a_value_of_no_end(tmp_path, monkeypatch):
    """A value larger than any post is refused before it fills the memory."""
    monkeypatch.setattr(stream, "LARGEST", 1 << 20)
    path = tmp_path / "x.json"
    path.write_bytes(b'{"list": ["' + b"x" * (4 << 20) + b'"]}')
    with pytest.raises(CorpusError, match="value of over"):
        list(items_of(path, "list"))


def test_a_missing_file(tmp_path):
    """A path that leads nowhere is named."""
    with pytest.raises(CorpusError, match="check the path"):
        list(items_of(tmp_path / "none.json", "list"))
