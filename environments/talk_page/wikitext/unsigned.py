"""Templates that sign for somebody who forgot to."""

import re
from collections.abc import Iterator

from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.masking import FILL, Masked, Template
from folkmoot.environments.talk_page.wikitext.names import canonical_name
from folkmoot.environments.talk_page.wikitext.signatures import Mark, find_user_links
from folkmoot.environments.talk_page.wikitext.timestamps import find_timestamps

_NAMED = re.compile(r"\s*[^\W\d][^\W\d]{0,19}\s*=")
_NUMBERED = re.compile(r"\s*\d\s*=")
_PIPE = re.compile(r"\|(?![^\[\]]*\]\])")
"""A parameter's bar; one inside a link isn't."""

_LONG = 1000
"""Characters; such a template holds a name and a date, so a longer one is something else."""


def unsigned_templates(masked: Masked, language: Language) -> list[Template]:
    """The calls of such templates, in order."""
    names = frozenset(language.unsigned)
    return [call for call in masked.templates if call.name in names and call.end - call.start <= _LONG]


def unsigned_marks(masked: Masked, calls: list[Template], language: Language) -> Iterator[Mark]:
    """The signatures that they give; one without a name or a date gives none."""
    for call in calls:
        mark = _mark(call, masked.text, language)
        if mark is not None:
            yield mark


def _mark(call: Template, text: str, language: Language) -> Mark | None:
    """The name is a parameter, or the first link; who added the template may have signed in a further parameter."""
    inner = text[call.start + 2 : call.end - 2]
    time, rest = _take_time(inner, language)
    author = _author(rest, language)
    if not author:
        links = find_user_links(inner, language)
        author = next((link.name for link in links if not link.subpage), "")
    if not author and time is None:
        return None
    return Mark(call.start, call.end, author, time, "unsigned_template" if author else "unattributed")


def _take_time(inner: str, language: Language) -> tuple[int | None, str]:
    """The first full date, and the text without it."""
    for stamp in find_timestamps(inner, language):
        if stamp.time is not None:
            return stamp.time, inner[: stamp.start] + inner[stamp.end :]
    return None, inner


def _author(rest: str, language: Language) -> str:
    """The first positional parameter that can be a name: not a revision number, not a date, not a signature."""
    for part in _PIPE.split(rest)[1:]:
        value = _NUMBERED.sub("", part, count=1)
        if "[[" in value:
            return ""
        name = canonical_name(_bare(value, language))
        if name and not _NAMED.match(value) and not _like_date(name, language):
            return name
    return ""


def _bare(value: str, language: Language) -> str:
    """A name without dashes around it and without its namespace."""
    name = value.replace(FILL, " ").strip(" \t\r\n-\u2013\u2014")
    space, colon, page = name.partition(":")
    owned = {spelling.lower() for spelling in language.user_namespaces}
    return page if colon and space.replace("_", " ").strip().lower() in owned else name


def _like_date(name: str, language: Language) -> bool:
    words = re.findall(r"\w+", name.lower())
    digits = [word for word in words if word.isdigit()]
    if digits == words:
        return "." not in name and ":" not in name
    return bool(digits) and any(word in language.months for word in words)
