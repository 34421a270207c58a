"""Filters, the choice of users, the removal list, the experiment's sample."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.corpora.filters import (
    LONG,
    NOBODY,
    OUTSIDE,
    Candidate,
    FilterSettings,
    ThreadFilter,
    choose_users,
    read_blocklist,
)
from folkmoot.environments.corpora.pseudonyms import pseudonym
from folkmoot.environments.corpora.sampling import Countable, SampleSettings, choose_threads, count_targets
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.persona import Attributes

SALT = b"a salt for tests only"


def _user(number, gender="unknown", topics=(), profession="unknown"):
    return Candidate(f"u{number}", Attributes(gender=gender, contribution_topics=topics, profession=profession))


def test_order_of_preference():
    """Topics first, then women and non-binary people, then men, then a profession."""
    users = [
        _user(1, "man", ("a",), "baker"),
        _user(2, "woman", (), "baker"),
        _user(3, "woman", ("a",)),
        _user(4, "non-binary", ("a",), "baker"),
        _user(5, "unknown", ("a",), "baker"),
        _user(6),
    ]
    assert choose_users(users) == ("u4", "u3", "u1", "u5", "u2", "u6")
    assert choose_users(users, FilterSettings(max_users=2)) == ("u4", "u3")


@given(st.permutations([_user(n) for n in range(12)]), st.integers(0, 5))
def test_choice_of_users_is_fixed_by_the_seed(users, seed):
    """The order in which users come changes nothing; users alike are drawn by the seed."""
    wanted = FilterSettings(max_users=5, seed=seed)
    assert choose_users(users, wanted) == choose_users(sorted(users, key=lambda user: user.id), wanted)


def test_first_reason_counts():
    """Each thread has the first reason that applies, and all are counted."""
    keep = ThreadFilter(FilterSettings(max_words=10), chosen={"a", "b"})
    assert keep(["a", "x"], 11, unsigned=True) == LONG
    assert keep(["a"], 10, unsigned=True) == NOBODY
    assert keep(["a", "c"], 10, unsigned=False) == OUTSIDE
    assert keep(["a", "b"], 10, unsigned=False) == ""
    assert keep.reasons == {LONG: 1, NOBODY: 1, OUTSIDE: 1, "": 1}


def test_without_profiles_everybody_stays():
    """Where nobody has a profile, or all threads are asked for, only length and removal count."""
    assert ThreadFilter(FilterSettings())(["a"], 5, unsigned=True) == ""
    assert ThreadFilter(FilterSettings(keep_all=True), chosen=())(["a"], 5, unsigned=True) == ""


def test_removal_list(tmp_path):
    """Names and pseudonyms, remarks aside; every spelling of a name is the same user."""
    path = tmp_path / "removed.txt"
    path.write_text("# asked in May\nada_Lovely # by mail\n0123456789\n\n", encoding="utf-8")
    listed = read_blocklist(path, SALT)
    assert {pseudonym("Ada Lovely", SALT), "0123456789"} <= listed
    assert pseudonym("0123456789", SALT) in listed
    assert not read_blocklist(None, SALT)
    with pytest.raises(CorpusError, match="removal list"):
        read_blocklist(tmp_path / "none", SALT)


def test_targets():
    """The opening is none, nor are answers of users with few comments."""
    counted = count_targets("t", ["a", "b", "a", "c"], {"a": 6, "b": 5, "c": 9}, {"a": "woman", "c": "man"}, 6)
    assert counted == Countable("t", 2, 1)


def _best(threads, total, bound):
    """By trial of every choice: the largest share within the bound, else the smallest."""
    eligible = [thread for thread in threads if thread.targets]
    choices = list(combinations(eligible, min(total, len(eligible))))
    shares = [sum(t.women for t in c) / sum(t.targets for t in c) for c in choices if c]
    within = [share for share in shares if share <= bound]
    return max(within) if within else min(shares, default=0.0)


THREADS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=7).map(
    lambda rows: [Countable(f"t{n}", targets, min(women, targets)) for n, (targets, women) in enumerate(rows)]
)


@settings(max_examples=150, deadline=None)
@given(THREADS, st.integers(1, 4), st.integers(0, 3))
def test_most_women_within_the_bound(threads, total, seed):
    """Against trying every choice: the best where even the most women are within the bound, else never over it."""
    sample = choose_threads(threads, SampleSettings(threads=total, seed=seed))
    eligible = [thread for thread in threads if thread.targets]
    assert len(sample.threads) == min(total, len(eligible))
    assert sum(sample.dropped.values()) + len(sample.threads) == len(threads)
    if len(eligible) <= total:
        return
    unbounded = _best(threads, total, 1.0)
    if unbounded <= 0.5:
        assert sample.share == pytest.approx(unbounded)
    elif _best(threads, total, 0.5) <= 0.5 and sum(not t.women for t in eligible) >= total:
        assert sample.share <= 0.5


def test_same_sample_in_any_order():
    """The seed alone decides among threads alike."""
    threads = [Countable(f"t{n}", 2, n % 2) for n in range(40)]
    wanted = SampleSettings(threads=10, seed=3)
    assert set(choose_threads(threads, wanted).threads) == set(choose_threads(threads[::-1], wanted).threads)
    assert choose_threads(threads, wanted).threads != choose_threads(threads, SampleSettings(threads=10)).threads
