"""Bluesky: a repository (`repo.car`), or its records as JSON.

Everything in a repository is public. Posts, reposts, follows and the profile are read; JSON may be one record, a list,
`{"records": [...]}` or `{"follows": [...]}` as the network's interface answers, a record a line, or a folder of such
files. A content warning is the label that an author put on a post.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.timelines.base import Timeline, TimelinePost
from folkmoot.environments.corpora.timelines.bluesky_posts import owner_of, post_of, time_of, uri_of
from folkmoot.environments.corpora.timelines.car import Repository
from folkmoot.environments.corpora.timelines.collect import CUT, OTHER, Collector
from folkmoot.environments.corpora.timelines.limits import Limits
from folkmoot.environments.corpora.timelines.stream import what_is
from folkmoot.sim.errors import CorpusError

POST, REPOST = "app.bsky.feed.post", "app.bsky.feed.repost"
FOLLOW, PROFILE = "app.bsky.graph.follow", "app.bsky.actor.profile"
MISSING = "records that aren't in the archive or can't be read"


class Bluesky:
    """One account (a `TimelineSource`).

    Args:
        path: `repo.car`, a JSON file or a folder of those.
        limits: what is read.
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        self._limits = limits

    @property
    def files(self) -> tuple[Path, ...]:
        """What is read."""
        if self._path.is_dir():
            return tuple(sorted(p for p in self._path.iterdir() if p.suffix in {".json", ".jsonl"}))
        return (self._path,)

    def timelines(self) -> Iterator[Timeline]:
        """The account's timeline; of several accounts in JSON, each one's.

        Raises:
            CorpusError: neither a repository nor records.
        """
        if self._path.suffix == ".car":
            yield self._repository()
            return
        accounts: dict[str, _Account] = {}
        for file in self.files:
            for address, record in _records(file):
                owner = address.removeprefix("at://").partition("/")[0]
                accounts.setdefault(owner, _Account(owner, self._limits)).take(address, record)
        if not accounts:
            raise CorpusError(f"{self._path.name} holds no record of Bluesky; {self._what()}")
        for account in accounts.values():
            yield account.timeline()

    def _what(self) -> str:
        return what_is(self._path) if self._path.is_file() else "the folder has no JSON with uri and value in it"

    def _repository(self) -> Timeline:
        repository = Repository(self._path, keep_damaged=self._limits.keep_damaged)
        account = _Account(repository.owner, self._limits)
        for key, record in repository.records():
            account.take(f"at://{repository.owner}/{key}", record)
        account.collector.losses[MISSING] += repository.missing
        account.collector.losses[CUT] += repository.cut
        return account.timeline()


class _Account:
    """What one account published."""

    def __init__(self, owner: str, limits: Limits) -> None:
        self._owner = owner
        self._about = ""
        self._follows: dict[str, None] = {}
        self.collector = Collector(limits)

    def take(self, address: str, record: Mapping[str, Any]) -> None:
        kind = str(record.get("$type") or "")
        if kind == POST:
            self.collector.add(post_of(address, record), time_of(record.get("createdAt")))
        elif kind == REPOST:
            of = uri_of(record.get("subject"))
            post = TimelinePost(address, 0, "", "repost", of=of, to=owner_of(of))
            self.collector.add(post, time_of(record.get("createdAt")))
        elif kind == FOLLOW and isinstance(record.get("subject"), str):
            self._follows[record["subject"]] = None
        elif kind == PROFILE:
            self._about = str(record.get("description") or "")
        else:
            self.collector.drop(OTHER)

    def timeline(self) -> Timeline:
        follows = tuple(self._follows)
        known = {"followees": len(follows)} if follows else {}
        return self.collector.timeline(self._owner, about=self._about, follows=follows, **known)


def _records(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Address and record of everything in a JSON file that has both."""
    try:
        raw = file.read_bytes()
        values = msgspec.json.Decoder().decode_lines(raw) if file.suffix == ".jsonl" else [msgspec.json.decode(raw)]
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CorpusError(f"{file.name} can't be read as JSON ({str(error)[:120]}); {what_is(file)}") from error
    for value in values:
        inner = value.get("records") if isinstance(value, dict) and "records" in value else value
        for one in inner if isinstance(inner, list) else [inner]:
            if isinstance(one, dict) and isinstance(one.get("uri"), str) and isinstance(one.get("value"), dict):
                yield one["uri"], one["value"]
