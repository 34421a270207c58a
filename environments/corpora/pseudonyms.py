"""User names out, pseudonyms in: in metadata and inside text (Wiki-Talkie, section on anonymization)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import quote

from folkmoot.environments.corpora.salt import find_salt
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.names import canonical_name
from folkmoot.environments.talk_page.wikitext.render import UNATTRIBUTED

__all__ = ["UNATTRIBUTED", "Pseudonyms", "find_salt", "keyed_hash", "pseudonym"]

LEAST_LETTERS = 3
"""A plain mention of a shorter name can't be told from any other word."""

_WORD = re.compile(r"[^\W_]+|[^\w\s]")
_PING = re.compile(r"\{\{\s*(?P<name>[^{}|\n]{1,40}?)\s*\|(?P<parameters>[^{}]{1,2000})\}\}")


def keyed_hash(text: str, salt: bytes) -> str:
    """10 hex digits: BLAKE2b of the text, keyed with the salt."""
    return blake2b(text.encode(), key=blake2b(salt, digest_size=32).digest(), digest_size=5).hexdigest()


def pseudonym(name: str, salt: bytes) -> str:
    """The pseudonym of a user name; the same for every spelling that the wiki takes for the same name.

    >>> pseudonym("ada_B", b"pepper and salt") == pseudonym("Ada B", b"pepper and salt")
    True
    """
    return keyed_hash(canonical_name(name), salt)


@lru_cache(maxsize=64)
def _links(namespaces: tuple[str, ...], contributions: tuple[str, ...]) -> re.Pattern[str]:
    """User, user-talk and contributions links, inside brackets or in a web address."""
    spaces = "|".join(_spelled(name) for name in sorted(namespaces, key=len, reverse=True))
    edits = "|".join(_spelled(name) for name in sorted(contributions, key=len, reverse=True))
    prefix = rf"(?:(?:{spaces})[ _]{{0,3}}(?::|%3A)[ _]{{0,3}}|(?:{edits})(?:/|%2F))"
    return re.compile(
        rf"(?P<open>\[\[[ :]{{0,3}}(?:[a-z-]{{1,12}}:){{0,2}}{prefix})(?P<name>[^\[\]|#/\n]{{1,255}})"
        rf"(?P<rest>[^\[\]|\n]{{0,255}})(?P<label>\|(?:[^\[\]\n]|\[[^\[\]\n]{{0,80}}\]){{0,800}})?(?P<close>\]\])"
        rf"|(?<!\w)(?P<bare>{prefix})(?P<page>[^\s&|\[\]<>\"'#/?{{}}]{{1,255}})",
        re.IGNORECASE,
    )


def _spelled(name: str) -> str:
    """A name as links and web addresses spell it."""
    plain = re.escape(name).replace(r"\ ", "[ _]+")
    encoded = re.escape(quote(name.replace(" ", "_"), safe=":_"))
    return f"{plain}|{encoded}" if encoded != re.escape(name) else plain


