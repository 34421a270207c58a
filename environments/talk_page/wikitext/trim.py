"""What leads into a signature and out of it: dashes, brackets, tags, the sentence of an unsigned template."""

import re

from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.masking import FILL
from folkmoot.environments.talk_page.wikitext.signatures import Mark, last_phrase

_LEAD_OUT = re.compile(r"(?:\s|'{2,5}|</[a-zA-Z]{1,12}\s{0,4}>|<nowiki\s{0,4}/>|<!--[^\n]{0,300}?-->|[)\].,;:|~–—-])*")  # noqa: RUF001
_SENTENCE = 60
"""Characters before and after a phrase that the same sentence can have."""

_WINDOW = 1200
"""Raw characters before a signature in which its decoration is looked for."""


def before_signature(text: str, start: int, mark: Mark, language: Language) -> str:
    """The raw text from `start` up to the signature, without what leads into it."""
    near = max(start, mark.start - _WINDOW)
    before = text[near : mark.start]
    phrase = language.unsigned_phrase
    if mark.by == "unsigned_template" and phrase:
        found = last_phrase(before, phrase)
        before = before[:found] if found is not None else before
    return text[start:near] + before[: decoration(before)]


def after_signature(text: str, mark: Mark, end: int, language: Language) -> int:
    """Where the text goes on behind the signature, up to `end`; the rest of an unsigned template's sentence is none."""
    match = _LEAD_OUT.match(text, mark.end, end)
    position = match.end() if match else mark.end
    phrase = language.unsigned_phrase
    if mark.by == "unsigned_template" and phrase:
        found = phrase.search(text, position, min(end, position + _SENTENCE))
        position = min(end, found.end() + _SENTENCE) if found and end - found.end() < _SENTENCE else position
    return position


def decoration(before: str) -> int:
    """Where the dashes, brackets and opening tags that lead into a signature start; walked from the end."""
    end = len(before)
    while end:
        cut = _step(before, end)
        if cut == end:
            return end
        end = cut
    return 0


def _step(before: str, end: int) -> int:
    char = before[end - 1]
    if char in " \t\n-–—―~•·|([{/‣→»" + FILL:  # noqa: RUF001
        return end - 1
    if char == "'":
        bare = len(before[max(0, end - 10) : end].rstrip("'")) + max(0, end - 10)
        return bare if end - bare > 1 else end
    opening = (
        before.rfind("<", 0, end) if char == ">" else before.rfind("&", max(0, end - 8), end) if char == ";" else -1
    )
    if opening < 0:
        return end
    token = before[opening:end]
    if token.lower().startswith("<nowiki"):
        return end
    if re.fullmatch(r"<[a-zA-Z][^<>\n]{0,800}>|&(?:nbsp|mdash|ndash|middot|bull|#[0-9]{2,5});|<!--.*-->", token):
        return opening
    return end
