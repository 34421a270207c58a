"""Signatures without a link: a name in plain letters, or none at all, before a full timestamp."""

import re
from collections.abc import Container

from folkmoot.environments.talk_page.wikitext.masking import FILL
from folkmoot.environments.talk_page.wikitext.names import canonical_name, is_address
from folkmoot.environments.talk_page.wikitext.signatures import Mark
from folkmoot.environments.talk_page.wikitext.signing import ends_line
from folkmoot.environments.talk_page.wikitext.timestamps import Timestamp

_REACH = 80
"""Raw characters before the timestamp that can be a plain signature."""

_WORDS = 3
"""Words of a name; behind a dash, more than these are text."""

_TAIL = re.compile(r"(?:\s|&nbsp;|\([^()\n]{0,20}\)|[,(]|'{2,}(?!')|<[^<>\n]{1,40}>)*$")
"""A run of quotes counts as a whole: in pieces of two to five, it could be cut up in exponentially many ways."""

_DASHED = re.compile(rf"(?:-{{1,3}}|[\u2013\u2014])[ \t{FILL}]*(?P<name>[^\n\[\]{{}}|<>\u2013\u2014]{{0,40}})$")


def plain_sign(stamp: Timestamp, text: str, until: int, known: Container[str]) -> Mark | None:
    """The signature that ends with this timestamp, where no user is linked.

    An address, or a name that is linked elsewhere on the page, is the author; else nobody is named, but the comment
    ends here and its time is known.

    Args:
        stamp: a timestamp that names its zone, at the end of its line; any other gives None.
        text: masked text of the page.
        until: end of the signature before.
        known: canonical names that are linked on the page.
    """
    if not stamp.zoned or stamp.time is None or not ends_line(text, stamp.end):
        return None
    floor = max(until, stamp.start - _REACH, text.rfind("\n", max(0, stamp.start - _REACH), stamp.start) + 1)
    before = text[floor : stamp.start]
    tail = _TAIL.search(before)
    before = before[: tail.start()] if tail else before
    length, author = _name(before, known)
    start = floor + len(before) - length if length else stamp.start
    return Mark(start, stamp.end, author, stamp.time, "signed" if author else "unattributed")


def _name(before: str, known: Container[str]) -> tuple[int, str]:
    """Characters at the end that are a signature, and whose it is; "" for a name that nobody can vouch for."""
    words = before.split()[-_WORDS:]
    for count in range(len(words), 0, -1):
        spelled = " ".join(words[-count:]).lstrip("-\u2013\u2014")
        name = canonical_name(spelled)
        if name in known or is_address(name):
            return len(before) - before.rfind(spelled) if spelled in before else len(spelled), name
    dashed = _DASHED.search(before)
    if dashed and len(dashed["name"].split()) <= _WORDS and not re.search(r"[.!?]\s", dashed["name"]):
        return len(before) - dashed.start(), ""
    return 0, ""
