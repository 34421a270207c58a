"""What a user page says in sentences of its own, once templates, boxes, categories and tools' links are left out.

The pre-pass costs no model call: a page that has nothing left isn't relevant (Wiki-Talkie, section 3.1).
"""

import re

from folkmoot.environments.talk_page.wikitext.clean import clean_text
from folkmoot.environments.talk_page.wikitext.masking import FILL, mask

REDIRECT = "a redirect"
EMPTY = "empty"
APPARATUS = "templates, boxes and links only"
SHORT = "under three words of its own"

LEAST_WORDS = 3

_REDIRECT = re.compile(r"\s*#\s*[^\W\d_]{3,20}\s*:?\s*\[\[", re.IGNORECASE)
_TABLE = re.compile(r"^[ :]*\{\||^[ :]*\|\}", re.MULTILINE)
_LINKS = re.compile(r"\[\[[^\[\]\n|]{1,60}:[^\[\]\n]{0,300}\]\]|\[?\b(?:https?:)?//[^\s\]]+(?:[^\]\n]{0,200}\])?")
_HEADING = re.compile(r"^=+[^\n]*=+\s*$", re.MULTILINE)
_MAGIC = re.compile(r"__[A-Z]{3,20}__|~{3,5}")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]|[^\W\d_]+")


def own_text(wikitext: str) -> str:
    """The page without templates, tables, headings, categories, files, interwiki and outside links.

    >>> own_text("{{Babel|de|en-3}} I like [[bread]]. [[Category:Users]] https://a.org")
    'I like [[bread]].'
    """
    masked = mask(wikitext)
    pieces, end = [], 0
    for start, stop in zip(masked.outer_starts, masked.outer_ends, strict=True):
        pieces.append(masked.text[end:start])
        end = max(end, stop)
    text = "".join([*pieces, masked.text[end:]]).replace(FILL, " ")
    text = _without_tables(text)
    for apparatus in (_HEADING, _LINKS, _MAGIC):
        text = apparatus.sub(" ", text)
    return clean_text(text)


def why_not_relevant(wikitext: str) -> str:
    """Why a page can't tell of a person; "" if it may.

    >>> why_not_relevant("{{Babel|de}}"), why_not_relevant("I am a baker from Leeds.")
    ('templates, boxes and links only', '')
    """
    if not wikitext.strip():
        return EMPTY
    if _REDIRECT.match(wikitext):
        return REDIRECT
    words = len(_WORD.findall(own_text(wikitext)))
    if not words:
        return APPARATUS
    return SHORT if words < LEAST_WORDS else ""


def _without_tables(text: str) -> str:
    """What stands outside of wikitext tables; one that is never closed is kept."""
    pieces: list[str] = []
    depth, start = 0, 0
    for match in _TABLE.finditer(text):
        if match[0].endswith("{|"):
            if not depth:
                pieces.append(text[start : match.start()])
                start = match.start()
            depth += 1
        elif depth:
            depth -= 1
            start = start if depth else match.end()
    return "".join([*pieces, text[start:]])
