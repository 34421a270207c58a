"""Hashtags, links and mentions in a post's text."""

import re
from collections.abc import Container

_HASHTAG = re.compile(r"(?<![\w&/#])#(\w*[^\W\d_]\w*)")
_LINK = re.compile(r"https?://[^\s<>\"']+")
_MENTION = re.compile(r"(?<![\w@/])@(\w[\w.-]*(?:@\w[\w.-]*)?)")
_TRAILING = ".,;:!?)]}'\"»”’-"  # noqa: RUF001 -- the typographic marks that end a sentence


def hashtags(text: str) -> tuple[str, ...]:
    """Each once, without the sign, as written.

    >>> hashtags("#Ramen and #ramen, no #1 but #2fast")
    ('Ramen', 'ramen', '2fast')
    """
    return tuple(dict.fromkeys(_HASHTAG.findall(text))) if "#" in text else ()


def links(text: str) -> tuple[str, ...]:
    """Addresses, each once.

    >>> links("See https://example.org/a, and (http://example.org).")
    ('https://example.org/a', 'http://example.org')
    """
    return tuple(dict.fromkeys(link.rstrip(_TRAILING) for link in _LINK.findall(text))) if "://" in text else ()


def called(text: str, known: Container[str] = ()) -> tuple[str, ...]:
    """Names with `@`, each once, in order of appearance; a mark that ends a sentence belongs to a known name alone.

    >>> called("@ada, is it @ben.? mail@cleo.org @ada (@bo@moot.example.)"), called("Ask @ben.", {"ben."})
    (('ada', 'ben', 'bo@moot.example'), ('ben.',))
    """
    if "@" not in text:
        return ()
    return tuple(dict.fromkeys(name if name in known else name.rstrip(".-") for name in _MENTION.findall(text)))


def mentions(text: str, known: Container[str]) -> tuple[str, ...]:
    """Known users named with `@`, each once, in order of appearance.

    >>> mentions("@ada, is it @ben.? mail@cleo.org @nobody @ada", {"ada", "ben", "cleo.org"})
    ('ada', 'ben')
    """
    return tuple(name for name in called(text, known) if name in known)
