"""User names out, pseudonyms in: in metadata and inside text (Wiki-Talkie, section on anonymization).

Links to user pages, user talk pages and contributions, pings, web addresses and plain mentions are replaced, whatever
their case, underscores, percent-encoding and genitive or other ending. Users who are called like an ordinary word are
replaced only where they are meant (`ordinary.py` states the rule). Limits: a bare first name ("Ada" for "Ada Lovely")
and nicknames that nobody signs with stay; `folkmoot corpus check` looks for what is left.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import quote, unquote

from folkmoot.environments.corpora.namebook import LEAST_LETTERS, NameBook, in_run
from folkmoot.environments.corpora.ordinary import addresses, common
from folkmoot.environments.corpora.salt import find_salt
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.names import canonical_name
from folkmoot.environments.talk_page.wikitext.render import UNATTRIBUTED

__all__ = ["LEAST_LETTERS", "UNATTRIBUTED", "Pseudonyms", "find_salt", "keyed_hash", "pseudonym"]

_PING = re.compile(r"\{\{\s*(?P<name>[^{}|\n]{1,40}?)\s*\|(?P<parameters>[^{}]{1,2000})\}\}")
_PSEUDONYM = re.compile("[0-9a-f]{10}")
_PIECE = r"[^\s\[\]|<>\"'{}/?&=#]*"
_STOPS = tuple(".,;:!?)]")
_ENCODED = re.compile(rf"{_PIECE}%[0-9A-Fa-f]{{2}}{_PIECE}|(?<==){_PIECE}\+{_PIECE}")


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


def is_pseudonym(name: str) -> bool:
    """Whether a name is 10 hex digits."""
    return _PSEUDONYM.fullmatch(name) is not None


def user_links(text: str, language: Language) -> Iterator[str]:
    """Names in links to users, in brackets or in web addresses, as `Pseudonyms` finds them."""
    if ":" in text or "%3" in text or "/" in text:
        for match in _links(language.user_namespaces, language.contribution_pages).finditer(text):
            if name := match["name"] or _without_stop(match["page"]):
                yield canonical_name(name)


def _without_stop(page: str) -> str:
    """A user page in running text without the stops behind it; a bracket that it opened itself is its own."""
    while page.endswith(_STOPS) and not (page[-1] == ")" and page.count("(") >= page.count(")")):
        page = page[:-1]
    return page


class Pseudonyms:
    """Replaces the names of one community.

    Args:
        salt: the key; without it nobody can tell who is who, or check a guess.
        language: for namespaces, ping templates, inflections and frequent words.
        names: known user names: what plain mentions are looked up in.
        aliases: what users call themselves in their signatures -> user name.
        ordinary: spellings that this corpus uses as ordinary words (`ordinary_spellings`), beside those that are too
            common in the language; plain mentions of them are replaced only where they address the user.
    """

    def __init__(
        self,
        salt: bytes,
        language: Language,
        names: Iterable[str] = (),
        aliases: Mapping[str, str] | None = None,
        ordinary: Collection[str] = (),
    ) -> None:
        self._salt = salt
        self._language = language
        self._made: dict[str, str] = {}
        self._given: set[str] = set()
        self._pings = frozenset((*language.ping, "ping", "reply to", "u", "noping"))
        self._namespaces = frozenset(word.lower() for word in (*language.user, "user"))
        self._spaces = frozenset(space.casefold() for space in language.user_namespaces)
        self._ordinary: dict[str, bool] = dict.fromkeys(ordinary, True)
        self.book = NameBook(names, aliases, language.code)

    @property
    def language(self) -> str:
        """ISO 639-1 code."""
        return self._language.code

    def spare(self, ordinary: Iterable[str]) -> None:
        """Take these spellings for ordinary words too."""
        self._ordinary.update(dict.fromkeys(ordinary, True))

    def of(self, name: str) -> str:
        """The pseudonym of a user; "unattributed" for nobody; a pseudonym given here stands for itself."""
        name = canonical_name(name)
        if not name:
            return UNATTRIBUTED
        if name in self._given:
            return name
        if name not in self._made:
            self._made[name] = pseudonym(name, self._salt)
            self._given.add(self._made[name])
        return self._made[name]

    def ordinary(self, spelling: str) -> bool:
        """Whether a spelling is an ordinary word here."""
        if spelling not in self._ordinary:
            self._ordinary[spelling] = common(spelling, self._language.code)
        return self._ordinary[spelling]

    def text(self, text: str, present: Collection[str] = ()) -> str:
        """The text with every known or linked name replaced; `present` are the names of those who write around it."""
        return self.read(text, present)[0]

    def read(self, text: str, present: Collection[str] = ()) -> tuple[str, tuple[str, ...]]:
        """The text with names replaced, and the pseudonyms of those that it links or pings, each once, in order."""
        called: dict[str, None] = {}
        text = unicodedata.normalize("NFC", text)
        text = self._in_links(text, called)
        text = self._in_pings(text, called)
        text = self._encoded(text, present)
        return self._plain(text, present), tuple(called)

    def links(self, text: str) -> str:
        """The text with names replaced in links to users only: for articles, whose "Paris" is no user."""
        return self._in_links(unicodedata.normalize("NFC", text), {})

    def title(self, title: str) -> str:
        """A page's title: the user of a user page, and subpages that are called like a user."""
        first, *rest = title.split("/")
        space, colon, name = first.partition(":")
        if colon and space.replace("_", " ").casefold() in self._spaces:
            first = f"{space}:{self.of(name)}"
        return "/".join([first, *(self.of(part) if self.book.owner(part) else part for part in rest)])

    def _in_links(self, text: str, called: dict[str, None]) -> str:
        if ":" not in text and "%3A" not in text and "%3a" not in text and "/" not in text:
            return text
        pattern = _links(self._language.user_namespaces, self._language.contribution_pages)

        pieces, position = [], 0
        for match in pattern.finditer(text):
            if match.start() < position:
                continue
            made, end = self._bare(match, text) if match["bare"] is not None else self._bracketed(match, called)
            pieces += [text[position : match.start()], made]
            position = end
        return "".join([*pieces, text[position:]])

    def _bracketed(self, match: re.Match[str], called: dict[str, None]) -> tuple[str, int]:
        name = self.of(match["name"])
        called[name] = None
        label = f"|{name}" if match["label"] else ""
        return f"{match['open']}{name}{match['rest']}{label}{match['close']}", match.end()

    def _bare(self, match: re.Match[str], text: str) -> tuple[str, int]:
        """A user page outside of brackets, and where it ends: behind the longest known name, else at the next space."""
        page = _without_stop(match["page"])
        mention = self.book.at(text, match.start("page"))
        whole = match.start("page") + len(page)
        if mention is not None and (mention.end >= whole or in_run(text[mention.end])):
            return f"{match['bare']}{self.of(mention.name)}", mention.end
        return f"{match['bare']}{self.of(page) if page else ''}", whole

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

    def _encoded(self, text: str, present: Collection[str]) -> str:
        """Percent-encoded pieces of web addresses that hold a name: the whole piece is written anew."""

        def replace(match: re.Match[str]) -> str:
            plain = unquote(match[0]).replace("+", " ")
            hidden = self._plain(plain, present)
            return match[0] if hidden == plain else quote(hidden.replace(" ", "_"))

        return _ENCODED.sub(replace, text) if "%" in text or "+" in text else text

    def _plain(self, text: str, present: Collection[str]) -> str:
        """Plain mentions, whatever their case, underscores and ending."""
        pieces, position = [], 0
        for mention in self.book.mentions(text):
            if self.ordinary(mention.spelling) and not addresses(text, mention, self._namespaces, present):
                continue
            pieces += [text[position : mention.start], self.of(mention.name)]
            position = mention.end
        return "".join([*pieces, text[position:]])
