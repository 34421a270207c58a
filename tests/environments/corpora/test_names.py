"""Names in plain text: every spelling of a known name goes, ordinary words stay."""

import re
from itertools import permutations
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.corpora.namebook import NameBook
from folkmoot.environments.corpora.ordinary import Evidence, common, ordinary_spellings
from folkmoot.environments.corpora.pseudonyms import Pseudonyms, pseudonym
from folkmoot.environments.corpora.wordlists import FOLDER, word_lists
from folkmoot.environments.talk_page.wikitext import load_language
from folkmoot.environments.talk_page.wikitext.names import canonical_name

SALT = b"a salt for tests only"
EN, DE = load_language("en"), load_language("de")

LETTERS = "bcdfgmnpqvwxzBCäöéßñ39"
WORD = st.text(LETTERS, min_size=2, max_size=7)
NAME = st.lists(WORD, min_size=1, max_size=3).map(" ".join).filter(lambda name: len(name) > 3)
FORMS = (
    "{n}", "{u}", "{low}", "{UP}", "{n}'s", "{n}\u2019s", "{n}s", "@{n}:", "({n})", "'''{n}'''", "[[User:{n}|{n}]]", "[[user talk:{u}#x]]",
    "{{{{ping|{n}}}}}", "https://x.org/wiki/User:{e}", "[https://x.org/?user={e}&a=1 {n}]", "[https://x.org/t?target={p} x]", "{n}-edits",
)  # fmt: skip


def _spelled(form: str, name: str) -> str:
    encoded = quote(name.replace(" ", "_"))
    return form.format(
        n=name,
        u=name.replace(" ", "_"),
        low=name.lower(),
        UP=name.upper(),
        e=encoded,
        p=quote(name).replace("%20", "+"),
    )


def _survives(name: str, text: str) -> bool:
    """An oracle of its own: the name as whole words, in any case and with any separators, encoded or not."""
    words = [re.escape(word) for word in name.lower().split()]
    pattern = r"(?<![^\W_])" + r"[\s_+]+".join(words) + r"(?![^\W_])"
    from urllib.parse import unquote

    return re.search(pattern, unquote(text).lower()) is not None


@settings(max_examples=120, deadline=None)
@given(st.lists(NAME, min_size=1, max_size=3, unique_by=str.lower), st.data())
def test_no_known_name_survives(names, data):
    """Whatever the form and its neighbours, no known name is left, and a second pass changes nothing."""
    hide = Pseudonyms(SALT, EN, names)
    drawn = st.tuples(st.sampled_from(names), st.sampled_from(FORMS))
    pieces = data.draw(st.lists(drawn, min_size=1, max_size=5))
    text = " then ".join(_spelled(form, name) for name, form in pieces)
    out = hide.text(text)
    assert not [name for name in names if _survives(name, out)], out
    assert hide.text(out) == out
    for name, _ in pieces:
        assert pseudonym(name, SALT) in out


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=120), st.lists(NAME, max_size=3))
def test_any_text_twice(text, names):
    """Hiding is idempotent on any text."""
    hide = Pseudonyms(SALT, EN, names)
    once = hide.text(text)
    assert hide.text(once) == once


@pytest.mark.parametrize(
    ("language", "name", "text", "want"),
    [
        ("de", "Sonne7", "Sonne7s Artikel, Sonne7' Artikel", "{n}s Artikel, {n}' Artikel"),
        ("en", "太郎丸", "これは太郎丸さんの意見", "これは{n}さんの意見"),
        ("en", "2A02:8109:0:0:0:0:0:1", "as 2a02:8109::1 said, not 1.2.3.4.", "as {n} said, not 1.2.3.4."),
        ("en", "10.1.2.3", "as 10.1.2.3, said", "as {n}, said"),
        ("en", "Müller Lüdenscheidt", "see Müller%20L%C3%BCdenscheidt here", "see {n} here"),
        ("en", "Ada Lovely", "Ada\u00a0Lovely and ADA  LOVELY; Ada-Lovely, adalovely", "{n} and {n}; Ada-Lovely, adalovely"),
        ("tr", "İstanbullu", "bir İstanbullu dedi", "bir {n} dedi"),
        ("en", "-jkb-", "ask -jkb- or jkb", "ask {n} or jkb"),
        ("en", "Ab", "Ab ovo, AB; @Ab", "Ab ovo, AB; @{n}"),
    ],
)  # fmt: skip
def test_spellings(language, name, text, want):
    """Endings, scripts without spaces, addresses, encodings and separators; nothing beside them."""
    hide = Pseudonyms(SALT, load_language(language if language != "tr" else "en"), [name])
    assert hide.text(text) == want.format(n=pseudonym(name, SALT))


