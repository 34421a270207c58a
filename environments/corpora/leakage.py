"""Whether two parts of a corpus hold the same comment."""

import re
from collections.abc import Iterable
from hashlib import blake2b

from folkmoot.sim.events import TextEvent

LONG_TEXT = 8
"""Words; a text over this length that stands in two parts is a leak, a shorter one ("Done, thanks.") is chance."""

_WORDS = re.compile(r"[^\W_]+")


def text_key(text: str) -> bytes | None:
    """A hash of the text's words without case and punctuation; None for texts of up to 8 words."""
    words = _WORDS.findall(text.lower())
    return blake2b(" ".join(words).encode(), digest_size=16).digest() if len(words) > LONG_TEXT else None


def text_keys(texts: Iterable[str]) -> dict[bytes, str]:
    """Hash -> text, for all long texts."""
    return {key: text for text in texts if (key := text_key(text)) is not None}


def sources(events: Iterable[TextEvent]) -> set[str]:
    """Ids in the source, of recorded events."""
    return {event.source_id for event in events if event.source_id is not None}
