"""The law of a revision: its comments are the thread's words, cut elsewhere; only signatures may go.

Words are compared one by one, so neither a lost word nor an added, changed or moved one passes.
"""

import re
from collections.abc import Iterator, Sequence

from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.signatures import find_user_links
from folkmoot.environments.talk_page.wikitext.timestamps import find_timestamps

LONGEST_SIGNATURE = 40
"""Words."""

_BRACKETS = re.compile(r"[\s()\[\]{}|.,;:/\u2013\u2014~'<>-]+")


class TextLost(ValueError):
    """The revised texts aren't a partition of the source; the message says where they part."""


def check_partition(source: Sequence[str], revised: Sequence[str], language: Language) -> int:
    """Number of words that were taken away with signatures.

    Args:
        source: texts of the split thread, in order.
        revised: texts of the revised one, in order.
        language: for what counts as a signature.

    Raises:
        TextLost: a word is missing, new, changed, or elsewhere.

    >>> from folkmoot.environments.talk_page.wikitext.language import load_language
    >>> check_partition(["One two. Three"], ["One two.", "Three"], load_language("en"))
    0
    """
    words = [word for text in source for word in text.split()]
    place = taken = 0
    for number, text in enumerate(revised):
        own = text.split()
        if words[place : place + len(own)] != own:
            raise TextLost(_parting(words, place, own, number))
        place += len(own)
        skipped = _signature(words, place, _next(revised, number), language)
        place, taken = place + skipped, taken + skipped
    if place != len(words):
        raise TextLost(f"{len(words) - place} words at the end are in no comment: {' '.join(words[place:])[:80]!r}")
    return taken


def _next(revised: Sequence[str], number: int) -> list[str]:
    """The words that must follow: those of the next comment that has any."""
    return next((text.split() for text in revised[number + 1 :] if text.split()), [])


def _signature(words: Sequence[str], place: int, following: list[str], language: Language) -> int:
    """How many words from here are a signature that was taken away: 0 where what follows stands here already."""
    for count in range(min(LONGEST_SIGNATURE, len(words) - place) + 1):
        end = place + count
        stands = words[end : end + len(following)] == following if following else end == len(words)
        if stands and (not count or is_signature(" ".join(words[place:end]), language)):
            return count
    return 0


def is_signature(text: str, language: Language) -> bool:
    """Whether a text is nothing but links to users, a timestamp, talk words and marks; one of the first two at least.

    >>> from folkmoot.environments.talk_page.wikitext.language import load_language
    >>> english = load_language("en")
    >>> is_signature("[[User:Ada|Ada]] ([[User talk:Ada|talk]]) 12:00, 3 May 2011 (UTC)", english)
    True
    >>> is_signature("yes [[User:Ada|Ada]]", english)
    False
    """
    spans = [(stamp.start, stamp.end) for stamp in find_timestamps(text, language)]
    spans += [(link.start, link.end) for link in find_user_links(text, language)]
    if not spans:
        return False
    left = _BRACKETS.split(_outside(text, sorted(spans)))
    talk = {word.lower() for phrase in language.talk_words for word in phrase.split()} | {"talk"}
    return all(word.lower() in talk for word in left if word)


def _outside(text: str, spans: Sequence[tuple[int, int]]) -> str:
    return " ".join(_pieces(text, spans))


def _pieces(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    end = 0
    for start, stop in spans:
        yield text[end:start]
        end = max(end, stop)
    yield text[end:]


def _parting(words: Sequence[str], place: int, own: Sequence[str], number: int) -> str:
    there = words[place : place + len(own)]
    at = next((k for k, (a, b) in enumerate(zip(there, own, strict=False)) if a != b), min(len(there), len(own)))
    wanted = there[at] if at < len(there) else "the end"
    found = own[at] if at < len(own) else "the end"
    return f"comment {number + 1}, word {at + 1} is {found[:40]!r}, the thread has {wanted[:40]!r}"
