"""Statistics of a corpus against sums made another way."""

import csv
import io
from collections import Counter
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.llm.scripted import ScriptedModel
from folkmoot.agents.profiles import ModelReader
from folkmoot.environments.corpora.persons import add_personas
from folkmoot.environments.corpora.sampling import SampleSettings
from folkmoot.environments.corpora.statistics import measure, tables
from folkmoot.environments.corpora.statistics.figure import figure
from folkmoot.environments.corpora.statistics.spread import Spread
from folkmoot.environments.corpora.store import Store
from folkmoot.sim.persona import NOT_DEDUCIBLE, TRAITS


@pytest.fixture(scope="module")
def store(small_wiki, tmp_path_factory):
    """The small wiki with its people read."""
    import shutil

    folder = tmp_path_factory.mktemp("counted") / "corpus"
    shutil.copytree(small_wiki, folder)
    store = Store.open(folder)
    with ModelReader(ScriptedModel()) as reader:
        store.finish(add_personas(store, None, reader))
    return store


@pytest.fixture(scope="module")
def stats(store):
    """Its statistics; a sentence ends with a mark."""
    return measure(store, lambda text: sum(text.count(mark) for mark in ".?!"), SampleSettings(least_comments=3))


def _close(spread, values):
    assert spread.n == len(values)
    assert spread.mean == pytest.approx(mean(values))
    assert spread.sd == pytest.approx(stdev(values))
    assert spread.sd == pytest.approx(np.std(values, ddof=1))


def test_sizes(store, stats):
    """Against sums over the threads as they are read."""
    threads = list(store.threads())
    turns = [comment for thread in threads for comment in thread.comments]
    _close(stats.turn_words, [len(comment.text.split()) for comment in turns])
    _close(stats.thread_turns, [len(thread.comments) for thread in threads])
    _close(stats.turns_per_user, list(Counter(comment.actor for comment in turns).values()))
    assert stats.thread_users.counts == Counter(len({c.actor for c in thread.comments}) for thread in threads)


def test_people(store, stats):
    """Against the personas and pages themselves."""
    personas = list(store.personas())
    assert stats.personas == len(personas) == 3
    assert stats.with_topics == sum(bool(p.attributes.contribution_topics) for p in personas) == 2
    assert stats.with_gender == sum(p.attributes.gender != "unknown" for p in personas)
    assert stats.with_profession == 1
    _close(stats.profile_words, [len(persona.profile.split()) for persona in personas])
    assert stats.page_words.n == 3
    for name in TRAITS:
        assert stats.unavailable[name] == sum(p.traits[name].values == (NOT_DEDUCIBLE,) for p in personas)
    assert (stats.read, stats.malformed.total()) == (3, 0)


def test_sample(store, stats):
    """Targets are answers by users with enough comments; all else follows from them."""
    turns = Counter(comment.actor for thread in store.threads() for comment in thread.comments)
    genders = {persona.id: persona.attributes.gender for persona in store.personas()}
    targets = [
        (place, comment)
        for thread in store.threads()
        for place, comment in enumerate(thread.comments)
        if place and turns[comment.actor] >= 3
    ]
    sample = stats.sample
    _close(sample.before, [place for place, _ in targets])
    assert sample.users == {comment.actor for _, comment in targets}
    said = [(genders[c.actor], sum(c.text.count(mark) for mark in ".?!")) for _, c in targets]
    assert sample.men_sentences == sum(n for gender, n in said if gender == "man")
    assert sample.women_sentences == sum(n for gender, n in said if gender == "woman")
    assert sample.sample.targets == len(targets)


def test_tables_in_three_forms(stats):
    """Text, Markdown and CSV hold the same rows; CSV parts means from deviations."""
    made = {table.name: table for table in tables([stats, stats])}
    assert list(made) == ["size", "people", "traits", "sample", "losses", "distributions"]
    for table in made.values():
        read = list(csv.reader(io.StringIO(table.csv())))
        assert len(read) == len(table.rows) + 1
        assert len({len(row) for row in read}) == 1
        assert table.markdown().count("\n") == len(table.rows) + 3
        assert table.text().count("\n") == len(table.rows) + 1
    header, row, _ = list(csv.reader(io.StringIO(made["size"].csv())))
    assert float(row[header.index("words/turn mean")]) == pytest.approx(stats.turn_words.mean, abs=0.01)
    assert len(made["traits"].rows) == 8


def test_distributions_add_up(stats):
    """Each distribution's counts are all of its values."""
    read = list(csv.DictReader(io.StringIO(tables([stats])[-1].csv())))
    total = Counter()
    for row in read:
        total[row["distribution"]] += int(row["count"])
    assert total["words per turn"] == stats.turn_words.n
    assert total["turns per user"] == len(stats.user_turns)


def test_figure(stats):
    """One figure for one corpus or several, and for an empty one (the command's test draws it)."""
    empty = type(stats)("none", "en")
    for corpora in ([stats], [stats, empty], [empty]):
        axes = figure(corpora).axes
        assert [axis.get_title() for axis in axes][:2] == ["words per turn", "turns per user"]
        assert len(axes) == 8


@given(st.lists(st.integers(0, 10**12), min_size=2, max_size=50))
def test_spread_is_exact(values):
    """Mean and deviation against the standard library, for large numbers too."""
    spread = Spread.of(values)
    assert spread.mean == pytest.approx(mean(values))
    assert spread.sd == pytest.approx(stdev(values), rel=1e-9, abs=1e-6)
    assert spread.quantile(1.0) == max(values)
    assert spread.quantile(0.0) == min(values)
