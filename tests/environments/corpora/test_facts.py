"""Names in what a source says of a comment beside its text."""

import pytest

from folkmoot.environments.corpora.checking import check_names
from folkmoot.environments.corpora.facts import LEVELS, hide_facts, names_people, strings, too_deep
from folkmoot.environments.corpora.pipeline.build import build
from folkmoot.environments.corpora.pipeline.settings import BuildSettings
from folkmoot.environments.corpora.pseudonyms import Pseudonyms, pseudonym
from folkmoot.environments.talk_page.wikitext import load_language

SALT = b"a salt for tests only"
ADA, ZED = pseudonym("Ada Lovely", SALT), pseudonym("Zed", SALT)
EN = load_language("en")


def test_facts_are_hidden_as_texts_are():
    """Whole names whoever they are, known names in any text, and nothing else; a count of users stays a count."""
    facts = {
        "url": "https://example.org/user/ada_lovely/?x=1",
        "reply_to_user": "Zed",
        "author": {"name": "Zed", "karma": "12"},
        "Mentions": ["Zed", "ada Lovely"],
        "speaker_id": 77,
        "participants": "12",
        "votes": {"Ada Lovely": 1},
        "by": "x",
        "score": 3,
        "stickied": True,
        "deleted_by": "",
    }
    assert hide_facts(facts, Pseudonyms(SALT, EN, ["Ada Lovely"])) == {
        "url": f"https://example.org/user/{ADA}/?x=1",
        "reply_to_user": ZED,
        "author": {"name": ZED, "karma": "12"},
        "Mentions": [ZED, ADA],
        "speaker_id": pseudonym("77", SALT),
        "participants": "12",
        "votes": {ADA: 1},
        "by": "x",
        "score": 3,
        "stickied": True,
        "deleted_by": "",
    }


def test_texts_of_facts_are_told_from_whole_names():
    """Every text is found once, keys inside of values too, and said to be a whole name where it is one."""
    facts = {"user": "Zed", "a": {"b": ["c", {"editedBy": "Dan"}]}, "n": 1}
    assert list(strings(facts)) == [("Zed", True), ("b", False), ("c", False), ("editedBy", False), ("Dan", True)]
    assert [names_people(key) for key in ("user", "score")] == [True, False]


@pytest.mark.parametrize(("levels", "kept"), [(LEVELS, True), (LEVELS + 1, False), (900, False)])
def test_facts_have_a_bottom(levels, kept):
    """Any nesting comes through; what lies deeper than the bound becomes null, and is told."""
    value = "Zed"
    for _ in range(levels):
        value = [value]
    hidden = hide_facts({"user": value}, Pseudonyms(SALT, EN))
    assert (ZED in str(hidden)) is kept
    assert ("None" in str(hidden)) is not kept
    assert too_deep({"user": value}) is not kept
    assert list(strings({"user": value})) == [("Zed", True)] * kept


def test_no_name_reaches_the_disk_in_facts(tmp_path):
    """Built for real: neither those who write nor those whom only a fact calls are left; the check finds what is."""
    path = tmp_path / "comments.csv"
    path.write_text(
        "thread,author,time,text,url,reply_to_user\n"
        "t,AdaLovely,1714564800,Good morning,https://www.reddit.com/user/Cleo_77/x,\n"
        "t,Bodobert,1714564860,As cleo_77 says,see u/ADALOVELY,AdaLovely\n",
        "utf-8",
    )
    (tmp_path / "salt").write_bytes(SALT)
    store = build(BuildSettings(source=f"table:{path}", out=tmp_path / "out", lang="en", salt_file=tmp_path / "salt"))
    ada, cleo = pseudonym("AdaLovely", SALT), pseudonym("Cleo 77", SALT)
    (thread,) = store.threads(dropped=True)
    assert thread.comments[0].facts == {"url": f"https://www.reddit.com/user/{cleo}/x"}
    assert thread.comments[1].facts == {"url": f"see u/{ada}", "reply_to_user": ada}
    assert thread.comments[1].text == f"As {cleo} says"
    assert not list(check_names(store, ["AdaLovely", "Bodobert", "Cleo_77"]))
