"""What a build refuses, and what it says: the value, the bound, the way out."""

import hashlib

import pytest

from folkmoot.environments.corpora.pipeline.identity import asked_of_source
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.store.manifest import SCHEMA
from folkmoot.sim.errors import ConfigError, CorpusError


def test_a_folder_of_another_schema(wiki, make):
    """A corpus of another schema is named with both versions and left alone."""
    path = make(wiki).path / "manifest.json"
    path.write_text(path.read_text().replace(SCHEMA, "folkmoot.corpus/99"))
    with pytest.raises(CorpusError, match=r"'folkmoot.corpus/99'.*'folkmoot.corpus/1'.*another folder"):
        make(wiki)
    assert "corpus/99" in path.read_text()


def test_a_damaged_manifest(wiki, make):
    """A manifest that isn't JSON is told as such."""
    path = make(wiki).path / "manifest.json"
    path.write_text(path.read_text()[:100])
    with pytest.raises(CorpusError, match=r"manifest.json is damaged .*build the corpus again"):
        Store.open(path.parent)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shard_pages": 5}, r"shard_pages 4, this one has 5"),
        ({"namespaces": (1,)}, r"namespaces \[1, 2\], this one has \[1\]"),
        ({"name": "other"}, r"name 'testwiki', this one has 'other'"),
        ({"lang": "de"}, r"language 'en', this one has 'de'"),
    ],
)
def test_another_build_in_the_folder(wiki, make, change, message):
    """A build with other settings into the same folder names the first difference and the way out."""
    make(wiki)
    with pytest.raises(CorpusError, match=message + r".*another --out"):
        make(wiki, **change)


def test_another_source_in_the_folder(wiki, make, tmp_path):
    """Another dump, and the same one with a byte changed, are told by their hash."""
    make(wiki)
    other = tmp_path / "other.xml"
    other.write_text(wiki.read_text(encoding="utf-8").replace("38 m", "39 m"), encoding="utf-8")
    with pytest.raises(CorpusError, match=r"source SHA-256 '[0-9a-f]{64}', this one has '[0-9a-f]{64}'"):
        make(other)


def test_another_salt_in_the_folder(wiki, make, tmp_path):
    """Pseudonyms of two salts never mix."""
    make(wiki)
    other = tmp_path / "other"
    other.write_text("another salt altogether")
    with pytest.raises(CorpusError, match=r"salt \(check value\)"):
        make(wiki, salt_file=other)


def test_another_removal_list_is_another_build(wiki, make, tmp_path):
    """Law: a removal list that changed is never passed over, in a complete corpus or one on its way; its names stay hidden."""
    names, more = tmp_path / "removed.txt", tmp_path / "more.txt"
    names.write_text("Ada Lovely\n")
    more.write_text("# new\nBob the 2nd\nAda Lovely\n")
    make(wiki, "none")
    with pytest.raises(
        CorpusError, match=r"removal list \(keyed hash\) None, this one has '[0-9a-f]{16}'.*another --out"
    ):
        make(wiki, "none", blocklist=names)
    store = make(wiki, blocklist=names)
    text = (store.path / "manifest.json").read_text()
    assert "Lovely" not in text
    (store.path / "manifest.json").write_text(text.replace('"complete"', '"building"'))
    with pytest.raises(CorpusError, match=r"removal list \(keyed hash\) '[0-9a-f]{16}', this one has '[0-9a-f]{16}'"):
        make(wiki, blocklist=more)
    with pytest.raises(CorpusError, match=r"'[0-9a-f]{16}', this one has None"):
        make(wiki)
    names.write_text("# the same in other words\nada_Lovely".replace("ada", "Ada"))
    assert make(wiki, blocklist=names).manifest.state == "complete"


def test_another_option_is_another_build(make, tmp_path):
    """Law: what an option says of the content is kept with the corpus; how politely a wiki is asked isn't."""
    table = tmp_path / "talk.csv"
    rows = ["thread,author,time,text", *(f"t{n},A{n % 3},2020-01-0{n + 1}T00:00:00Z,caf\u00e9 {n}" for n in range(9))]
    table.write_bytes("\n".join(rows).encode("latin-1"))
    store = make(f"table:{table}", lang="en", options={"encoding": "latin-1"})
    assert store.manifest.settings["option encoding"] == "latin-1"
    with pytest.raises(CorpusError, match="option encoding 'latin-1', this one has 'cp1250'; give the same again"):
        make(f"table:{table}", lang="en", options={"encoding": "cp1250"})
    titles = tmp_path / "titles"
    titles.write_text("Bridge")
    polite = {"rate": 1, "contact": "a@b.example", "patience": 1, "tries": 1, "timeout": 1, "maxlag": 1, "batch": 1}
    asked = {"options": {**polite, "category": "Mills", "titles": titles}, "pages": ("Talk:A", f"@{titles}")}
    settings = BuildSettings(source="https://x", out=tmp_path, **asked)
    found = settings.content | dict(asked_of_source(settings, (), b"salt"))
    digest = hashlib.sha256(b"Bridge").hexdigest()[:16]
    assert {key: found[key] for key in found if "option" in key or "titles" in key} == {
        "option category": "Mills",
        "option titles": digest,
        "files of titles (SHA-256)": digest,
    }
    assert found["pages"] == ["Talk:A"]


