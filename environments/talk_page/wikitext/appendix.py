"""Lines without a signature: whose they are."""

import re
from functools import cache

from folkmoot.environments.talk_page.wikitext.clean import clean_text, has_talk
from folkmoot.environments.talk_page.wikitext.language import Language, load_language
from folkmoot.environments.talk_page.wikitext.masking import template_name
from folkmoot.environments.talk_page.wikitext.structure import Line

_MARKUP = " \t\r:*#'-–—\x01"  # noqa: RUF001
_QUOTES = (
    ("''", "''"),
    ('"', '"'),
    ("„", "“"),
    ("„", '"'),
    ("«", "»"),
    ("“", "”"),
    ("»", "«"),
    ("{{", "}}"),
    ("<", ">"),
)


_BOXES = frozenset({"{{", "[[", "</", "<d"})


@cache
def _postscript(code: str) -> re.Pattern[str] | None:
    words = load_language(code).postscripts
    if not words:
        return None
    spelled = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?:<[a-z]{{1,8}}>|[\s:*#'(\[\u2013\u2014-]){{0,40}}(?:{spelled})(?![^\W_])", re.IGNORECASE)


def begins_postscript(line: str, language: Language) -> bool:
    """Whether a line says of itself that it is an addition to what stands above it."""
    pattern = _postscript(language.code)
    return pattern is not None and pattern.match(line) is not None


def introduces(raw: str) -> bool:
    """Whether a line leads to what stands below it, by the same person: it ends with a colon, or is all a quotation."""
    said = raw.strip(" \t\r:*#-\x01") if raw.rstrip("\r \t")[-1:] != ":" else ":"
    return said == ":" or any(
        len(said) > len(opening) + len(closing) and said.startswith(opening) and said.endswith(closing)
        for opening, closing in _QUOTES
    )


def missing_signature(lines: list[Line], raw: str) -> int:
    """How many leading lines are a comment that nobody signed: the signed line answers it, one step deeper."""
    last = lines[-1]
    if len(lines) == 1 or not last.marks.endswith(":"):
        return 0
    if all(line.blank or line.level >= last.level for line in lines[:-1]):
        return 0
    index = len(lines) - 1
    while index and (lines[index - 1].blank or lines[index - 1].level >= last.level):
        index -= 1
    while lines[index].blank:
        index += 1
    above = next(line for line in reversed(lines[:index]) if not line.blank)
    if not lines[index].marks.endswith(":") or introduces(raw[above.start : above.end]):
        return 0
    return index


def says_nothing(raw: str, line: Line, last: Line, language: Language) -> bool:
    """Whether a line above a comment is none of it: a wrapper, or a picture or a bare tag at another level."""
    start = raw[line.start : line.start + 2]
    if start not in _BOXES:
        return False
    text = raw[line.start : line.end].strip()
    if start == "{{":
        return text.endswith("}}") and template_name(text[2:-2]) in language.wrappers
    return line.level != last.level and not has_talk(clean_text(text))
