"""Sentences that templates leave when they are substituted to sign for somebody."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.masking import FILL
from folkmoot.environments.talk_page.wikitext.signatures import visible

PHRASE_REACH = 300
PHRASE_GAP = 60
"""How far the sentence may stand before the links, raw, and how much after it."""


class Phrases:
    """Where the sentences of substituted unsigned templates stand on a page.

    Args:
        text: masked text of the page.
        language: whose phrases; they are looked for only near a stem of theirs, so a page without one costs nothing.
    """

    def __init__(self, text: str, language: Language) -> None:
        self._text = text
        self._pattern = language.unsigned_phrase
        self.stems = sorted(_places(text, language.unsigned_stems)) if self._pattern else []

    def before(self, start: int) -> int | None:
        """Where the sentence starts that runs right up to the signature that starts here.

        A comment may speak of unsigned comments; then more than a few words, or a full stop, stand in between.
        """
        index = bisect_left(self.stems, start - PHRASE_REACH)
        if index >= len(self.stems) or self.stems[index] >= start:
            return None
        low = max(0, start - PHRASE_REACH)
        low = max(low, self._text.rfind("\n", low, start) + 1, self._text.rfind(FILL, low, start) + 1)
        return self.within(low, start)

    def within(self, low: int, high: int) -> int | None:
        """Where a phrase starts in `text[low:high]` that runs up to its end."""
        for match in self._pattern.finditer(self._text, low, high) if self._pattern else ():
            rest = visible(self._text[match.end() : high])
            if len(rest) <= PHRASE_GAP and not re.search(r"[.!?]\s", rest):
                return match.start()
        return None

    def after(self, low: int, high: int) -> int | None:
        """Where a phrase ends that stands in `text[low:high]`."""
        found = self._pattern.search(self._text, low, high) if self._pattern and self.stems else None
        return found.end() if found else None


def _places(text: str, stems: Sequence[str]) -> Iterator[int]:
    """Where the stems stand, whatever the case of their first letter."""
    for stem in stems:
        tail = stem[1:]
        position = text.find(tail, 1)
        while position >= 0:
            yield position - 1
            position = text.find(tail, position + 1)
