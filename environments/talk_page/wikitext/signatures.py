"""Links to users: the raw material of signatures."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from folkmoot.environments.talk_page.wikitext.language import Language, known_languages, load_language
from folkmoot.environments.talk_page.wikitext.masking import FILL
from folkmoot.environments.talk_page.wikitext.names import canonical_name

RAW_REACH = 3000
"""Raw characters looked at before a timestamp; coloured signatures are long."""

LEAST_LABEL = 4
"""Characters of a label that can stand for a user."""

SignedBy = Literal["signed", "unsigned_template", "in_template", "undated", "unattributed"]
"""Signed by its author; by a template, or the sentence it leaves, for somebody who forgot to; by its author inside the
parameter of some other template; by a name without a date; by nobody who is named."""

_MARKUP = re.compile(rf"<[^<>\n]{{0,800}}>|\[\[[^\[\]|\n]{{0,300}}\||\[\[|\]\]|'{{2,5}}|&[a-z]{{2,8}};|{FILL}")
_TARGET = re.compile(rf"\[\[[^\[\]|#\n{FILL}]{{1,300}}[|\]#]")
_SPACE = "[ _\u200e\u200f]{0,3}"
_NAME = rf"[^\[\]{{}}|#\n{FILL}/]{{1,255}}"


class UserLink(NamedTuple):
    """A link to a user, a user's talk page or edits; `name` is canonical; a subpage is rarely a signature."""

    start: int
    end: int
    name: str
    subpage: bool = False
    edits: bool = False


class Mark(NamedTuple):
    """The end of a comment.

    Attributes:
        start: where the signature starts (its first link).
        end: one past its last character (the timestamp's zone).
        author: canonical user name; "" where nobody is named.
        time: milliseconds since the epoch, UTC; None where no full date is given.
        by: who put it there.
    """

    start: int
    end: int
    author: str
    time: int | None
    by: SignedBy


NOBODY = Mark(0, 0, "", None, "unattributed")
"""Stands for the signature of a comment that has none."""


def any_of(names: Iterable[str]) -> str:
    """Alternatives of a pattern, the longest first; spaces match underscores too."""
    spelled = (re.escape(name).replace(r"\ ", "[ _]+") for name in sorted(set(names), key=len, reverse=True))
    return "|".join(spelled)


@cache
def _abroad() -> tuple[str, str]:
    """User namespaces and pages of edits of all known languages: what an interwiki link may name."""
    languages = [load_language(code) for code in known_languages()]
    return (
        any_of(name for language in languages for name in language.user_namespaces),
        any_of(name for language in languages for name in language.contribution_pages),
    )


def users_page(language: Language) -> tuple[str, str]:
    """Patterns of what stands before a user's name, and before that of whose edits are listed."""
    users, edits = _abroad()
    prefix = r"(?:[a-z-]{1,12}:){1,2}"
    own, pages = any_of(language.user_namespaces), any_of(language.contribution_pages)
    return rf"(?:{own}|{prefix}(?:{users})){_SPACE}:{_SPACE}", rf"(?:{pages}|{prefix}(?:{edits}))/"


@cache
def link_pattern(code: str) -> re.Pattern[str]:
    """Links to a user (group `user`) or to a user's edits (group `edits`), label and closing brackets not included."""
    user, edits = users_page(load_language(code))
    return re.compile(
        rf"\[\[[ :]{{0,3}}(?:{user}(?P<user>{_NAME})(?P<sub>/[^\[\]|#\n{FILL}]{{0,255}})?"
        rf"|{edits}(?P<edits>{_NAME}))(?=[|#\]])",
        re.IGNORECASE,
    )


@lru_cache(maxsize=16384)
def owner(link: str, code: str) -> tuple[str, str] | None:
    """Whose page, talk page or edits a link leads to, None if nobody's: the canonical name and the kind of page.

    Args:
        link: two opening brackets, the target, and what ends it.
        code: of the wiki's language.

    Returns:
        The kind is "user", "edits", or "sub" for a subpage.
    """
    match = link_pattern(code).match(link)
    if match is None:
        return None
    name = canonical_name(match["user"] or match["edits"])
    return (name, "edits" if match["edits"] else "sub" if match["sub"] else "user") if name else None


def find_user_links(text: str, language: Language) -> list[UserLink]:
    """All links to users, in order."""
    found = (link_at(text, match, language.code) for match in _TARGET.finditer(text))
    return [link for link in found if link is not None]


def link_at(text: str, match: re.Match[str] | None, code: str) -> UserLink | None:
    """The user link that this target is; None if it is none."""
    whose = owner(match[0], code) if match is not None else None
    if match is None or whose is None:
        return None
    return UserLink(match.start(), link_end(text, match.end() - 1), whose[0], whose[1] == "sub", whose[1] == "edits")


def read_target(text: str, position: int) -> re.Match[str] | None:
    """The target of a link whose brackets open here."""
    return _TARGET.match(text, position)


def link_end(text: str, position: int) -> int:
    """One past the closing brackets; the label may be long, but it ends on its line."""
    end = text.find("]]", position, position + RAW_REACH)
    return position if end < 0 or text.find("\n", position, end) >= 0 else end + 2


def visible(markup: str) -> str:
    """What a reader sees of a piece of wikitext, roughly."""
    return _MARKUP.sub("", markup)


def signature_labels(text: str, language: Language, names: Collection[str]) -> dict[str, str]:
    """What these users call themselves: labels of links to their user pages -> user name.

    Labels that two users share, or that are shorter than four characters, tell nobody apart and are left out.
    """
    own = frozenset(name.lower() for name in (*language.user, "User"))
    owners: dict[str, set[str]] = {}
    for match in link_pattern(language.code).finditer(text):
        name = canonical_name(match["user"] or "")
        space = match[0].strip("[ :").partition(":")[0].replace("_", " ").strip().lower()
        if space in own and name in names and match["sub"] is None:
            owners.setdefault(_label(text, match.end()), set()).add(name)
    return {label: min(users) for label, users in owners.items() if len(users) == 1 and len(label) >= LEAST_LABEL}


def _label(text: str, position: int) -> str:
    end = link_end(text, position)
    if end == position or text[position] != "|":
        return ""
    return " ".join(visible(text[position + 1 : end - 2]).split())


class Spans:
    """Pieces of a page, in order, without overlaps."""

    def __init__(self, starts: Sequence[int], ends: Sequence[int]) -> None:
        self._starts, self._ends = starts, ends

    def __len__(self) -> int:
        """How many there are."""
        return len(self._starts)

    def around(self, position: int) -> tuple[int, int] | None:
        """The one that holds a position."""
        index = bisect_right(self._starts, position) - 1
        if index < 0 or position >= self._ends[index]:
            return None
        return self._starts[index], self._ends[index]
