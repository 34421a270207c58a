"""Mastodon's archive: `outbox.json` (ActivityStreams), with `actor.json` and `following_accounts.csv` where they lie.

Public is what names the Public collection in `to`. In `cc` it makes a post unlisted: everybody may read it, but its
author kept it out of public timelines, so it is left out unless asked for. What names neither is for followers
or for those addressed.
"""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.timelines.base import Timeline, TimelinePost
from folkmoot.environments.corpora.timelines.collect import LONG, OTHER, UNLISTED, Collector
from folkmoot.environments.corpora.timelines.files import what_is
from folkmoot.environments.corpora.timelines.limits import LONGEST, Limits
from folkmoot.environments.corpora.timelines.mastodon_posts import (
    address_of,
    author_of,
    content_of,
    handle_of,
    post_of,
    strings_of,
    user_of,
)
from folkmoot.environments.corpora.timelines.plain import plain
from folkmoot.environments.corpora.timelines.stream import items_of, value_of
from folkmoot.environments.corpora.timelines.torn import BESIDE_CUT, count_likes, up_to_break
from folkmoot.environments.corpora.timelines.values import map_of, place_of, text_of, time_of
from folkmoot.sim.errors import CorpusError

PUBLIC = frozenset({"https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public"})
NOTES = frozenset({"Note", "Question", "Article", "Page"})

LIKED = "likes.json"
"""What the user liked, without dates."""

FOLLOWERS = "posts for followers alone"
DIRECT = "posts for those addressed alone"
ODD = "posts about something whose address can't be read (kept, as about something elsewhere)"


class Mastodon:
    """One user's archive (a `TimelineSource`).

    Args:
        path: `outbox.json`, or the folder of an unpacked archive.
        limits: what is read.
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path / "outbox.json" if path.is_dir() else path
        self._limits = limits
        self._collector = Collector(limits)
        self._owner = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """What is read."""
        beside = (_beside(self._path, name) for name in ("actor.json", LIKED))
        return tuple(file for file in (self._path, *beside, self._following) if file)

    @property
    def _following(self) -> Path | None:
        return _beside(self._path, "following_accounts.csv")

    def timelines(self) -> Iterator[Timeline]:
        """The user's timeline.

        Raises:
            CorpusError: no outbox, or one that can't be read.
        """
        actor = self._actor()
        self._owner = text_of(actor.get("id"))
        losses = self._collector.losses
        for item in up_to_break(items_of(self._path, "orderedItems", losses, "mastodon"), self._limits, losses):
            self._take(item)
        if not self._owner:
            raise CorpusError(f"{self._path.name} holds no activity of anybody; {what_is(self._path, 'mastodon')}")
        if likes := _beside(self._path, LIKED):
            count_likes([items_of(likes, "orderedItems", losses)], losses)
        about = plain(text_of(actor.get("summary"))).text
        follows = tuple(_followed(self._following))
        known = {"network": "mastodon"} | ({"followees": len(follows)} if self._following else {})
        yield self._collector.timeline(user_of(self._owner), about=about, follows=follows, **known)

    def _actor(self) -> Mapping[str, Any]:
        losses = self._collector.losses
        path = _beside(self._path, "actor.json")
        values = (value_of(each, losses) for each in (path,) if each)
        return map_of(next(up_to_break(values, self._limits, losses, BESIDE_CUT), None))

    def _take(self, item: Any) -> None:
        kind = text_of(map_of(item).get("type"))
        if kind not in {"Create", "Announce"}:
            self._collector.drop(OTHER)
            return
        actor = address_of(item.get("actor"))
        self._owner = self._owner or actor
        if actor and actor != self._owner:
            self._collector.drop("entries by somebody else")
        elif reason := self._private(item):
            self._collector.drop(reason)
        elif kind == "Announce":
            self._repost(item)
        else:
            self._post(item.get("object"))

    def _private(self, item: Mapping[str, Any]) -> str:
        inner = item.get("object")
        scope = inner if isinstance(inner, dict) and "to" in inner else item
        to, cc = set(strings_of(scope.get("to"))), set(strings_of(scope.get("cc")))
        if to & PUBLIC:
            return ""
        if cc & PUBLIC:
            return "" if self._limits.unlisted else UNLISTED
        return FOLLOWERS if any(each.rstrip("/").endswith("/followers") for each in to | cc) else DIRECT

    def _repost(self, item: Mapping[str, Any]) -> None:
        of = address_of(item.get("object"))
        post = TimelinePost(address_of(item.get("id")), 0, "", "repost", of=of, to=author_of(of))
        self._add(post, item.get("published"))

    def _post(self, note: Any) -> None:
        if not isinstance(note, dict) or text_of(note.get("type")) not in NOTES:
            self._collector.drop("entries without a post")
            return
        if len(content_of(note)[0]) > LONGEST:
            self._collector.drop(LONG)
            return
        self._add(post_of(note), note.get("published"))

    def _add(self, post: TimelinePost, published: Any) -> None:
        self._collector.losses[ODD] += bool(post.of) and not place_of(post.of).host
        self._collector.add(post, time_of(published))


# --- files beside the outbox ----------------------------------------------------------------------


def _beside(outbox: Path, name: str) -> Path | None:
    """A file of the archive: `x.outbox.json` goes with `x.actor.json`, `outbox.json` with `actor.json`."""
    prefix = outbox.name.removesuffix("outbox.json") if outbox.name.endswith("outbox.json") else ""
    found = outbox.with_name(prefix + name)
    return found if found.is_file() else None


def _followed(path: Path | None) -> Iterator[str]:
    if path is None:
        return
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                if name := handle_of(row.get("Account address") or ""):
                    yield name
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CorpusError(f"{path.name} can't be read ({error}); take it away, or unpack the archive again") from error
