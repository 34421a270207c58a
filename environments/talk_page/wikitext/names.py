"""User names: one spelling for each, whatever a link looks like."""

import html
import re
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import quote, unquote

_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\x00-\x1f\x7f]")
_PSEUDONYM = re.compile("[0-9a-f]{10}")
_ILLEGAL = re.compile(r"[\[\]{}|#<>%&/@=:]")


@lru_cache(maxsize=8192)
def canonical_name(raw: str) -> str:
    """A user name as the wiki files it: spaces for underscores, first letter upper, IP addresses in one form.

    A pseudonym (ten hex digits) stays as it is, so that rendered pages read back to the same actors.

    >>> canonical_name("jimbo_Wales "), canonical_name("2a02:8109::1"), canonical_name("ab12cd34ef")
    ('Jimbo Wales', '2A02:8109:0:0:0:0:0:1', 'ab12cd34ef')
    """
    name = _INVISIBLE.sub("", unquote(html.unescape(raw))).replace("_", " ")
    name = " ".join(name.split())
    if not name or _PSEUDONYM.fullmatch(name):
        return name
    if is_address(name):
        return _address(name)
    return name[0].upper() + name[1:] if len(name[0].upper()) == 1 else name


def is_address(name: str) -> bool:
    """Whether the name is an IPv4 or IPv6 address: an edit without an account."""
    if not re.match(r"[0-9A-Fa-f:]+[.:]", name):
        return False
    try:
        ip_address(name.strip())
    except ValueError:
        return False
    return True


def _address(name: str) -> str:
    address = ip_address(name)
    if address.version == 4:  # noqa: PLR2004
        return str(address)
    return ":".join(f"{int(group, 16):X}" for group in address.exploded.split(":"))


def link_target(name: str) -> str:
    """The name as it can stand in a link; characters that a title can't hold are percent-encoded.

    >>> link_target("A|b")
    'A%7Cb'
    """
    if is_address(name):
        return name
    return _ILLEGAL.sub(lambda match: quote(match[0], safe=""), name)
