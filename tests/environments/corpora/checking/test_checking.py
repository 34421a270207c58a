"""What a check finds in a corpus that was damaged on purpose, and that it finds nothing in a sound one."""

import pyarrow.parquet as pq
import pytest

from folkmoot.environments.corpora.checking import (
    check_names,
    check_parts,
    check_profiles,
    check_references,
    harmful,
    read_lines,
)
from folkmoot.environments.corpora.checking.findings import BROKEN, LEAKS, NAMES, PRIVACY
from folkmoot.environments.corpora.pseudonyms import pseudonym
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.persona import Attributes, Persona, Trait

SALT = b"a salt for tests only"
ADA = pseudonym("Ada Lovely", SALT)
NAMES_OF_THE_WIKI = ["Ada Lovely", "Bob the 2nd", "Carol", "Dora"]


def _edit(store, table, change):
    """Write a table's only part anew, its rows changed."""
    import pyarrow as pa

    part = store.parts(table)[0]
    read = pq.read_table(part)
    pq.write_table(pa.Table.from_pylist([change(row) for row in read.to_pylist()], schema=read.schema), part)


def test_a_sound_corpus_has_nothing(small_store):
    """Nothing is found in a corpus as it was built, with the source's names at hand too."""
    assert not list(check_names(small_store, NAMES_OF_THE_WIKI))
    assert not list(check_references(small_store))
    assert not list(check_profiles(small_store, NAMES_OF_THE_WIKI))


def test_names_that_are_left(small_store):
    """A linked or plain name is one finding, with how often and where first; ordinary words are none."""
    texts = iter(["See [[User:Eve]] and [[User:Eve|her]].", "as Ada Lovely says", "the sun, the sun"])
    _edit(small_store, "comments", lambda row: {**row, "text": next(texts, row["text"])})
    found = {finding.text: finding for finding in check_names(small_store, [*NAMES_OF_THE_WIKI, "Sun"])}
    assert set(found) == {"Eve", "Ada Lovely"}
    assert "2 times" in found["Eve"].what
    first = next(small_store.rows("comments", ["id"]))["id"]
    assert found["Eve"].place == f"comments {first}"
    assert {finding.kind for finding in found.values()} == {NAMES}


def test_names_that_are_left_in_facts(small_store):
    """A raw whole name in a fact is found without any list of names, one in a fact's text with it."""
    facts = iter(['{"reply_to_user": "Eve", "speaker": "unattributed", "url": "https://example.org/Carol"}'])
    _edit(small_store, "comments", lambda row: {**row, "facts": next(facts, None)})
    assert [(f.what, f.text) for f in check_names(small_store)] == [
        ("a fact that is a user name, 1 times in all", "Eve")
    ]
    assert {finding.text for finding in check_names(small_store, ["Carol"])} == {"Eve", "Carol"}


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("comments", {"parent": 9}, "its parent is 9"),
        ("comments", {"index": 7}, "it stands where comment"),
        ("comments", {"actor": ""}, "it has no actor"),
        ("threads", {"page": "nowhere"}, "page nowhere isn't in the corpus"),
        ("threads", {"comments": 0}, "it has no comment"),
        ("thread_articles", {"article": "gone"}, "article gone isn't in articles"),
    ],
)  # fmt: skip
def test_broken_references(small_store, table, change, message):
    """Each reference that points to nothing is found where it stands."""
    if not list(small_store.rows(table)):
        columns = {"thread": "string", "article": "string", "reason": "string"}
        thread = next(small_store.rows("threads", ["id"]))["id"]
        small_store.write(table, [{"thread": thread, "article": None, "reason": "none"}], columns)
    _edit(small_store, table, lambda row: {**row, **change})
    found = list(check_references(small_store))
    assert any(message in finding.what and finding.kind == BROKEN for finding in found), found


def test_rows_must_agree(small_store):
    """A table with other rows than the manifest says, and a persona of nobody, are found."""
    small_store.write_personas([Persona(id="0123456789", language="en")])
    part = small_store.parts("selection")[0]
    pq.write_table(pq.read_table(part).slice(0, 2), part)
    found = [finding.what for finding in check_references(small_store)]
    assert "2 rows, the manifest says 6" in found
    assert "2 rows for 6 threads" in found
    assert "id 0123456789 isn't in people" in found


def test_private_profiles(small_store):
    """Private things are found in profiles, attributes and reasoning; subjects of the person's work are public."""
    traits = {"policy_usage": Trait(values=("Occasional citation",), reasoning="Writes to ada@example.org.")}
    about = Attributes(contribution_topics=("Marie Curie",), location="near Dora's house")
    small_store.write_personas(
        [Persona(id=ADA, language="en", profile="Anna Example writes on Marie Curie.", attributes=about, traits=traits)]
    )
    found = {finding.what: finding.text for finding in check_profiles(small_store, NAMES_OF_THE_WIKI)}
    assert found == {
        "a personal name in profile": "Anna Example",
        "a user name in location": "Dora",
        "an e-mail address in the reasoning of policy_usage": "ada@example.org",
    }
    kinds = {finding.kind for finding in check_profiles(small_store)}
    assert kinds == {PRIVACY}


def test_leaks_between_parts(small_store):
    """A repeated text is grave; traits that were read from the reference are told."""
    ids = [row["id"] for row in small_store.rows("threads", ["id"])]
    said = "a sentence of ten words that nobody would write twice by chance"
    firsts = {(ids[0], 0), (ids[3], 0)}
    _edit(
        small_store, "comments", lambda row: {**row, "text": said} if (row["thread"], row["index"]) in firsts else row
    )
    found = list(check_parts(small_store, {ids[3]}, {ids[0]}))
    assert [(finding.kind, finding.grave) for finding in found] == [(LEAKS, True)]
    columns = {"id": "string", "threads": "texts"}
    small_store.write("traits", [{"id": ADA, "threads": [ids[3]]}], columns)
    assert [finding.grave for finding in check_parts(small_store, {ids[3]}, {ids[1]})] == [False]


def test_harmless_texts(small_store, tmp_path):
    """What was looked at and found harmless is left out."""
    path = tmp_path / "harmless.txt"
    path.write_text("anna example\n\n", encoding="utf-8")
    small_store.write_personas([Persona(id=ADA, language="en", profile="Anna Example bakes.")])
    found = list(check_profiles(small_store))
    assert [harmful(finding, read_lines(path, "list")) for finding in found] == [False]
    with pytest.raises(CorpusError, match="list"):
        read_lines(tmp_path / "none", "list")
