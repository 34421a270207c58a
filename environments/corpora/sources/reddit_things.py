"""Posts and comments in whatever Reddit's API or an archive of it wraps them.

Facts of the format (Reddit's API documentation and the archives made from it): a thing is {kind, data} with kind t1
(comment), t3 (post), Listing (a list of things, in `children`) or more (ids of comments that weren't sent, none where
the thread goes on elsewhere); answers to a comment stand in its `replies`; archives hold the `data` alone, a line each.
"""

from collections.abc import Iterator
from typing import Any

from folkmoot.environments.corpora.sources.faults import Faults

COMMENT, POST, MORE, LISTING = "t1", "t3", "more", "Listing"
OTHERS = ("t2", "t4", "t5", "t6", "wikipage", "LiveUpdate")


def find_things(document: Any, faults: Faults, line: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Kind (t1, t3 or more) and data of each thing in a document, answers behind what they answer.

    Args:
        document: decoded JSON: a thing, a listing, several, an answer of the API, or the data of one thing.
        faults: is told of what is none of these.
        line: of the document.
    """
    waiting = [document]
    while waiting:
        current = waiting.pop()
        if isinstance(current, list):
            waiting.extend(reversed(current))
        elif not isinstance(current, dict):
            faults.add("values that are no things", line)
        elif (kind := _kind(current)) in {COMMENT, POST, MORE}:
            data = current["data"] if isinstance(current.get("data"), dict) else current
            yield kind, data
            waiting.append(_inside(data.get("replies")))
        elif kind in OTHERS:
            faults.add(f"things of kind {kind} (no discussion)", line)
        else:
            inner = _wrapped(current)
            if inner is None:
                faults.add("documents that hold no posts or comments", line)
            waiting.append(inner or [])


def _kind(thing: dict[str, Any]) -> str:
    """What a thing is; data alone are told by their fields."""
    kind, data = thing.get("kind"), thing.get("data")
    if isinstance(kind, str) and isinstance(data, dict):
        return kind
    if "body" in thing and "link_id" in thing:
        return COMMENT
    return POST if "title" in thing and ("selftext" in thing or "num_comments" in thing) else ""


def _wrapped(document: dict[str, Any]) -> Any:
    """What is inside of a listing or an answer of the API; None if it is neither."""
    data = document.get("data")
    if isinstance(data, dict):
        return data.get("children", data.get("things"))
    if isinstance(data, list):
        return data
    return document.get("json")


def _inside(replies: Any) -> Any:
    """The listing in `replies`, which is "" where nobody answered, and a list of ids in some archives."""
    return replies if isinstance(replies, dict) else []
