"""A node of the search tree (MST) of a repository of the AT Protocol, of which anything may be wrong."""

from collections.abc import Mapping
from typing import Any

DEEPEST = 64
"""Levels of the tree; a real one has a level for every four-fold of records."""

LONGEST_KEY = 1_024
"""Bytes of a collection (at most 317), a slash and a record key (at most 512), with room."""

Branch = tuple[bytes, str, int]
"""(block, key of a record or "" for a node, level)."""


def branches_of(node: Mapping[str, Any], depth: int) -> list[Branch | None]:
    """The branches of a node, in order; None for one that can't be read.

    A key repeats its beginning from the key before it, so what follows an entry of another form has no key either.
    """
    found: list[Branch | None] = []
    if node.get("l") is not None:
        found.append(_below(node["l"], depth))
    entries = node.get("e")
    if not isinstance(entries, list):
        return [*found, None]
    before = b""
    for place, entry in enumerate(entries):
        key = _key(entry, before)
        if not key:
            return found + [None] * (len(entries) - place)
        before = key
        value, below = entry.get("v"), entry.get("t")
        found.append((value, key.decode("ascii", "replace"), depth) if isinstance(value, bytes) else None)
        if below is not None:
            found.append(_below(below, depth))
    return found


def _below(name: Any, depth: int) -> Branch | None:
    return (name, "", depth + 1) if isinstance(name, bytes) else None


def _key(entry: Any, before: bytes) -> bytes:
    """The whole key of an entry; empty where it has none, or a longer one than any record may have.

    Keys that each repeat the one before and add a little would take memory by the square of their number.
    """
    shared, rest = (entry.get("p"), entry.get("k")) if isinstance(entry, dict) else (None, None)
    if type(shared) is not int or not isinstance(rest, bytes) or not 0 <= shared <= len(before):
        return b""
    return before[:shared] + rest if shared + len(rest) <= LONGEST_KEY else b""
