"""Laws of the API importer against a real MediaWiki."""

from collections import Counter

import pytest

from folkmoot.environments.corpora.pipeline.build import Silent, build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.sources.api import open_api
from folkmoot.environments.corpora.sources.base import WikiSource
from folkmoot.environments.corpora.sources.check import check_source
from folkmoot.environments.corpora.sources.registry import Request, open_source
from folkmoot.sim.errors import CorpusError

JUNE = 1_591_005_600_000
"""1 June 2020, 12:00 CEST, in ms."""


def ask(wiki, *pages, namespaces=(1, 2), **options):
    """A source on this wiki, fast enough for a test."""
    return open_api(Request(wiki, pages=pages, namespaces=frozenset(namespaces), options={"rate": 100.0, **options}))


def test_a_wiki_is_read_whole_with_the_user_pages_of_its_authors(wiki):
    """Law: without titles all talk pages come, each once, then their authors' user pages; all else is counted."""
    source = open_source(wiki, Request("", options={"rate": 100.0}))
    pages = list(source.pages())
    assert isinstance(source, WikiSource)
    assert (source.name, source.language, source.namespaces[3][0]) == ("testwiki", "de", "Benutzer Diskussion")
    assert [page.namespace for page in pages] == [1] * 57 + [2]
    assert {page.title for page in pages[:-1]} == {f"Diskussion:Mühle {mill:02}" for mill in range(57)}
    assert (pages[-1].title, pages[-1].text) == ("Benutzer:Ada Rad", "Ich mag Mühlen & <b>Räder</b>.")
    assert pages[0].time == JUNE + 2 * 86_400_000
    assert pages[0].revision is not None
    assert source.losses == {
        "pages that aren't wikitext": 1,
        "titles that lead to a page that was read already": 1,
        "authors without a user page": 1,
        "user pages that lead elsewhere": 1,
    }
    assert len({page.key for page in pages}) == len(pages)
    assert all(page.key.isdecimal() for page in pages)


def test_a_build_goes_on_behind_any_page(wiki):
    """Law: what follows a key is the same as in one go, pages and counts."""
    check_source(lambda: ask(wiki), places=2)
    with pytest.raises(CorpusError, match="isn't among the pages any more; build again in another folder"):
        list(ask(wiki, "Mühle 00").pages(after="999999"))


def test_pages_are_chosen_by_title_prefix_category_and_file(wiki, tmp_path):
    """Law: a title means its talk page, a category its members' ones, a * a prefix, a file its lines; losses are counted."""

    def titles(*pages, **options):
        source = ask(wiki, *pages, namespaces=(1,), **options)
        return [page.title.removeprefix("Diskussion:") for page in source.pages()], source.losses

    assert titles("Mühle 02", "talk:mühle_03") == (["Mühle 02", "Mühle 03"], Counter())
    assert titles("Diskussion:Mühle 1*")[0] == [f"Mühle {mill}" for mill in range(10, 20)]
    assert titles(prefix="Mühle 2") == titles("Mühle 2*")
    found = (["Mühle 00", "Mühle 01"], Counter({"categories within a category (not followed)": 1}))
    assert titles("Kategorie:Mühlen") == titles(category="Mühlen") == found
    (tmp_path / "titles.txt").write_text("\ufeff# those asked for\nMühle 05\n\nMühle 06*\n", encoding="utf-8")
    assert titles(titles=tmp_path / "titles.txt") == (["Mühle 05"], Counter({"pages that don't exist": 1}))
    assert titles(f"@{tmp_path / 'titles.txt'}") == titles(titles=tmp_path / "titles.txt")
    assert titles("Alte Mühle", "Mühle 03")[1] == {"titles that lead to a page that was read already": 1}
    assert titles("Spezial:Log", "a|b", "x" * 600, "Mühle 04", "Mühle 04", "en:Mill:x")[1] == {
        "pages that have no talk page": 1,
        "titles that no page can have": 2,
        "titles asked for twice": 1,
        "pages that don't exist": 1,
    }


def test_many_long_titles_are_asked_for_in_one_request(wiki):
    """Law: a batch that is too long for an address is posted; no title gets lost."""
    names = [f"{'Ü' * 100} {number}" for number in range(60)]
    source = ask(wiki, *names, "Mühle 07", namespaces=(1,))
    assert [page.title for page in source.pages()] == ["Diskussion:Mühle 07"]
    assert source.losses == {"pages that don't exist": 60}
    assert source.position() == (61, 61)


def test_an_article_is_the_revision_before_the_instant(wiki):
    """Law: the last revision before, never one at or after; through the talk page's title and redirects; else None."""
    source = ask(wiki)
    may, january = JUNE - 31 * 86_400_000, 1_609_495_200_000
    old, new = "Mühle 00 ist alt. [[Kategorie:Mühlen]]", "Mühle 00 ist sehr alt. [[Kategorie:Mühlen]]"
    for title in ("Mühle 00", "Diskussion:Mühle 00", "Alte Mühle", "talk:Alte_Mühle"):
        assert source.article(title, JUNE) == old
    assert source.article("Mühle 00", january) == old
    assert source.article("Mühle 00", january + 1000) == new
    assert source.article("Mühle 00", may) is None
    assert source.article("Mühle 01", JUNE) is None
    assert source.article("Keine Mühle", JUNE) is None


class Stop(Silent):
    """Ends a build after a shard; keeps what it is told."""

    heard = ""

    def shard(self, record, *, new):
        """Enough."""
        raise KeyboardInterrupt

    def noticed(self, what):
        """Kept."""
        self.heard = what


def test_a_build_from_a_wiki_is_interrupted_and_goes_on(wiki, tmp_path, monkeypatch):
    """Law: an interrupted build gives the corpus of an undisturbed one: comments, an article, user pages, no names."""
    monkeypatch.setenv("FOLKMOOT_SALT", "a salt for tests")
    options = {"rate": 100, "contact": "test@mill.example"}

    def settings(out, workers=1):
        pages = ("Mühle 0*", "Alte Mühle", "Keine Mühle")
        return BuildSettings(
            source=wiki, out=tmp_path / out, pages=pages, shard_pages=4, options=options, workers=workers
        )

    whole = build(settings("whole"))
    stop = Stop()
    with pytest.raises(KeyboardInterrupt):
        build(settings("cut", workers=3), stop)
    assert "--workers 3 --engine local: not used" in stop.heard
    again = build(settings("cut"))
    assert again.manifest.digest == whole.manifest.digest
    assert again.manifest.stage("pages") == whole.manifest.stage("pages")
    assert whole.manifest.stage("pages").counts["pages"].dropped["pages that don't exist"] == 1
    assert [row["text"] for row in whole.rows("articles")] == ["Mühle 00 ist alt. [[Kategorie:Mühlen]]"]
    threads = list(whole.threads(dropped=True))
    assert len(threads) == 10
    assert all(len(thread.comments) == 2 and thread.comments[1].parent == 0 for thread in threads)
    assert [page.namespace for page in whole.pages()].count(2) == 1
    said = "".join(page.text + page.title for page in whole.pages())
    assert not any(name in said for name in ("Ada", "Bodo", "Cleo", "198.51.100.7"))
