"""User names that are left in a corpus."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from folkmoot.environments.corpora.checking.findings import NAMES, Finding
from folkmoot.environments.corpora.facts import strings
from folkmoot.environments.corpora.namebook import NameBook
from folkmoot.environments.corpora.ordinary import Evidence, addresses, common
from folkmoot.environments.corpora.pseudonyms import UNATTRIBUTED, is_pseudonym, user_links
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.talk_page.wikitext.language import Language, load_language

COLUMNS = {"pages": ("title", "text"), "threads": ("title",), "comments": ("text",)}
"""Where names could stand, beside the facts of comments; articles are about people, so a name in one says nothing."""

WHOLE = "a fact that is a user name"


@dataclass(slots=True)
class _Left:
    """A name that is left: how often, and where first."""

    what: str
    place: str
    count: int = 0


def check_names(store: Store, names: Collection[str] = ()) -> Iterator[Finding]:
    """Links to users that hold no pseudonym, and known names in plain words; one finding a name.

    Args:
        store: a complete corpus.
        names: raw names, from the source read again; without them plain words can't be looked for.
    """
    language = load_language(store.manifest.language)
    book = NameBook(names, language=language.code) if names else None
    ordinary = _ordinary(store, book, language.code) if book is not None else frozenset()
    left: dict[str, _Left] = {}
    for place, text in _texts(store):
        for name, what in (*_linked(text, language), *_plain(text, language, book, ordinary)):
            left.setdefault(name, _Left(what, place)).count += 1
    for place, name in _whole(store):
        left.setdefault(name, _Left(WHOLE, place)).count += 1
    for name, found in sorted(left.items()):
        yield Finding(NAMES, f"{found.what}, {found.count} times in all", found.place, name)


def _texts(store: Store) -> Iterator[tuple[str, str]]:
    """(place, text) of every written column in which names could stand."""
    for table, columns in COLUMNS.items():
        for row in store.rows(table, ["id", *columns]):
            for column in columns:
                yield f"{table} {row['id']}", row[column] or ""
    for place, text, whole in _facts(store):
        if not whole:
            yield place, text


def _facts(store: Store) -> Iterator[tuple[str, str, bool]]:
    """(place, text, whether it is a whole name) of all facts."""
    for row in store.rows("comments", ["id", "facts"]):
        for text, whole in strings(json.loads(row["facts"])) if row["facts"] else ():
            yield f"comments {row['id']}", text, whole


def _whole(store: Store) -> Iterator[tuple[str, str]]:
    """(place, name) of facts that must be pseudonyms and aren't."""
    for place, text, whole in _facts(store):
        if whole and text != UNATTRIBUTED and not is_pseudonym(text):
            yield place, text


def _ordinary(store: Store, book: NameBook, language: str) -> frozenset[str]:
    """Names that this corpus uses as words."""
    evidence = Evidence(language)
    for row in store.rows("comments", ["text"]):
        evidence.add(row["text"], book, ())
    return evidence.ordinary()


def _linked(text: str, language: Language) -> Iterator[tuple[str, str]]:
    for name in user_links(text, language):
        if not is_pseudonym(name):
            yield name, "a link to a user without a pseudonym"


def _plain(
    text: str, language: Language, book: NameBook | None, ordinary: Collection[str]
) -> Iterator[tuple[str, str]]:
    if book is None:
        return
    spaces = frozenset(word.lower() for word in (*language.user, "user"))
    for mention in book.mentions(text):
        word = mention.spelling in ordinary or common(mention.spelling, language.code)
        if not word or addresses(text, mention, spaces, ()):
            yield mention.name, "a user name in plain words"