@pytest.mark.parametrize(("code", "stem", "form"), [("ru", "Степан", "Степаном"), ("pl", "Kowalski", "Kowalskiego")])
def test_endings_of_a_language(code, stem, form):
    """Endings of a language's word list are read, for that language only."""
    spelled = [(m.start, m.end, m.name) for m in NameBook([stem], language=code).mentions(f"o {form} wie")]
    assert spelled == [(2, 2 + len(stem), stem)]
    assert not list(NameBook([stem], language="en").mentions(f"o {form} wie"))


def test_ordinary_words_stay():
    """Users called like a frequent word lose no word: only what addresses them is theirs."""
    hide, sun = Pseudonyms(SALT, EN, ["Sun", "Thank You"]), pseudonym("Sun", SALT)
    text = "The sun shines. Sun, please look.\nSun: see [[Sun]]. @Sun, User Sun, [[User:Sun]]. Thank you!"
    want = f"The sun shines. Sun, please look.\n{sun}: see [[Sun]]. @{sun}, User {sun}, [[User:{sun}]]. Thank you!"
    assert hide.text(text, present={"Sun"}) == want
    assert hide.text("Sun: see") == "Sun: see"
    assert hide.text("https://x.org/?user=Sun&b=1") == f"https://x.org/?user={sun}&b=1"


def test_counts_decide():
    """A word that strangers use as a word is ordinary; a name that strangers mention is not."""
    names = ["Kestrel", "Jimbo", "Turm3"]
    book = NameBook(names)
    threads = [
        ((), ["The kestrel nests here.", "A kestrel, a kestrel!", "Kestrel (bird)"]),
        (("Kestrel",), ["I saw it"]),
        ((), ["Jimbo said so.", "As Jimbo says", "ask Jimbo", "jimbo?", "Jimbo!", "the Turm3 turm3 turm3"]),
    ]
    assert ordinary_spellings(threads, book, "en") == {"Kestrel"}
    kept = Pseudonyms(SALT, EN, names, ordinary={"Kestrel"}).text("The kestrel. Jimbo. @kestrel")
    assert kept == f"The kestrel. {pseudonym('Jimbo', SALT)}. @{pseudonym('Kestrel', SALT)}"


def test_signatures_may_be_words():
    """What somebody signs with is judged by itself: "Will" as a label hides no "will"."""
    hide = Pseudonyms(SALT, EN, ["Zaphod77"], {"Will": "Zaphod77"})
    assert hide.text("It will do; Zaphod77") == f"It will do; {pseudonym('Zaphod77', SALT)}"


def test_german_nouns_by_their_articles():
    """Where nouns have capitals, articles tell a word from a name."""
    book = NameBook(["Turmfalke"], language="de")
    threads = [((), ["Der Turmfalke brütet.", "Ein Turmfalke. Vom Turmfalken ist nichts zu sehen", "dem Turmfalke"])]
    assert ordinary_spellings(threads, book, "de") == {"Turmfalke"}


def test_own_threads_are_no_evidence():
    """What stands in a user's own threads says nothing of the word."""
    evidence = Evidence("en")
    for _ in range(9):
        evidence.add("a kestrel", NameBook(["Kestrel"]), {"Kestrel"})
    assert not evidence.ordinary()


def test_evidence_merges():
    """Counts of two workers are the counts of one."""
    book, texts = NameBook(["Kestrel"]), ["the kestrel", "Kestrel", "a kestrel", "kestrel"]
    one, left, right = Evidence("en"), Evidence("en"), Evidence("en")
    for number, text in enumerate(texts):
        one.add(text, book, ())
        (left, right)[number % 2].add(text, book, ())
    left.merge(right)
    assert left == one


def test_titles_and_articles():
    """Titles lose users' names and subpages, never their topic; articles lose links to users only."""
    hide = Pseudonyms(SALT, EN, ["Paris", "Ada Lovely"])
    ada = pseudonym("Ada Lovely", SALT)
    assert hide.title("User talk:Ada Lovely") == f"User talk:{ada}"
    assert hide.title("Talk:Paris") == "Talk:Paris"
    assert hide.title("Wikipedia:Requests for adminship/Ada Lovely") == f"Wikipedia:Requests for adminship/{ada}"
    assert hide.links("Paris is old. [[User:Ada Lovely]]") == f"Paris is old. [[User:{ada}]]"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("??.txt")), ids=lambda path: path.stem)
def test_word_lists(path):
    """Each file is lower case, and has something to say."""
    lists = word_lists(path.stem)
    assert lists.endings or lists.frequent
    assert all(word == word.lower() for word in (*lists.articles, *lists.frequent, *lists.endings))


@given(st.text(max_size=40))
def test_common_takes_anything(name):
    """Any name can be asked about."""
    assert common(canonical_name(name), "en") in {True, False}


def test_of_names_that_differ_by_case_one_is_meant():
    """Whatever order a set has in this process, the same one of two such names is found; of a list the last one."""
    names = ["AdaB", "Adab", "ADAB"]
    for order in permutations(names):
        assert [m.name for m in NameBook(set(order)).mentions("adab")] == ["Adab"]
        assert [m.name for m in NameBook(order).mentions("adab")] == [order[-1]]
