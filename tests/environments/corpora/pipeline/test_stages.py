"""What follows the pages: articles, people, what sources say of users; stages that run again."""

import io
from collections import Counter
from types import SimpleNamespace

import pytest

from folkmoot.environments.corpora.building import digest
from folkmoot.environments.corpora.built import load_built, thread_articles
from folkmoot.environments.corpora.pipeline.articles import check_articles
from folkmoot.environments.corpora.pipeline.context import PageContext
from folkmoot.environments.corpora.pipeline.engine import unused
from folkmoot.environments.corpora.pipeline.pages import read_page
from folkmoot.environments.corpora.pipeline.people import _prefixes
from folkmoot.environments.corpora.pipeline.rows import Rows
from folkmoot.environments.corpora.pseudonyms import pseudonym
from folkmoot.environments.corpora.sources.base import SourcePage
from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.sim.commands.corpus_build import _watching
from folkmoot.sim.errors import ConfigError, CorpusError
from folkmoot.sim.persona import Persona

SALT = b"a salt for the tests of builds"


@pytest.fixture
def history(tmp_path, lab):
    """A history of two articles: one is older than both threads of its page, one younger."""
    times = ["2010-01-01T00:00:00Z", "2011-05-03T09:59:59Z", "2011-05-03T10:01:00Z", "2011-05-20T00:00:00Z", "2015-01-01T00:00:00Z"]  # fmt: skip
    path = tmp_path / "testwiki-pages-meta-history.xml"
    path.write_text(
        lab.export(
            lab.page(1, "Bridge 1", 0, *[(t, f"Bridge 1 at {t} <br> by [[User:Ada Lovely]]") for t in times]),
            lab.page(2, "Bridge 2", 0, ("2012-01-01T00:00:00Z", "Bridge 2, too late")),
            lab.page(3, "Nobody talks of this", 0, ("2009-01-01T00:00:00Z", "x")),
        ),
        encoding="utf-8",
    )
    return path


def test_each_thread_gets_the_revision_before_its_first_comment(wiki, history, make):
    """Strictly before the first comment; a later revision, however near, isn't taken; names in links are replaced."""
    store = make(wiki, articles=str(history))
    threads = [thread for thread in store.threads() if thread.page == "Talk:Bridge 1"]
    found = thread_articles(store, {thread.id for thread in threads})
    ada = pseudonym("Ada Lovely", SALT)
    assert [found[thread.id] for thread in threads] == [
        f"Bridge 1 at 2011-05-03T09:59:59Z\nby [[User:{ada}]]",
        f"Bridge 1 at 2011-05-20T00:00:00Z\nby [[User:{ada}]]",
    ]
    counts = store.manifest.stage("articles").counts["articles of threads"]
    assert (counts.given, counts.kept) == (24, 2)
    assert counts.dropped == {
        "no revision before the first comment": 2,
        "the article isn't in the source, or the page isn't about one": 20,
    }


def test_the_page_of_a_corpus_has_the_article_of_its_latest_thread(wiki, history, make):
    """A simulation starts at the corpus's end, so it sees the latest article."""
    corpus = load_built(make(wiki, articles=str(history)).path)
    assert corpus.pages["Talk:Bridge 1"].article.startswith("Bridge 1 at 2011-05-20")
    assert corpus.pages["Talk:Bridge 2"].article == ""


def test_the_article_of_an_earlier_thread_is_part_of_the_digest(wiki, history, make):
    """Law: corpora that differ only in an article that no page shows any more aren't the same one."""
    store = make(wiki, articles=str(history))
    before = load_built(store.path)
    rows = list(store.rows("articles"))
    (early,) = (row for row in rows if row["text"].startswith("Bridge 1 at 2011-05-03"))
    store.write("articles", ({**row, "text": row["text"] + (" changed" if row is early else "")} for row in rows))
    after = load_built(store.path)
    assert (before.pages, before.events, before.personas) == (after.pages, after.events, after.personas)
    assert before.digest != after.digest
    plain = digest(before.events, before.pages, before.personas.values())
    assert digest(before.events, before.pages, before.personas.values(), {}) == plain != before.digest


