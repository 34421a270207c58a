"""`folkmoot corpus personas | stats | check | audit` on a small wiki, as a user calls them."""

import shutil

import pytest
from typer.testing import CliRunner

from folkmoot.sim.__main__ import app
from folkmoot.sim.commands.corpus_people import parted, personas
from folkmoot.sim.errors import ConfigError

PAGE = """== Bridge ==
How high is it? [[User:Ada Lovely|Ada]] ([[User talk:Ada Lovely|talk]]) 12:00, 3 May 2011 (UTC)
:Forty metres. [[User:Bob the 2nd|Bob]] ([[User talk:Bob the 2nd|talk]]) 12:30, 3 May 2011 (UTC)
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A corpus of one page and two user pages."""
    folder = tmp_path_factory.mktemp("wiki")
    pages = [("Talk:Bridge", 1, PAGE), ("User:Ada Lovely", 2, "I am a woman and write about [[Bridge]]s."), ("User:Bob the 2nd", 2, "A man who likes rivers very much.")]  # fmt: skip
    body = "".join(
        f"<page><title>{title}</title><ns>{space}</ns><id>{n}</id><revision><id>{n}</id><timestamp>2012-01-01T00:00:00Z</timestamp><text>{text}</text></revision></page>"
        for n, (title, space, text) in enumerate(pages, 1)
    )
    (folder / "dump.xml").write_text(f"<mediawiki xml:lang='en'>{body}</mediawiki>", encoding="utf-8")
    (folder / "salt").write_text("a salt for tests only", encoding="utf-8")
    _call(
        "build",
        "--from",
        folder / "dump.xml",
        "--lang",
        "en",
        "--out",
        folder / "corpus",
        "--salt-file",
        folder / "salt",
    )
    return folder / "corpus"


