"""Who signed: a user link before a localized timestamp, the way MediaWiki's own parser reads it, and what people do."""

import re
from functools import cache, lru_cache

from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.environments.talk_page.wikitext.masking import FILL
from folkmoot.environments.talk_page.wikitext.names import canonical_name
from folkmoot.environments.talk_page.wikitext.signatures import (
    RAW_REACH,
    Mark,
    any_of,
    link_end,
    owner,
    read_target,
    users_page,
    visible,
)
from folkmoot.environments.talk_page.wikitext.timestamps import Timestamp

REACH = 100
"""Visible characters between a user link and the timestamp: the limit of MediaWiki's own parser."""

BARE_REACH = 60
"""The same as REACH for a timestamp that names no zone: people write dates in running text too."""

CHAIN_GAP = 40
"""Visible characters between two links of one signature."""

PROBES = 40
"""Links looked at before one timestamp."""

_TAIL = 24
"""Raw characters before a timestamp by which a signature that was read before is looked up."""

_ENDINGS = ("|", "]", "#")
_TRIES = 9
"""Links of one spelling that are looked at to see whether a name is a user's."""

_NEAR = 900
"""Raw characters that are enough to see that a link is too far away."""

_ENDS = " \t\r).;,"
_DECORATED = 100
_DECORATION = " \t-–—'<>/(smalbrup)" + FILL  # noqa: RUF001
"""What may stand alone before a timestamp whose name is on the line above, in so many characters."""

_TITLE = r"[^\s\[\]{}|&#?/]{1,255}"


Chain = tuple[int, str]
"""Links to one user before a place: where they start, and whose they are; "" if there are none."""


@cache
def _other_forms(code: str) -> re.Pattern[str]:
    """Further ways to name a user: a signature's template, a calling template, a picture's link, a web address."""
    language = load_language(code)
    user, edits = users_page(language)
    name = rf"[^\[\]{{}}|#\n{FILL}/]{{1,120}}"
    return re.compile(
        rf"\{{\{{\s{{0,2}}(?:{user}(?P<page>{name})/|(?:{any_of(language.ping)})\s{{0,2}}\|(?:1=)?\s{{0,2}}(?P<call>{name})\}}\}})"
        rf"|\[\[[^\[\]|\n]{{1,200}}(?:\|[^\[\]|\n=]{{0,80}}){{0,6}}\|[^\[\]|\n=]{{2,14}}=\s?:?{user}(?P<picture>{name})(?:/[^\[\]|\n]{{0,100}})?[|\]]"
        rf"|\[(?:https?:)?//[a-z.]{{3,60}}/(?:wiki/|w/index\.php\?title=)(?:{user}(?P<web>{_TITLE})|{edits}(?P<edits>{_TITLE}))",
        re.IGNORECASE,
    )


def gap(text: str, start: int, end: int) -> int:
    """Visible characters of `text[start:end]`."""
    raw = text[start:end]
    return _width(raw) if len(raw) <= _NEAR else len(visible(raw))


@lru_cache(maxsize=4096)
def _width(markup: str) -> int:
    """Visible characters; what stands between a user's links is the same each time."""
    return len(visible(markup))


def _farther(text: str, start: int, end: int, reach: int) -> bool:
    """Whether more than `reach` visible characters lie between; a long piece is only looked at near its end."""
    near = text[max(start, end - reach - 1) : end]
    plain = "<" not in near and "[" not in near and "]" not in near and "'" not in near and "&" not in near
    return (plain and FILL not in near) or gap(text, max(start, end - _NEAR), end) > reach


