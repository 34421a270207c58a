"""What must not stand in a profile; what a user page says in sentences of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.environments.corpora.namebook import NameBook
from folkmoot.environments.corpora.privacy import (
    BIRTHDAY,
    EMAIL,
    LINK,
    NAME,
    PHONE,
    USER,
    check_profile,
    find_private,
)
from folkmoot.environments.corpora.userpages import APPARATUS, EMPTY, REDIRECT, SHORT, own_text, why_not_relevant


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("write to a.b-c@example.co.uk now", EMAIL, "a.b-c@example.co.uk"),
        ("write to ada (at) example (dot) org", EMAIL, "ada (at) example (dot) org"),
        ("see https://example.org/x?y", LINK, "https://example.org/x?y"),
        ("see www.example.org", LINK, "www.example.org"),
        ("on example.com/me", LINK, "example.com/me"),
        ("see [[Bread]]", LINK, "[[Bread]]"),
        ("call +49 (0)30 123456-7", PHONE, "+49 (0)30 123456-7"),
        ("call 030/1234567", PHONE, "030/1234567"),
        ("known as @ada_l elsewhere", USER, "@ada_l"),
        ("Benutzer:Ada schreibt", USER, "Benutzer:Ada"),
        ("Die Person ist Anna von Beispiel.", NAME, "Anna von Beispiel"),
        ("Er heißt Zorbas und backt.", NAME, "Zorbas"),
        ("Jean-Luc Exemple écrit", NAME, "Jean-Luc Exemple"),
        ("born on 3 May 1970 in Leeds", BIRTHDAY, "3 May 1970"),
        ("geboren am 3.5.1970", BIRTHDAY, "3.5.1970"),
        ("nació el 3 de mayo de 1970", BIRTHDAY, "3 de mayo de 1970"),
    ],
)  # fmt: skip
def test_found(text, kind, found):
    """Each kind in its forms, with its place."""
    (private,) = find_private(text)
    assert (private.kind, text[private.start : private.end]) == (kind, found)


@pytest.mark.parametrize(
    "text",
    [
        "Born in 1970, active since 2009-2011, 12,345 edits, 3.5.2011.",
        "She writes on the Treaty of Rome, the River Tay and World War II.",
        "Die Person wohnt in Bad Homburg und schreibt über Neue Musik.",
        "He has written 1 000 000 words; ISBN 978-3-16-148410-0.",
        "Speaks English (native), French (B2).",
    ],
)
def test_nothing_found(text):
    """Years, numbers and subjects are no private things."""
    assert find_private(text) == []


def test_user_names_and_public_names():
    """Known user names are found in plain words; names of subjects that the person names are public."""
    text = "Ada Lovely writes on Marie Curie."
    assert [found.kind for found in find_private(text, NameBook(["Ada Lovely"]), ["marie curie"])] == [USER]


def test_reader_check():
    """A reader refuses private things, and a name that the page itself signs with; subjects' names pass."""
    page = "Hallo!\nfür weitere Infos\nDaniel Beispiel"
    assert check_profile("Daniel Beispiel ist Bäcker.", page) == [NAME]
    assert check_profile("Schreibt über Marie Curie.", page) == []
    assert set(check_profile("Siehe www.example.org, ada@example.org", page)) == {EMAIL, LINK}


@given(st.text(max_size=300))
def test_any_text(text):
    """Any text is gone through; what is found lies in it, apart and in order."""
    found = find_private(text)
    places = [place for private in found for place in (private.start, private.end)]
    assert places == sorted(places)
    assert all(private.start < private.end <= len(text) for private in found)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("", EMPTY),
        ("#REDIRECT [[User:X]]", REDIRECT),
        ("#weiterleitung [[Benutzer:X]]", REDIRECT),
        ("{{Babel|de|en-3}}\n{| class='x'\n| {{User bread}}\n| I like bread in a box\n|}\n[[Category:X]] __NOTOC__ ~~~~", APPARATUS),
        ("== Links ==\n* https://a.org\n* [[en:User:X]]", APPARATUS),
        ("{{a}} Hello!", SHORT),
        ("{{a}} I bake bread.", ""),
        ("太郎です。", ""),
        ("I like {| never closed", ""),
    ],
)  # fmt: skip
def test_pages_that_say_nothing(page, reason):
    """Templates, boxes, tables, headings, categories and links say nothing; three words of one's own do."""
    assert why_not_relevant(page) == reason


@given(st.text(alphabet="ab {}[]|:=\n<!->/", max_size=120))
def test_own_text_takes_anything(page):
    """Unbalanced markup is gone through too."""
    assert isinstance(own_text(page), str)


@pytest.mark.shared
def test_real_user_pages(shared):
    """Of six real pages, one is a redirect and the others are read on."""
    pages = sorted((shared / "userpages" / "dewiki").glob("*.wikitext"))
    reasons = [why_not_relevant(page.read_text(encoding="utf-8")) for page in pages]
    assert sorted(reasons) == ["", "", "", "", "", REDIRECT]
