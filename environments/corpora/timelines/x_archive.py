"""An X (Twitter) archive: `tweets.js`, with `note-tweet.js`, `account.js`, `following.js` and others where they lie.

Each file is a list behind `window.YTD.NAME.partN = `; further parts are `tweets-part1.js` and so on. Everything in
`tweets.js` was public, unless the archive says that the account is protected now. A retweet is a repost of somebody
whose name it begins with; a post of over 280 characters is cut off there and whole in `note-tweet.js`.
"""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.timelines.base import Timeline
from folkmoot.environments.corpora.timelines.collect import EDITED, LONG, NO_NOTE, OTHER, Collector
from folkmoot.environments.corpora.timelines.files import opened, what_is
from folkmoot.environments.corpora.timelines.folders import main_file
from folkmoot.environments.corpora.timelines.limits import LONGEST, Limits
from folkmoot.environments.corpora.timelines.stream import Scanner, Truncated, members
from folkmoot.environments.corpora.timelines.torn import BESIDE_CUT, count_likes, up_to_break
from folkmoot.environments.corpora.timelines.values import map_of, name_of, objects_of, text_of, time_of
from folkmoot.environments.corpora.timelines.x_posts import STATUS, post_of, put_in, superseded, written_out
from folkmoot.sim.errors import CorpusError

PREFIX = 200
"""Characters within which the list begins."""

BESIDE = (
    "note-tweet.js", "account.js", "profile.js", "following.js", "follower.js", "protected-history.js", "like.js",
)  # fmt: skip
"""What is read beside the posts; of likes, which have no date, only how many there are."""

PROTECTED = "posts of a protected account"
NOTES = "long posts that stand whole elsewhere (kept, whole)"

_STEM = 30
"""Characters in which a post and its long form agree."""