def test_a_history_that_is_the_source_gives_its_articles_by_itself(tmp_path, make, lab):
    """One history dump with articles and talk pages needs no second file."""
    path = tmp_path / "testwiki-pages-meta-history.xml"
    article = [("2009-01-01T00:00:00Z", "old"), ("2011-05-03T00:00:00Z", "new")]
    path.write_text(
        lab.export(lab.page(1, "Bridge 1", 0, *article), lab.page(2, "Talk:Bridge 1", 1, "first draft", lab.talk(1))),
        encoding="utf-8",
    )
    store = make(path)
    assert {row["text"] for row in store.rows("articles")} == {"new"}
    assert store.manifest.stage("articles").counts["articles of threads"].kept == 2


def test_articles_match_an_independent_search(tmp_path, make, lab):
    """Whatever the order of revisions and threads: the same as looking through all revisions for each thread."""
    times = [f"2011-{month:02}-01T0{hour}:00:00Z" for month in range(1, 13) for hour in (0, 5)]
    pages, articles = [], []
    for number in range(1, 5):
        mine = times[number::number]
        articles.append(lab.page(number, f"Bridge {number}", 0, *[(t, t) for t in mine]))
        pages.append(lab.page(10 + number, f"Talk:Bridge {number}", 1, lab.talk(number)))
    (tmp_path / "h.xml").write_text(lab.export(*articles), encoding="utf-8")
    (tmp_path / "t.xml").write_text(lab.export(*pages), encoding="utf-8")
    store = make(tmp_path / "t.xml", articles=str(tmp_path / "h.xml"))
    threads = list(store.threads())
    found = thread_articles(store, {thread.id for thread in threads})
    from datetime import datetime

    for thread in threads:
        number = int(thread.page.rpartition(" ")[2])
        first = min(comment.time for comment in thread.comments)
        before = [t for t in times[number::number] if datetime.fromisoformat(t).timestamp() * 1000 < first]
        assert found.get(thread.id) == (max(before) if before else None)


def test_articles_can_be_added_to_a_complete_corpus(wiki, history, make, content):
    """Asked for something else, a stage and all behind it run again over the same pages."""
    without = make(wiki)
    assert without.manifest.stage("articles").counts["articles of threads"].kept == 0
    before = {name: data for name, data in content(without.path).items() if name.startswith(("pages", "comments"))}
    store = make(wiki, articles=str(history))
    assert store.manifest.stage("articles").counts["articles of threads"].kept == 2
    after = content(store.path)
    assert {name: after[name] for name in before} == before
    assert after == content(make(wiki, "fresh", articles=str(history)).path)


def test_another_history_of_the_same_name_is_read(wiki, history, make, tmp_path):
    """Law: the content of --articles decides, not its name: changed it is read anew, renamed it isn't."""
    before = make(wiki, articles=str(history)).manifest
    moved = tmp_path / "moved.xml"
    moved.write_bytes(history.read_bytes())
    assert make(wiki, articles=str(moved)).manifest == before
    assert "moved" not in str(before.asked)
    history.write_text(history.read_text("utf-8").replace("Bridge 1 at 2011-05-03", "A new text"), encoding="utf-8")
    after = make(wiki, articles=str(history))
    assert after.manifest.digest != before.digest
    assert any(row["text"].startswith("A new text") for row in after.rows("articles"))


