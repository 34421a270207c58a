"""Users that a text calls by name, as sites without wikitext write it: @name, u/name, or the address of their page."""

import re
from collections.abc import Iterable

_CALL = re.compile(
    r"(?<![\w/.@-])(?:@|/?u/|(?:https?://)?(?:www\.|old\.|new\.)?reddit\.com/u(?:ser)?/)(?P<name>\w[\w.-]{1,38}\w)",
    re.IGNORECASE,
)


def named_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Names called in these texts, each once, in order.

    >>> named_in(["Thanks @ada_l, u/Bodo-7! Mail x@mill.example", "https://www.reddit.com/user/Cleo/ or /u/ada_l"])
    ('ada_l', 'Bodo-7', 'Cleo')
    """
    found: dict[str, None] = {}
    for text in texts:
        if "@" in text or "u/" in text or "user/" in text or "U/" in text:
            found.update((match["name"], None) for match in _CALL.finditer(text))
    return tuple(found)
