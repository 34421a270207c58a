"""Laws of the pieces that thread sources share: spool, order, lines, instants."""

import bz2
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.environments.corpora.sources import lines
from folkmoot.environments.corpora.sources.base import SourceComment
from folkmoot.environments.corpora.sources.faults import REASONS, Faults
from folkmoot.environments.corpora.sources.instants import read_instant
from folkmoot.environments.corpora.sources.lines import read_lines
from folkmoot.environments.corpora.sources.ordering import ELSEWHERE, RINGS, TWICE, in_order
from folkmoot.environments.corpora.sources.spooled import Spool
from folkmoot.sim.errors import CorpusError


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.binary(max_size=9))), st.integers(0, 5))
def test_a_spool_groups_as_a_dict_does(records, first):
    """Law: groups come in the order of their first records, each with all of its records in order."""
    expected = {}
    with Spool() as spool:
        for group, record in records:
            spool.add(group, record)
            expected.setdefault(group, []).append(record)
        assert len(spool) == len(records)
        assert [(name, found) for _, name, found in spool.groups(first)] == list(expected.items())[first:]


@given(st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 12)), max_size=14))
def test_no_answer_stands_before_what_it_answers(pairs):
    """Law: every id comes once, behind its parent, which is in the thread; what was mended is counted."""
    comments = [SourceComment(str(n), "a", None, None if p is None else str(p), f"{n}>{p}") for n, p in pairs]
    losses = Counter()
    ordered = in_order(comments, losses)
    last = {comment.id: comment for comment in comments}
    assert sorted(comment.id for comment in ordered) == sorted(last)
    assert losses[TWICE] == len(comments) - len(last)
    seen, freed = set(), 0
    for comment in ordered:
        assert comment.text == last[comment.id].text
        assert comment.parent in {*seen, None}
        freed += comment.parent != last[comment.id].parent
        seen.add(comment.id)
    assert losses[ELSEWHERE] == sum(c.parent is not None and c.parent not in last for c in last.values())
    assert losses[RINGS] == freed - losses[ELSEWHERE]


def test_comments_that_stand_well_stay_where_they_are():
    """Law: an order that needs no mending isn't changed, and a chain of any length is no trouble."""
    chain = [SourceComment(str(n), "a", n, str(n - 1) if n else None, "") for n in range(20_000)]
    losses = Counter()
    assert in_order(chain, losses) == tuple(chain)
    assert in_order(chain[::-1], losses) == tuple(chain)
    assert not +losses


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"").replace(b"\r", b"")), max_size=9))
def test_lines_are_those_of_the_file(tmp_path_factory, texts):
    """Law: lines come with their numbers, empty ones left out, compressed or not."""
    raw = b"\n".join([b"first", *texts])
    expected = [(n, line.strip()) for n, line in enumerate(raw.split(b"\n"), 1) if line.strip()]
    for name, content in (("x.txt.bz2", bz2.compress(raw)), ("x.txt", raw)):
        path = tmp_path_factory.mktemp("lines") / name
        path.write_bytes(content)
        assert list(read_lines(path)) == expected


def test_a_line_without_end_is_passed_over(tmp_path, monkeypatch):
    """Law: a line over the bound is None, whatever its length, and the next one is read."""
    monkeypatch.setattr(lines, "LONGEST", 100_000)
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbfa\n" + b"x" * 500_000 + b"\nb\n" + b"y" * 300_000)
    assert list(read_lines(path)) == [(1, b"a"), (2, None), (3, b"b"), (4, None)]
    path.write_bytes(b"")
    with pytest.raises(CorpusError, match="is empty"):
        list(read_lines(path))


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 1e30, "yesterday", "2024-13-01", "0001-01-01T00:00+14:00"]
)
def test_what_is_no_instant_is_said(value):
    """Law: neither a number in range nor a date is an error with the value and the way out."""
    with pytest.raises(CorpusError, match=r"is no time; give seconds since 1970, or a date"):
        read_instant(value)


def test_nothing_is_no_instant():
    """Law: nothing is None, not 1970."""
    assert read_instant(None) is read_instant("") is read_instant(False) is None
    assert read_instant(0) == 0


def test_faults_are_bounded():
    """Law: however many kinds of fault there are, the losses stay few, and none is lost."""
    faults, losses = Faults(), Counter()
    for number in range(1000):
        faults.add(f"fault {number}" if number % 2 else "even", number)
    faults.tell(losses)
    assert losses["even (lines 0, 2, 4, 6, 8, ...)"] == 500
    assert sum(losses.values()) == 1000
    assert len(losses) == REASONS + 1