def test_articles_do_not_come_from_two_places(wiki, history, make, tmp_path):
    """Law: --articles beside a source that gives articles itself is refused before anything is written, with both ways."""
    table = tmp_path / "talk.csv"
    table.write_text("thread,author,time,text,article\na,Ada,2020-01-01T00:00:00Z,Hm.,The bridge.\n")
    with pytest.raises(ConfigError, match=r"talk gives the articles .* itself; leave --articles out .*articles=false"):
        make(f"table:{table}", lang="en", articles=str(history))
    source = SimpleNamespace(name="wiki", offers_articles=True)
    with pytest.raises(ConfigError, match="wiki gives the articles"):
        check_articles(str(history), source)
    check_articles(None, source)
    check_articles(str(history), SimpleNamespace(name="wiki", offers_articles=False))
    assert not (tmp_path / "corpus").exists()


def test_workers_that_are_not_used_are_told():
    """Law: what a source that is asked page by page makes of --workers and --engine is said, and only then."""
    assert unused(1, "local", str) == unused(4, "ray", None) == ""
    assert "--workers 4 --engine local: not used" in unused(4, "local", str)
    assert "--workers 1 --engine ray: not used" in unused(1, "ray", str)
    out = io.StringIO()
    with _watching(out) as listener:
        listener.noticed(unused(4, "local", str))
    assert out.getvalue() == unused(4, "local", str) + "\n"


def test_articles_from_something_without_revisions(wiki, make, tmp_path):
    """A folder of wikitext holds no revisions, and is told what to give."""
    (tmp_path / "page.wikitext").write_text("x")
    with pytest.raises(CorpusError, match="give a pages-meta-history dump"):
        make(wiki, articles=str(tmp_path / "page.wikitext"))


def test_people_are_counted_as_they_wrote(wiki, make):
    """The table of people equals a count over all comments, in every number of passes."""
    store = make(wiki)
    comments, words, times, threads = Counter(), Counter(), {}, {}
    for thread in store.threads():
        for comment in thread.comments:
            comments[comment.actor] += 1
            words[comment.actor] += len(comment.text.split())
            times.setdefault(comment.actor, []).append(comment.time)
            threads.setdefault(comment.actor, set()).add(thread.id)
    expected = [
        {"id": a, "comments": comments[a], "threads": len(threads[a]), "words": words[a], "first": min(times[a]), "last": max(times[a])}
        for a in sorted(comments)
    ]  # fmt: skip
    assert list(store.rows("people")) == expected
    from folkmoot.environments.corpora.pipeline import people

    assert list(people._people(store, [f"{n:x}" for n in range(16)])) == expected
    assert [len(_prefixes(n)) for n in (10, 6_000_000, 90_000_000)] == [1, 16, 256]


def test_a_store_takes_personas_and_a_corpus_gets_their_profiles(wiki, make):
    """Personas without a history of their own get it from the split; what they are told keeps."""
    from folkmoot.environments.corpora.splits import split

    store = make(wiki)
    ada = pseudonym("Ada Lovely", SALT)
    store.write_personas([Persona(id=ada, language="en", profile="A teacher."), Persona(id="0" * 10, language="en")])
    corpus = load_built(store.path)
    assert set(corpus.personas) == {ada}
    parts = split(corpus)
    assert parts.before is not None
    assert parts.personas[ada].profile == "A teacher."
    assert parts.personas[ada].history
    assert all(not persona.profile for name, persona in parts.personas.items() if name != ada)


def test_only_talk_pages_of_articles_have_an_article():
    """A project's talk page of the same bare title as an article isn't about it: none is asked for, and the reason stands."""
    asked = []

    def article(title, before):
        asked.append(title)
        return "An article."

    text = "== Wall ==\nIt leans. [[User:Ada|Ada]] 10:01, 3 May 2011 (UTC)\n"
    context = PageContext(load_language("en"), SALT)
    found = {}
    for namespace, prefix in ((1, "Talk"), (5, "Wikipedia talk")):
        rows = Rows()
        read_page(SourcePage("k", f"{prefix}:Bridge", namespace, text), context, rows, article)
        found[namespace] = [row["reason"] for row in rows.tables["thread_articles"]]
    assert found == {1: [None], 5: ["not about an article"]}
    assert asked == ["Bridge"]
