"""Who signed: a user link before a localized timestamp, or a template that signs for somebody."""

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from folkmoot.environments.talk_page.wikitext.language import Language, load_language
from folkmoot.environments.talk_page.wikitext.masking import FILL
from folkmoot.environments.talk_page.wikitext.names import canonical_name
from folkmoot.environments.talk_page.wikitext.timestamps import Timestamp

REACH = 100
"""Visible characters between a user link and the timestamp: the limit of MediaWiki's own parser."""

RAW_REACH = 3000
"""Raw characters looked at before a timestamp; coloured signatures are long."""

BARE_REACH = 60
"""The same as REACH for a timestamp that names no zone: people write dates in running text too."""

PHRASE_REACH = 300
PHRASE_GAP = 60
"""How far the sentence of a substituted unsigned template may stand before the links, raw, and how much after it."""

LEAST_LABEL = 4
"""Characters of a label that can stand for a user."""

CHAIN_GAP = 40
"""Visible characters between two links of one signature."""

SignedBy = Literal["signed", "unsigned_template", "unattributed"]

_MARKUP = re.compile(rf"<[^<>\n]{{0,800}}>|\[\[[^\[\]|\n]{{0,300}}\||\[\[|\]\]|'{{2,5}}|&[a-z]{{2,8}};|{FILL}")


@dataclass(frozen=True, slots=True)
class UserLink:
    """A link to a user, a user's talk page or edits; `name` is canonical; a subpage is rarely a signature."""

    start: int
    end: int
    name: str
    subpage: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """The end of a comment.

    Attributes:
        start: where the signature starts (its first link).
        end: one past its last character (the timestamp's zone).
        author: canonical user name; "" where nobody is named.
        time: milliseconds since the epoch, UTC; None where the template names no full date.
        by: a person's own signature, one put there for them, or one that names nobody.
    """

    start: int
    end: int
    author: str
    time: int | None
    by: SignedBy


NOBODY = Mark(0, 0, "", None, "unattributed")
"""Stands for the signature of a comment that has none."""


def _any_of(names: Sequence[str]) -> str:
    spelled = (re.escape(name).replace(r"\ ", "[ _]+") for name in sorted(names, key=len, reverse=True))
    return "|".join(spelled)


@cache
def link_pattern(code: str) -> re.Pattern[str]:
    """Links to a user (group `user`) or to a user's edits (group `edits`), label and closing brackets not included."""
    language = load_language(code)
    space = "[ _\u200e\u200f]{0,3}"
    return re.compile(
        rf"\[\[[ :]{{0,3}}(?:[a-z-]{{1,12}}:){{0,2}}(?:"
        rf"(?:{_any_of(language.user_namespaces)}){space}:{space}(?P<user>[^\[\]|#\n{FILL}/]{{1,255}})(?P<sub>/[^\[\]|#\n{FILL}]{{0,255}})?"
        rf"|(?:{_any_of(language.contribution_pages)})/(?P<edits>[^\[\]|#\n{FILL}]{{1,255}})"
        rf")(?=[|#\]])",
        re.IGNORECASE,
    )


def find_user_links(text: str, language: Language) -> list[UserLink]:
    """All links to users, in order."""
    links = []
    for match in link_pattern(language.code).finditer(text):
        name = canonical_name(match["user"] or match["edits"])
        if name:
            links.append(UserLink(match.start(), _link_end(text, match.end()), name, match["sub"] is not None))
    return links


def _link_end(text: str, position: int) -> int:
    """One past the closing brackets; the label may be long, but it ends on its line."""
    end = text.find("]]", position, position + RAW_REACH)
    return position if end < 0 or "\n" in text[position:end] else end + 2


def visible_length(markup: str) -> int:
    """Characters that a reader sees of a piece of wikitext, roughly."""
    return len(_MARKUP.sub("", markup))


def sign(stamp: Timestamp, text: str, links: list[UserLink], until: int, language: Language) -> Mark | None:
    """The signature that ends with this timestamp, None if no user is linked near enough before it.

    The nearest link names the author; further links to the same user before it belong to the signature.

    Args:
        stamp: the timestamp.
        text: masked text of the page.
        links: all links to users, in order.
        until: end of the signature before; nothing to the left of it counts.
        language: whose phrases mark a substituted unsigned template.
    """
    floor = max(until, text.rfind("\n", max(0, stamp.start - RAW_REACH), stamp.start) + 1, stamp.start - RAW_REACH)
    reach = REACH if stamp.zoned else BARE_REACH
    index = bisect_left(links, stamp.start, key=lambda link: link.start) - 1
    start, author, seen = stamp.start, "", 0
    while index >= 0 and links[index].start >= floor:
        link = links[index]
        between = text[min(link.end, start) : start]
        gap = visible_length(between)
        seen += gap
        if seen > reach or (author and (link.name != author or gap > CHAIN_GAP or FILL in between)):
            break
        seen += visible_length(text[link.start : link.end])
        start, author = link.start, link.name
        index -= 1
    if not author or stamp.time is None or (not stamp.zoned and not ends_line(text, stamp.end)):
        return None
    return Mark(start, stamp.end, author, stamp.time, _by(text, start, language))


def ends_line(text: str, position: int) -> bool:
    """Whether nothing but brackets and dots follows; a date without a zone inside a sentence is no signature."""
    line_end = text.find("\n", position, position + RAW_REACH)
    rest = text[position : line_end if line_end >= 0 else position + RAW_REACH]
    return not _MARKUP.sub("", rest).strip(" \t).;,")


def _by(text: str, start: int, language: Language) -> SignedBy:
    """A substituted unsigned template leaves its sentence before the links."""
    phrase = language.unsigned_phrase
    before = text[max(0, start - PHRASE_REACH) : start].rpartition("\n")[2].rpartition(FILL)[2]
    return "unsigned_template" if phrase and last_phrase(before, phrase) is not None else "signed"


def last_phrase(before: str, phrase: re.Pattern[str]) -> int | None:
    """Where the sentence that such a template leaves starts, if it runs right up to the signature.

    A comment may speak of unsigned comments; then more than a few words, or a full stop, stand in between.
    """
    near = max(0, len(before) - PHRASE_REACH)
    for match in phrase.finditer(before, near):
        rest = _MARKUP.sub("", before[match.end() :])
        if len(rest) <= PHRASE_GAP and not re.search(r"[.!?]\s", rest):
            return match.start()
    return None


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
    end = _link_end(text, position)
    if end == position or text[position] != "|":
        return ""
    return " ".join(_MARKUP.sub("", text[position + 1 : end - 2]).split())
