"""Templates that sign for somebody who forgot to."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.masking import FILL, Masked, Template
from folkmoot.environments.talk_page.wikitext.names import canonical_name
from folkmoot.environments.talk_page.wikitext.signatures import Mark, UserLink
from folkmoot.environments.talk_page.wikitext.timestamps import find_timestamps

_NAMED = re.compile(r"\s*[A-Za-zÀ-ÿ]{1,20}\s*=")
_NUMBERED = re.compile(r"\s*\d\s*=")
_LONG = 1000
"""Characters; such a template holds a name and a date, so a longer one is something else."""


def unsigned_marks(masked: Masked, links: Sequence[UserLink], language: Language) -> list[Mark]:
    """The signatures that such templates give; one without a name or a date gives none."""
    names = frozenset(language.unsigned)
    found = (
        _mark(template, masked.text, links, language)
        for template in masked.templates
        if _plain(template.name) in names and template.end - template.start <= _LONG
    )
    return [mark for mark in found if mark is not None]


def _plain(name: str) -> str:
    return name.removeprefix("subst:").removeprefix("template:").strip()


def _mark(template: Template, text: str, links: Sequence[UserLink], language: Language) -> Mark | None:
    inner = text[template.start + 2 : template.end - 2]
    time, rest = _take_time(inner, language)
    index = bisect_left(links, template.start, key=lambda link: link.start)
    linked = index < len(links) and links[index].start < template.end
    author = links[index].name if linked else _author(rest, language)
    if not author and time is None:
        return None
    return Mark(template.start, template.end, author, time, "unsigned_template" if author else "unattributed")


def _take_time(inner: str, language: Language) -> tuple[int | None, str]:
    """The first full date, and the text without it."""
    for stamp in find_timestamps(inner, language):
        if stamp.time is not None:
            return stamp.time, inner[: stamp.start] + inner[stamp.end :]
    return None, inner


def _author(rest: str, language: Language) -> str:
    """The first positional parameter that can be a name: not a revision number, not a date."""
    for part in rest.split("|")[1:]:
        value = _NUMBERED.sub("", part, count=1)
        name = canonical_name(value.replace(FILL, " ").strip(" \t-\u2013\u2014"))
        if name and not _NAMED.match(value) and not _like_date(name, language):
            return name
    return ""


def _like_date(name: str, language: Language) -> bool:
    words = re.findall(r"\w+", name.lower())
    digits = [word for word in words if word.isdigit()]
    if digits == words:
        return "." not in name and ":" not in name
    return bool(digits) and any(word in language.months for word in words)
