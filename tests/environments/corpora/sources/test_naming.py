"""Who is looked for in plain words, in small and in large communities."""

from collections import Counter

import pytest

from folkmoot.environments.corpora.sources import naming
from folkmoot.environments.corpora.sources.base import SourceComment
from folkmoot.environments.corpora.sources.naming import CROWDED, Community
from folkmoot.environments.corpora.sources.registry import Request
from folkmoot.environments.corpora.sources.table import open_table


@pytest.fixture
def table(tmp_path):
    """Three users in three threads, each naming another in plain words; the last calls one too."""
    path = tmp_path / "comments.csv"
    path.write_text(
        "thread,author,time,text\n"
        "1,Adalovely,1714564800,as bodobert said\n"
        "2,Bodobert,1714564860,ask Cleonora\n"
        "3,Cleonora,1714564920,no @Bodobert not Adalovely\n",
        "utf-8",
    )
    return path


def read(path, after=None):
    """Who is named in each thread, and what was lost."""
    source = open_table(Request(str(path)))
    return [(thread.key, thread.named) for thread in source.threads(after)], Counter(source.losses)


def test_a_small_community_is_known_by_name(table):
    """Everybody who writes anywhere is found in plain words, and nothing is lost."""
    named, losses = read(table)
    assert [set(names) for _, names in named] == [{"Bodobert"}, {"Cleonora"}, {"Bodobert", "Adalovely"}]
    assert not losses


def test_what_a_large_community_loses_is_counted(table, monkeypatch):
    """Above the bound only those who are called are found; each such thread is counted, once, also by a build that goes on."""
    monkeypatch.setattr(naming, "MOST", 2)
    named, losses = read(table)
    assert [names for _, names in named] == [(), (), ("Bodobert",)]
    assert losses == {CROWDED: 3}
    assert "(kept" in CROWDED
    assert read(table, after=named[0][0])[1] == {CROWDED: 2}


def test_facts_name_people_too():
    """Somebody of another thread is found in a fact's text."""
    community = Community()
    community.add("Adalovely")
    comment = SourceComment("1", "Bodobert", 0, None, "Hello", {"note": {"a": ["for adalovely"]}})
    assert community.named_around("A title", [comment]) == ("Adalovely",)
