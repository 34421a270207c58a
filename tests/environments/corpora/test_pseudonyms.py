"""Names out, pseudonyms in."""

import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.environments.corpora.pseudonyms import Pseudonyms, find_salt, pseudonym, user_links
from folkmoot.environments.talk_page.wikitext import load_language
from folkmoot.sim.errors import CorpusError

SALT = b"a salt for tests only"
EN, DE = load_language("en"), load_language("de")
ADA, BOB = pseudonym("Ada Lovely", SALT), pseudonym("Bob", SALT)
LI = pseudonym("\u674e\u660e", SALT)


@pytest.mark.parametrize(
    ("raw", "want"),
    [
        ("[[User:Ada Lovely|me]]", f"[[User:{ADA}|{ADA}]]"),
        ("[[:en:user talk:ada_Lovely#Top|my talk]]", "[[:en:user talk:ada_Lovely#Top|my talk]]".replace("ada_Lovely", ADA).replace("my talk", ADA)),
        ("[[Special:Contributions/Bob]]", f"[[Special:Contributions/{BOB}]]"),
        ("https://en.wikipedia.org/wiki/User_talk:Ada_Lovely?x=1", f"https://en.wikipedia.org/wiki/User_talk:{ADA}?x=1"),
        ("[http://x.org/?title=User%3ABob&diff=1 d]", f"[http://x.org/?title=User%3A{BOB}&diff=1 d]"),
        ("User:Ada Lovely thinks", f"User:{ADA} thinks"),
        ("see user talk:ada_lovely, User:Ada  Lovely's", f"see user talk:{ADA}, User:{ADA}'s"),
        ("User:Bob, (User:Bob) User:Bob: User:Bob?! User:Bob.", f"User:{BOB}, (User:{BOB}) User:{BOB}: User:{BOB}?! User:{BOB}."),
        ("(User:Eve), User:Eve.", f"(User:{pseudonym('Eve', SALT)}), User:{pseudonym('Eve', SALT)}."),
        ("User:Eve_(WMF)) x", f"User:{pseudonym('Eve (WMF)', SALT)}) x"),
        ("User:Bob-Smith x", f"User:{pseudonym('Bob-Smith', SALT)} x"),
        ("User:10.1.2.3. User:2001:db8::1,", f"User:{pseudonym('10.1.2.3', SALT)}. User:{pseudonym('2001:db8::1', SALT)},"),
        ("User:\u674e\u660e\u8bf4 x", f"User:{LI}\u8bf4 x"),
        ("User:... x", "User:... x"),
        ("{{ping|Ada Lovely|Bob|label1=A}}", f"{{{{ping|{ADA}|{BOB}|label1="),
        ("{{Reply to|1=Bob}} hi", f"{{{{Reply to|1={BOB}}}}} hi"),
        ("{{cite|Dan}}", "{{cite|Dan}}"),
        ("ADA LOVELY and ada_lovely, bob's; Bobby", f"{ADA} and {ADA}, {BOB}'s; Bobby"),
        ("Bobs", f"{BOB}s"),
        ("@Bob: kebob", f"@{BOB}: kebob"),
    ],
)  # fmt: skip
def test_forms(raw, want):
    """Links, web addresses, pings and plain mentions are replaced in every spelling; other words stay."""
    assert Pseudonyms(SALT, EN, ["Ada Lovely", "Bob", "\u674e\u660e"]).text(raw).startswith(want)


def test_namespaces_of_the_language():
    """Localized and gendered namespaces are known, English ones too."""
    names = Pseudonyms(SALT, DE)
    text = names.text("[[Benutzerin:Bob]] [[BD:Bob|x]] [[Spezial:Beiträge/Bob]] [[User:Bob]] Spezial:Beitr%C3%A4ge/Bob")
    assert text == f"[[Benutzerin:{BOB}]] [[BD:{BOB}|{BOB}]] [[Spezial:Beiträge/{BOB}]] [[User:{BOB}]] Spezial:Beitr%C3%A4ge/{BOB}"  # fmt: skip


def test_links_without_brackets_are_read_without_stops():
    """Who is linked in running text is the user, not the user with a comma."""
    text = f"User:{BOB}, (User:{BOB}) [[User:Eve.]] User:Eve_(WMF). User:..."
    assert list(user_links(text, EN)) == [BOB, BOB, "Eve.", "Eve (WMF)"]


def test_ordinary_words_are_users_where_they_are_called():
    """A user called like a frequent word is replaced behind u/ and in the address of a user's page, not elsewhere."""
    names, thanks = Pseudonyms(SALT, EN, ["Thank You"]), pseudonym("Thank You", SALT)
    text = "thank you, u/Thank_You and https://www.reddit.com/user/thank_you/x and menu/thank_you"
    assert names.text(text) == f"thank you, u/{thanks} and https://www.reddit.com/user/{thanks}/x and menu/thank_you"


def test_mentions_are_links_and_pings():
    """Those called are listed once, in order; plain mentions don't call."""
    _, called = Pseudonyms(SALT, EN, ["Ada Lovely", "Bob"]).read("Bob [[User:Ada Lovely]] {{ping|Bob|Ada Lovely}}")
    assert called == (ADA, BOB)


@given(st.text(min_size=1), st.binary(min_size=8), st.binary(min_size=8))
def test_pseudonym_is_keyed(name, salt, other):
    """Ten hex digits that depend on the salt, and not on underscores or the first letter's case."""
    made = pseudonym(name, salt)
    assert len(made) == 10
    assert int(made, 16) >= 0
    assert pseudonym(name.replace(" ", "_"), salt) == made
    assert salt == other or pseudonym(name, other) != made


@given(st.text(alphabet="ab [](){}|:/_@<>&;%=#-UserTalkping", max_size=80))
def test_hostile_text(text):
    """Any text comes through, and no known name is left as a word."""
    out = Pseudonyms(SALT, EN, ["Bab", "Aba Bab"]).text(text)
    words = "".join(c if c.isalnum() else " " for c in out).lower().split()
    assert "bab" not in words


def test_salt_file_and_variable(tmp_path, monkeypatch):
    """A file given comes first, then the variable; both need 8 bytes."""
    path = tmp_path / "salt"
    path.write_bytes(b"0123456789\n")
    monkeypatch.setenv("FOLKMOOT_SALT", "from the variable")
    assert find_salt(path) == b"0123456789"
    assert find_salt() == b"from the variable"
    path.write_bytes(b"short")
    with pytest.raises(CorpusError, match="has 5 bytes, at least 8"):
        find_salt(path)
    with pytest.raises(CorpusError, match="salt file"):
        find_salt(tmp_path / "none")


def test_own_salt_is_made_once(tmp_path, monkeypatch):
    """Without file and variable a random salt is made, for the owner's eyes only, and found again."""
    monkeypatch.delenv("FOLKMOOT_SALT", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    salt = find_salt()
    assert len(salt) == 64
    assert find_salt() == salt
    assert stat.S_IMODE((tmp_path / "config" / "folkmoot" / "salt").stat().st_mode) == 0o600