def _call(*words, code=0):
    result = CliRunner().invoke(app, ["corpus", *map(str, words)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def own(corpus, tmp_path):
    """A copy of the corpus."""
    shutil.copytree(corpus, tmp_path / "corpus")
    return tmp_path / "corpus"


def test_from_people_to_a_tally(own, tmp_path):
    """The four commands one after the other."""
    told = _call("personas", own, "llm=scripted", "reader.in_flight=2", "personas.trait_threads=5")
    assert "2 of 2 user pages" in told
    assert "4 questions" in told
    told = _call("stats", own, "--out", tmp_path / "stats")
    assert "with topics" in told
    written = {path.name for path in (tmp_path / "stats").iterdir()}
    assert {"statistics.md", "statistics.png", "statistics.svg", "size.csv", "distributions.csv"} <= written
    told = _call("check", own, "--from", own.parent / "none.xml", code=2)
    assert "none.xml" in told
    assert "privacy: nothing" in _call("check", own)
    assert "2 users in" in _call("audit", own, "--sheet", tmp_path / "review.csv")
    assert "nobody judged" in _call("audit", "--filled", tmp_path / "review.csv")


def test_a_finding_is_an_exit_code(own, tmp_path):
    """Something grave gives 1, with place and way out; the text itself is shown only if asked for."""
    from folkmoot.environments.corpora.store import Store
    from folkmoot.sim.persona import Persona

    store = Store.open(own)
    user = next(store.rows("people", ["id"]))["id"]
    store.write_personas([Persona(id=user, language="en", profile="Write to ada@example.org.")])
    told = _call("check", own, code=1)
    assert f"personas {user}" in told
    assert "--allow" in told
    assert "example.org" not in told
    assert "ada@example.org" in _call("check", own, "--show-text", code=1)
    (tmp_path / "ok.txt").write_text("ada@example.org\n", encoding="utf-8")
    _call("check", own, "--allow", tmp_path / "ok.txt")


def test_an_interrupted_reading_is_no_complete_corpus(own, monkeypatch):
    """Law: between the first and the last table nobody takes the corpus for whole; asked again, it ends as undisturbed."""
    from folkmoot.environments.corpora.persons import talk
    from folkmoot.environments.corpora.pipeline.totals import whole_digest
    from folkmoot.environments.corpora.store import Store

    def stops(*_):
        raise KeyboardInterrupt

    plain = Store.open(own).manifest
    _call("personas", own, "llm=scripted")
    whole = Store.open(own).manifest
    assert whole.digest != plain.digest
    with monkeypatch.context() as patch:
        patch.setattr(talk, "trait_rows", stops)
        with pytest.raises(KeyboardInterrupt):
            personas(own, ["llm=scripted", "personas.trait_threads=1"])
    left = Store.open(own, unfinished=True).manifest
    assert (left.state, left.digest, left.stage("personas")) == ("building", "", None)
    assert "isn't complete" in _call("stats", own, "--out", own.parent / "stats", code=2)
    _call("personas", own, "llm=scripted")
    again = Store.open(own)
    assert (again.manifest.state, again.manifest.tables) == ("complete", whole.tables)
    assert again.manifest.digest == whole.digest == whole_digest(again)


def test_a_build_after_an_interrupted_reading_starts_that_stage_anew(own, corpus):
    """Law: `corpus build` ends an interrupted reading without a model as if there had been none."""
    from folkmoot.environments.corpora.persons.stage import begin_anew
    from folkmoot.environments.corpora.store import Store

    plain = Store.open(own).manifest
    _call("personas", own, "llm=scripted")
    begin_anew(Store.open(own))
    _call("build", "--from", corpus.parent / "dump.xml", "--lang", "en", "--out", own, "--salt-file", corpus.parent / "salt")  # fmt: skip
    assert Store.open(own).manifest == plain


def test_a_leak_is_grave_however_far_back(tmp_path):
    """Law: a text of the reference that a persona remembers is a finding with exit code 1; its words stay hidden."""
    from folkmoot.environments.corpora.store import Store
    from folkmoot.sim.persona import HistoryComment, HistoryThread, Persona

    said = "ten words that nobody would say twice in a lifetime by chance"
    threads = [f"== T{n} ==\n{said if n == 4 else f'Point {n}.'} [[User:{a}|{a}]] 12:00, {n} May 2011 (UTC)\n:Yes {n}. [[User:{b}|{b}]] 13:00, {n} May 2011 (UTC)\n" for n in range(1, 10) for a, b in [("Ada", "Bob")]]  # fmt: skip
    (tmp_path / "page.wikitext").write_text("".join(threads), encoding="utf-8")
    (tmp_path / "salt").write_text("a salt for tests only", encoding="utf-8")
    corpus = tmp_path / "corpus"
    source = ("build", "--from", tmp_path / "page.wikitext", "--lang", "en", "--salt-file", tmp_path / "salt")
    _call(*source, "--out", corpus)
    assert "leakage: nothing" in _call("check", corpus)
    store = Store.open(corpus)
    user = next(store.rows("people", ["id"]))["id"]
    memory = HistoryThread(thread="h", title="", comments=(HistoryComment(time=0, text=said),))
    store.write_personas([Persona(id=user, language="en", history=(memory,))])
    told = _call("check", corpus, code=1)
    assert "leakage: 1" in told
    assert "the text stands in the reference and in the history or the openings (1 such)" in told
    assert "nobody would say" not in told
    assert "nobody would say" in _call("check", corpus, "--show-text", code=1)
    told = _call("check", corpus, "--max-threads", "5")
    assert "4 older threads weren't looked at" in told
    _call("check", corpus, "--max-threads", "0", code=1)
    assert "nothing was looked for: page: 1 thread," in _call("check", corpus, "--max-threads", "1")


def test_overrides_are_checked(own):
    """Wrong keys and values are said before anything is read."""
    assert "personas" in _call("personas", own, "personas.filters.max_user=3", code=2)
    assert "trait_threads" in _call("personas", own, "personas.trait_threads=0", code=2)
    assert "in_flight" in _call("personas", own, "reader.in_flight=0", code=2)
    _call("audit", code=2)
    with pytest.raises(ConfigError, match="KEY=VALUE"):
        parted(["personas"])