class Pseudonyms:
    """Replaces the names of one community.

    Args:
        salt: the key; without it nobody can tell who is who, or check a guess.
        language: for namespaces and ping templates.
        names: known user names: what plain mentions are looked up in.
        aliases: what users call themselves in their signatures -> user name.
    """

    def __init__(
        self, salt: bytes, language: Language, names: Iterable[str] = (), aliases: Mapping[str, str] | None = None
    ) -> None:
        self._salt = salt
        self._language = language
        self._made: dict[str, str] = {}
        self._known: dict[str, dict[str, str]] = {}
        self._pings = frozenset((*language.ping, "ping", "reply to", "u", "noping"))
        for alias, name in (aliases or {}).items():
            self._add(alias, canonical_name(name))
        for name in names:
            self._add(name, canonical_name(name))

    def _add(self, spelling: str, name: str) -> None:
        text = " ".join(spelling.replace("_", " ").split())
        first = _WORD.search(text)
        if first is not None and len(text) >= LEAST_LETTERS and name:
            self._known.setdefault(first[0].lower(), {})[text.lower()] = name

    def of(self, name: str) -> str:
        """The pseudonym of a user; "unattributed" for nobody."""
        name = canonical_name(name)
        if not name:
            return UNATTRIBUTED
        if name not in self._made:
            self._made[name] = pseudonym(name, self._salt)
        return self._made[name]

    def text(self, text: str) -> str:
        """The text with every known or linked name replaced."""
        return self.read(text)[0]

    def read(self, text: str) -> tuple[str, tuple[str, ...]]:
        """The text with names replaced, and the pseudonyms of those that it links or pings, each once, in order."""
        called: dict[str, None] = {}
        text = self._in_links(text, called)
        text = self._in_pings(text, called)
        return self._plain(text), tuple(called)

    def _in_links(self, text: str, called: dict[str, None]) -> str:
        if ":" not in text and "%3A" not in text and "/" not in text:
            return text
        pattern = _links(self._language.user_namespaces, self._language.contribution_pages)

        def replace(match: re.Match[str]) -> str:
            name = self.of(match["name"] or match["page"])
            if match["bare"] is not None:
                return f"{match['bare']}{name}"
            called[name] = None
            label = f"|{name}" if match["label"] else ""
            return f"{match['open']}{name}{match['rest']}{label}{match['close']}"

        return pattern.sub(replace, text)

    def _in_pings(self, text: str, called: dict[str, None]) -> str:
        def replace(match: re.Match[str]) -> str:
            if match["name"].replace("_", " ").lower() not in self._pings:
                return match[0]
            parameters = "|".join(self._parameter(part, called) for part in match["parameters"].split("|"))
            return f"{{{{{match['name']}|{parameters}}}}}"

        return _PING.sub(replace, text) if "{{" in text else text

    def _parameter(self, parameter: str, called: dict[str, None]) -> str:
        key, equals, value = parameter.rpartition("=")
        if not value.strip() or "[" in value or "]" in value:
            return parameter
        name = self.of(value)
        if not equals or key.strip().isdigit():
            called[name] = None
        return f"{key}{equals}{name}"

    def _plain(self, text: str) -> str:
        """Whole words that spell a known name, whatever their case, underscores and a final s."""
        spoken = set(_WORD.findall(text.lower()))
        if spoken.isdisjoint(self._known) and not any(word[:-1] in self._known for word in spoken if word[-1] == "s"):
            return text
        pieces, position = [], 0
        for start, end, name in self._mentions(text):
            pieces += [text[position:start], self.of(name)]
            position = end
        return "".join([*pieces, text[position:]])

    def _mentions(self, text: str) -> Iterator[tuple[int, int, str]]:
        position = 0
        for match in _WORD.finditer(text):
            if match.start() < position:
                continue
            found = self._longest(text, match)
            if found is not None:
                position = found[0]
                yield match.start(), *found

    def _longest(self, text: str, match: re.Match[str]) -> tuple[int, str] | None:
        """Where the longest known name that starts here ends, and whose it is."""
        word = match[0].lower()
        spellings = self._known.get(word) or (self._known.get(word[:-1]) if word.endswith("s") else None)
        if not spellings:
            return None
        for spelling in sorted(spellings, key=len, reverse=True):
            end = _spells(text, match.start(), spelling)
            if end is not None:
                return end, spellings[spelling]
        return None


def _spells(text: str, start: int, spelling: str) -> int | None:
    """The end of the spelling at this place; a final s may follow."""
    end = start + len(spelling)
    if " ".join(text[start:end].replace("_", " ").split()).lower() != spelling:
        return None
    following = text[end : end + 2]
    ends = not following[:1].isalnum() or (following[:1] == "s" and not following[1:].isalnum())
    return end if ends or not spelling[-1].isalnum() else None