def test_a_folder_of_something_else(wiki, make, tmp_path):
    """Nothing is written among somebody's files."""
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "letter.txt").write_text("dear")
    with pytest.raises(CorpusError, match=r"holds no corpus of ours; give another --out"):
        make(wiki)


def test_a_salt_inside_the_corpus_is_refused(wiki, make, tmp_path):
    """The key isn't kept with what it locks."""
    salt = tmp_path / "corpus" / "salt"
    salt.parent.mkdir()
    salt.write_text("long enough to be a salt")
    with pytest.raises(CorpusError, match=r"lies in the corpus's folder.*keep it elsewhere"):
        make(wiki, salt_file=salt)


def test_a_missing_and_a_short_salt(wiki, make, tmp_path):
    """Both are named with the file, before anything is written."""
    with pytest.raises(CorpusError, match=r"salt file .*none.*name a readable file or set FOLKMOOT_SALT"):
        make(wiki, salt_file=tmp_path / "none")
    short = tmp_path / "short"
    short.write_text("abc")
    with pytest.raises(CorpusError, match=r"3 bytes, at least 8"):
        make(wiki, salt_file=short)
    assert not (tmp_path / "corpus").exists()


def test_an_unknown_language(wiki, make, tmp_path):
    """A language without data is named with those that have some, before anything is written."""
    with pytest.raises(ConfigError, match=r"no language data for 'tlh'"):
        make(wiki, lang="tlh")
    assert not (tmp_path / "corpus").exists()


def test_an_unknown_scheme(make):
    """A misspelt kind of source gets a hint."""
    with pytest.raises(ConfigError, match=r"unknown kind of source 'convokti'; did you mean 'convokit'"):
        make("convokti:somewhere")


def test_nothing_at_the_path(make, tmp_path):
    """A wrong path is an error with the path."""
    with pytest.raises(CorpusError, match=r"no file or folder at .*nowhere.xml"):
        make(tmp_path / "nowhere.xml")


def test_an_unfinished_corpus_is_not_read(wiki, make, lab):
    """Until it is complete, a corpus can't be mistaken for a whole one."""
    store = make(wiki)
    path = store.path / "manifest.json"
    path.write_text(path.read_text().replace('"complete"', '"building"'))
    with pytest.raises(CorpusError, match=r"isn't complete .*give the same"):
        Store.open(store.path)
    assert make(wiki).manifest.state == "complete"


def test_a_damaged_part_is_named(wiki, make):
    """A torn Parquet file is told with its path, not with a traceback of the library."""
    store = make(wiki)
    part = store.parts("comments")[0]
    part.write_bytes(part.read_bytes()[:50])
    with pytest.raises(CorpusError, match=r"comments/00000.parquet: can't be read"):
        list(store.threads())


def test_a_stage_whose_counts_do_not_add_up(wiki, make):
    """A stage can't lose anything silently."""
    from folkmoot.environments.corpora.store import StageRecord, Tally

    with pytest.raises(CorpusError, match=r"5 threads came in, 3 were kept and 1 dropped"):
        make(wiki).finish(StageRecord(name="x", counts={"threads": Tally(given=5, kept=3, dropped={"y": 1})}))


def test_a_row_that_does_not_fit(wiki, make):
    """A stage that writes a wrong row is told which table."""
    store = make(wiki)
    with pytest.raises(CorpusError, match="a row of selection doesn't fit"):
        store.write("selection", [{"thread": 3, "reason": ""}])
    with pytest.raises(CorpusError, match="belongs to the pages stage"):
        store.write("threads", [])


def test_the_removal_list_is_honoured(wiki, make, tmp_path):
    """Comments and pages of somebody on the list are in no table, answers to them go up a level, all is counted."""
    names = tmp_path / "removed.txt"
    names.write_text("Ada Lovely\n")
    whole, store = make(wiki, "whole"), make(wiki, blocklist=names)
    ada = next(page.owner for page in whole.pages([2]))
    assert any(comment.actor == ada for thread in whole.threads() for comment in thread.comments)
    assert all(comment.actor != ada for thread in store.threads() for comment in thread.comments)
    assert not list(store.pages([2]))
    counts = store.manifest.stage("pages").counts
    assert counts["comments"].dropped["by users on the blocklist"] == 24
    first = next(store.threads())
    assert [comment.parent for comment in first.comments] == [None, 0]
    assert not any("How high is bridge" in page.text for page in store.pages())