class Chains:
    """Looks for the users who are linked before timestamps.

    Args:
        text: masked text of the page.
        code: the language's.
    """

    def __init__(self, text: str, code: str) -> None:
        self.text, self.code = text, code
        self._owners: dict[str, tuple[str, str] | None] = {}
        self._linked: dict[str, bool] = {}
        self._seen: dict[str, tuple[str, str]] = {}

    def _owner(self, position: int) -> tuple[str, str] | None:
        """Whose the link is that opens here, and its kind; links repeat on a page, so each is read once."""
        match = read_target(self.text, position)
        if match is None:
            return None
        link = match[0]
        if link not in self._owners:
            self._owners[link] = owner(link, self.code)
        return self._owners[link]

    def __contains__(self, name: object) -> bool:
        """Whether a user of this name is linked anywhere on the page."""
        if not isinstance(name, str):
            return False
        if name not in self._linked:
            self._linked[name] = self._is_linked(name)
        return self._linked[name]

    def _is_linked(self, name: str) -> bool:
        piece, tries = f":{name}", 0
        position = self.text.find(piece)
        while position >= 0 and tries < _TRIES:
            if self.text.startswith(_ENDINGS, position + len(piece)):
                tries += 1
                start = self.text.rfind("[[", max(0, position - _NEAR), position)
                whose = self._owner(start) if start >= 0 else None
                if whose is not None and whose[0] == name:
                    return True
            position = self.text.find(piece, position + 1)
        return False

    def before(self, end: int, floor: int, reach: int) -> Chain:
        """The user who is linked nearest before `end`; further links to the same user before it belong to it.

        People sign the same way each time, so a signature that was read before is only compared.

        Args:
            end: where the timestamp starts.
            floor: nothing to the left of it counts.
            reach: visible characters.
        """
        text, tail = self.text, self.text[end - _TAIL : end] if end > _TAIL else ""
        if tail in self._seen:
            links, author = self._seen[tail]
            start = end - len(links)
            if start >= floor and text.startswith(links, start):
                return start, author
        start, author = self._walked(end, floor, reach)
        if author and _TAIL <= end - start < _NEAR:
            self._seen[tail] = text[start:end], author
        return start, author

    def _walked(self, end: int, floor: int, reach: int) -> Chain:
        text, start, author, spare, position = self.text, end, "", "", end
        aside = end
        for _ in range(PROBES):
            position = text.rfind("[[", floor, position)
            if position < 0:
                break
            whose = self._owner(position)
            close = link_end(text, position) if whose else position
            if close > start:
                whose, close = None, position
            if start - close > reach and _farther(text, close, start, reach):
                break
            if whose is None or whose[1] == "sub":
                spare, aside = (whose[0], position) if whose and not spare else (spare, aside)
            elif author and (whose[0] != author or FILL in text[close:start]):
                break
            else:
                start, author, reach = position, whose[0], CHAIN_GAP
        if author:
            return start, author
        return (aside, spare) if spare else _other(text, end, floor, reach, self.code)


def _other(text: str, end: int, floor: int, reach: int, code: str) -> Chain:
    """The nearest of the further ways to name a user."""
    floor = max(floor, end - 10 * reach)
    if text.find("//", floor, end) < 0 and text.find("{{", floor, end) < 0 and text.find("[[", floor, end) < 0:
        return end, ""
    found = end, ""
    for match in _other_forms(code).finditer(text, floor, end):
        close = max(match.end(), text.find("]", match.end() - 1, end) + 1, text.find("}}", match.end() - 2, end) + 2)
        if gap(text, close, end) <= reach:
            name = match["page"] or match["call"] or match["picture"] or match["web"] or match["edits"]
            found = match.start(), canonical_name(name)
    return found


def sign(stamp: Timestamp, chains: Chains, floor: int) -> Mark | None:
    """The signature that ends with this timestamp, None if no user is linked near enough before it.

    Args:
        stamp: the timestamp.
        chains: the links of the page.
        floor: end of the signature before; nothing to the left of it counts.
    """
    if stamp.time is None or (not stamp.zoned and not ends_line(chains.text, stamp.end)):
        return None
    low = line_start(chains.text, stamp.start)
    start, author = chains.before(stamp.start, max(floor, low), REACH if stamp.zoned else BARE_REACH)
    return Mark(start, stamp.end, author, stamp.time, "signed") if author else None


def line_start(text: str, position: int) -> int:
    """Where the line starts; the one before counts too where only decoration stands before the timestamp."""
    low = position - RAW_REACH if position > RAW_REACH else 0
    start = text.rfind("\n", low, position) + 1
    if start and position - start < _DECORATED and not text[start:position].strip(_DECORATION):
        above = text.rfind("\n", low, start - 1) + 1
        if text[above : start - 1].strip() and text[above] != "=":
            return max(low, above)
    return start or low


def ends_line(text: str, position: int) -> bool:
    """Whether nothing but brackets and dots follows; a date without a zone inside a sentence is no signature."""
    line_end = text.find("\n", position, position + RAW_REACH)
    rest = text[position : line_end if line_end >= 0 else position + RAW_REACH]
    if not rest or visible(rest[:_DECORATED]).partition("<")[0].strip(_ENDS):
        return not rest
    return not visible(rest).strip(_ENDS)
