"""What leads into a signature and out of it: dashes, brackets, tags, the sentence of an unsigned template."""

import re

from folkmoot.environments.talk_page.wikitext.masking import FILL
from folkmoot.environments.talk_page.wikitext.phrases import Phrases
from folkmoot.environments.talk_page.wikitext.signatures import Mark

_LEAD_OUT = re.compile(
    r"(?:\s|'{2,5}|</[a-zA-Z]{1,12}\s{0,4}>|<nowiki\s{0,4}/>|<!--[^\n]{0,300}?-->|&nbsp;|[)\].,;:|~–—\x01-])*"  # noqa: RUF001
)
_TOKEN = re.compile(r"<[a-zA-Z][^<>\n]{0,800}>|&(?:nbsp|mdash|ndash|middot|bull|#[0-9]{2,5});|<!--.*-->")
_LEADS = " \t\n-–—―~•·|([{/‣→»" + FILL  # noqa: RUF001
_CLOSING = frozenset("'>;")
_SENTENCE = 60
"""Characters after a phrase that the same sentence can have."""

_WINDOW = 1200
"""Raw characters before a signature in which its decoration is looked for."""


def before_signature(text: str, start: int, mark: Mark, phrases: Phrases) -> str:
    """The raw text from `start` up to the signature, without what leads into it."""
    end = mark.start
    if mark.by == "unsigned_template":
        said = phrases.before(mark.start)
        end = said if said is not None and said >= start else end
    near = max(start, end - _WINDOW)
    bare = text[near:end].rstrip(_LEADS)
    if bare[-1:] in _CLOSING:
        bare = bare[: decoration(bare)]
    return bare if near == start else text[start:near] + bare


def after_signature(text: str, mark: Mark, end: int, phrases: Phrases) -> int:
    """Where the text goes on behind the signature, up to `end`; the rest of an unsigned template's sentence is none."""
    if mark.end >= end:
        return end
    match = _LEAD_OUT.match(text, mark.end, end)
    position = match.end() if match else mark.end
    if mark.by == "unsigned_template" and position < end:
        found = phrases.after(position, min(end, position + _SENTENCE))
        position = min(end, found + _SENTENCE) if found is not None and end - found < _SENTENCE else position
    return position


def decoration(before: str) -> int:
    """Where the dashes, brackets and opening tags that lead into a signature start; walked from the end."""
    end = len(before)
    while end:
        kept = len(before[:end].rstrip(_LEADS))
        cut = _step(before, kept)
        if cut == kept:
            return kept
        end = cut
    return 0


def _step(before: str, end: int) -> int:
    char = before[end - 1] if end else ""
    if char == "'":
        bare = len(before[max(0, end - 10) : end].rstrip("'")) + max(0, end - 10)
        return bare if end - bare > 1 else end
    if char == ">":
        opening = before.rfind("<", 0, end)
    elif char == ";":
        opening = before.rfind("&", max(0, end - 8), end)
    else:
        return end
    if opening < 0:
        return end
    token = before[opening:end]
    return opening if not token.lower().startswith("<nowiki") and _TOKEN.fullmatch(token) else end