class XArchive:
    """One user's archive (a `TimelineSource`).

    Args:
        path: `tweets.js`, or the folder (`data`) of an unpacked archive.
        limits: what is read.
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = (main_file("x", path) or path) if path.is_dir() else path
        self._limits = limits
        self._collector = Collector(limits)

    @property
    def files(self) -> tuple[Path, ...]:
        """What is read."""
        return (*self._posts, *(file for name in BESIDE for file in self._parts(name)))

    @property
    def _posts(self) -> list[Path]:
        return self._parts(self._path.name) or [self._path]

    def _parts(self, name: str) -> list[Path]:
        """A file of the archive and its further parts, in order; none where it isn't there."""
        first = self._path.with_name(name)
        further = sorted(first.parent.glob(f"{first.stem}-part*.js"), key=lambda p: int(re.sub(r"\D", "", p.stem) or 0))
        return [first, *further] if first.is_file() else further

    def timelines(self) -> Iterator[Timeline]:
        """The user's timeline.

        Raises:
            CorpusError: not such a file, or one that can't be read.
        """
        collector = self._collector = Collector(self._limits)
        notes = self._notes()
        reading = _Reading(collector, notes, protected=self._protected())
        for part in self._posts:
            for item in up_to_break(self._items(part), self._limits, collector.losses):
                reading.take(item)
        count_likes(map(self._items, self._parts("like.js")), collector.losses)
        collector.losses[NO_NOTE] += sum(len(left) for left in notes.values())
        account = self._one("account.js", "account")
        profile = self._one("profile.js", "profile")
        user = name_of(account.get("username")) or reading.owner or f"owner of {self._path.stem}"
        about = text_of(map_of(profile.get("description")).get("bio"))
        followers, followees = self._count("follower.js"), self._count("following.js")
        found = collector.timeline(user, about=about, followers=followers, followees=followees, network="x")
        own = {post.id for post in found.posts}
        yield replace(found, posts=tuple(replace(p, to=user) if p.of in own else p for p in found.posts))

    def _notes(self) -> dict[int, list[str]]:
        """Second -> whole texts of the long posts of that second."""
        notes: dict[int, list[str]] = {}
        for item in self._beside("note-tweet.js"):
            note = map_of(item.get("noteTweet", item))
            when, text = time_of(note.get("createdAt")), _note(map_of(note.get("core")))
            if when is not None and text:
                notes.setdefault(when // 1000, []).append(text)
        return notes

    def _protected(self) -> bool:
        name = "protected-history.js"
        try:
            history = list(self._entries(name))
        except Truncated as error:
            raise CorpusError(f"{name} breaks off, so who may read the posts isn't known; get it whole") from error
        events = [map_of(item.get("protectedHistory", item)) for item in history]
        last = max(events, key=lambda event: text_of(event.get("protectedAt")), default={})
        return text_of(last.get("action")).lower().startswith("protect")

    def _one(self, name: str, key: str) -> Mapping[str, Any]:
        found = next(self._beside(name), {})
        return map_of(found.get(key, found))

    def _count(self, name: str) -> int | None:
        """How many entries a file has; None where that isn't known, for it isn't there or breaks off."""
        losses = self._collector.losses
        cut = losses[BESIDE_CUT]
        count = sum(1 for _ in self._beside(name))
        return count if self._parts(name) and losses[BESIDE_CUT] == cut else None

    def _beside(self, name: str) -> Iterator[Mapping[str, Any]]:
        """The entries of another file of the archive, up to a break where that is asked for."""
        return up_to_break(self._entries(name), self._limits, self._collector.losses, BESIDE_CUT)

    def _entries(self, name: str) -> Iterator[Mapping[str, Any]]:
        for part in self._parts(name):
            yield from self._items(part)

    def _items(self, path: Path) -> Iterator[Mapping[str, Any]]:
        """The entries of a file of the archive, one by one; an empty one for what is no object.

        Raises:
            CorpusError: not such a file, or it breaks off.
        """
        with opened(path) as file:
            scanner = Scanner(file, path.name, self._collector.losses)
            if scanner.peek() != "[" and not (scanner.peek() == "w" and scanner.past("=", PREFIX)):
                begin = f"{path.name} {scanner.beginning()}, not with 'window.YTD....part0 = [' or '['"
                raise CorpusError(f"{begin}; {what_is(path, 'x')}")
            yield from map(map_of, members(scanner, path))
            scanner.take(";")
            scanner.end()


def _note(core: Mapping[str, Any]) -> str:
    """The plain text of a long form, addresses written out."""
    places = written_out(objects_of(core.get("urls")), "shortUrl", "expandedUrl")
    return put_in(html.unescape(text_of(core.get("text"))), places)


@dataclass(slots=True)
class _Reading:
    """One pass over the posts."""

    collector: Collector
    notes: dict[int, list[str]]
    protected: bool
    owner: str = ""

    def take(self, item: Mapping[str, Any]) -> None:
        tweet = map_of(item.get("tweet", item))
        name = name_of(tweet.get("id_str")) or name_of(tweet.get("id"))
        text = tweet.get("full_text")
        if not name or not isinstance(text, str):
            self.collector.drop(OTHER)
        elif self.protected:
            self.collector.drop(PROTECTED)
        elif len(text) > LONGEST:
            self.collector.drop(LONG)
        else:
            self._public(tweet, name)

    def _public(self, tweet: Mapping[str, Any], name: str) -> None:
        self._learn_owner(tweet, name)
        time = time_of(tweet.get("created_at"))
        whole = self._whole(tweet, time)
        if superseded(tweet, name):
            self.collector.drop(EDITED)
            return
        self.collector.losses[NOTES] += bool(whole)
        post = post_of(tweet, name, whole)
        self.collector.add(post, time)

    def _learn_owner(self, tweet: Mapping[str, Any], name: str) -> None:
        """The address of a post's own image names its author; some archives name them outright."""
        self.owner = text_of(map_of(tweet.get("user")).get("screen_name")) or self.owner
        for one in objects_of(map_of(tweet.get("extended_entities")).get("media")):
            found = STATUS.match(text_of(one.get("expanded_url")))
            if found and found["id"] == name:
                self.owner = self.owner or found["name"]

    def _whole(self, tweet: Mapping[str, Any], time: int | None) -> str:
        """The long form of a post, "" where there is none."""
        if time is None:
            return ""
        shown = html.unescape(text_of(tweet.get("full_text")))
        for second in (0, -1, 1):
            left = self.notes.get(time // 1000 + second, [])
            for text in left:
                if text[:_STEM] == shown[:_STEM]:
                    left.remove(text)
                    return text
        return ""
