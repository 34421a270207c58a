"""What must not stand in a profile: addresses, numbers, links, names, birthdays; found by rules, in any language.

The rules look for forms. A bare first name, or a name that no list and no page gives away, isn't found: an audit by
people stays necessary (`folkmoot corpus audit`).
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from folkmoot.environments.corpora.namebook import NameBook
from folkmoot.environments.corpora.wordlists import FOLDER

EMAIL, LINK, PHONE, USER, NAME, BIRTHDAY = (
    "an e-mail address",
    "a link",
    "a phone number",
    "a user name",
    "a personal name",
    "a full date of birth",
)
KINDS = (EMAIL, LINK, PHONE, USER, NAME, BIRTHDAY)

_AT = r"(?:@|\s?[\[({]\s?(?:at|ät|arroba|chez|chiocciola)\s?[\])}]\s?)"
_DOT = r"(?:\.|\s?[\[({]\s?(?:dot|punkt|punto|point)\s?[\])}]\s?)"
_EMAIL = re.compile(rf"[\w.+-]{{1,64}}{_AT}[\w-]{{1,63}}(?:{_DOT}[\w-]{{2,63}}){{1,4}}", re.IGNORECASE)
_LINK = re.compile(
    r"(?:https?:)?//[^\s\])>]{2,}|\bwww\.[^\s\])>]{2,}|\[\[[^\[\]\n]{1,200}\]\]"
    r"|\b[a-z0-9-]{2,40}\.(?:com|org|net|info|edu|gov|io|eu|de|at|ch|fr|es|it|uk|nl|pl|ru|jp)\b(?:/\S*)?",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![\w.,/-])(?:\+|00|\(0?|0)\d[\d\s()/.-]{5,20}\d(?!\w)")
_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2}")
_HANDLE = re.compile(r"(?<![\w@./])@\w{3,40}|\b(?:User|Benutzer|Benutzerin|Usuario|Usuaria|Utilisateur|Utente):\s?\w+")
_BORN = re.compile(
    r"\b(?:born|geboren|geb\.|nacid[oa]|naci[óo]|née?|nat[oa])\b[^.\n]{0,40}?"
    r"(\d{1,2}\.?(?:\s+de)?\s+[^\W\d]{3,12}\.?,?(?:\s+de)?\s+(?:19|20)\d\d|[^\W\d]{3,12}\s+\d{1,2},?\s+(?:19|20)\d\d"
    r"|\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d|(?:19|20)\d\d-\d{2}-\d{2})",
    re.IGNORECASE,
)
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]+"
_PARTICLE = r"(?:\s(?:von|van|de|da|di|del|della|le|la|der|den|zu|y|ten|bin|al))?"
_FULL = re.compile(rf"\b({_CAPITAL})(?:[-\s]{_CAPITAL})?{_PARTICLE}\s({_CAPITAL})\b")
_CALLED = re.compile(
    r"\b(?:named|called|name is|heißt|namens|se llama|llamad[oa]|s'appelle|nommée?|si chiama|chiamat[oa])"
    rf"\s({_CAPITAL})"
)


@dataclass(frozen=True, slots=True)
class Private:
    """A private thing in a text: its kind of `KINDS`, and the characters start..end."""

    kind: str
    start: int
    end: int


def find_private(text: str, book: NameBook | None = None, public: Collection[str] = ()) -> list[Private]:
    """Every private thing in a text, in order; where two overlap, the first kind of `KINDS`.

    Args:
        text: of a profile.
        book: user names that must not stand in it.
        public: names that may (subjects that the person writes about), whatever their case.

    >>> [found.kind for found in find_private("She is Ada Example, ada(at)example.org, +49 30 1234567")]
    ['an e-mail address', 'a phone number']
    >>> [found.kind for found in find_private("Anna Example writes about Marie Curie", public=["Marie Curie"])]
    ['a personal name']
    """
    allowed = {name.casefold() for name in public}
    found: list[Private] = []
    for kind, finder in _FINDERS.items():
        found += [Private(kind, start, end) for start, end in finder(text) if text[start:end].casefold() not in allowed]
    if book is not None:
        found += [Private(USER, mention.start, mention.end) for mention in book.mentions(text)]
    return _apart(found)


def check_profile(profile: str, page: str) -> Sequence[str]:
    """Kinds of private things in a profile that a model wrote of a page: what a reader refuses.

    Full names count only where the page itself gives them away (a line that is a name): subjects may have names too.
    """
    signed = _signed_names(page)
    kinds = [found.kind for found in find_private(profile, public=()) if found.kind != NAME]
    kinds += [NAME] * (_CALLED.search(profile) is not None or any(name in profile for name in signed))
    return list(dict.fromkeys(kinds))


def _apart(found: Sequence[Private]) -> list[Private]:
    kept: list[Private] = []
    for each in sorted(found, key=lambda private: (KINDS.index(private.kind), private.start)):
        if all(each.end <= other.start or other.end <= each.start for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda private: private.start)


def _spans(pattern: re.Pattern[str], group: int = 0) -> Callable[[str], Iterator[tuple[int, int]]]:
    return lambda text: (match.span(group) for match in pattern.finditer(text))


def _phones(text: str) -> Iterator[tuple[int, int]]:
    for match in _PHONE.finditer(text):
        digits = sum(char.isdigit() for char in match[0])
        if 7 <= digits <= 15 and not _DATE.search(match[0]):  # noqa: PLR2004 -- lengths of phone numbers (E.164)
            yield match.span()


def _names(text: str) -> Iterator[tuple[int, int]]:
    """A given name before a capitalised word, or a name after "is called"."""
    given = given_names()
    for match in _FULL.finditer(text):
        if match[1].casefold() in given and match[1][0].isupper() and match[2][0].isupper():
            yield match.span()
    for match in _CALLED.finditer(text):
        if match[1][0].isupper():
            yield match.span(1)


def _signed_names(page: str) -> list[str]:
    """Lines of a page that are nothing but two or three capitalised words, the first a given name."""
    lines = (line.strip(" -\u2013\u2014*'\t") for line in page.splitlines())
    given = given_names()
    return [line for line in lines if (match := _FULL.fullmatch(line)) and match[1].casefold() in given]


_FINDERS: dict[str, Callable[[str], Iterator[tuple[int, int]]]] = {
    EMAIL: _spans(_EMAIL),
    LINK: _spans(_LINK),
    PHONE: _phones,
    USER: _spans(_HANDLE),
    NAME: _names,
    BIRTHDAY: _spans(_BORN, 1),
}


@cache
def given_names() -> frozenset[str]:
    """Common given names of a dozen languages, in lower case."""
    return frozenset((FOLDER / "given_names.txt").read_text(encoding="utf-8").split())
