"""Bluesky: a repository (`repo.car`), or its records as JSON.

Everything in a repository is public. Posts, reposts, likes, follows and the profile are read; JSON may be one record,
a list, `{"records": [...]}` or `{"follows": [...]}` as the network's interface answers, a record a line, or a folder of
such files. A content warning is the label that an author put on a post.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.timelines.base import Timeline, TimelinePost
from folkmoot.environments.corpora.timelines.bluesky_posts import owner_of, post_of, uri_of
from folkmoot.environments.corpora.timelines.car import Repository
from folkmoot.environments.corpora.timelines.collect import CUT, LONG, OTHER, Collector
from folkmoot.environments.corpora.timelines.files import opened, what_is
from folkmoot.environments.corpora.timelines.limits import LONGEST, Limits
from folkmoot.environments.corpora.timelines.stream import LIST, Scanner, fields, members
from folkmoot.environments.corpora.timelines.torn import up_to_break
from folkmoot.environments.corpora.timelines.values import map_of, text_of, time_of
from folkmoot.sim.errors import CorpusError

POST, REPOST, LIKE = "app.bsky.feed.post", "app.bsky.feed.repost", "app.bsky.feed.like"
FOLLOW, PROFILE = "app.bsky.graph.follow", "app.bsky.actor.profile"
MISSING = "records that aren't in the archive or can't be read"
NO_RECORD = "entries of JSON that are no records"

LISTS = ("records", "follows")
"""What the network's interface calls the lists in its answers."""


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
            return json_in(self._path)
        return (self._path,)

    def timelines(self) -> Iterator[Timeline]:
        """The account's timeline; of several accounts in JSON, each one's.

        Raises:
            CorpusError: neither a repository nor records.
        """
        if self._path.suffix == ".car":
            yield self._repository()
            return
        losses: Counter[str] = Counter()
        accounts: dict[str, _Account] = {}
        for file in self.files:
            for owner, address, record in self._records(file, losses):
                accounts.setdefault(owner, _Account(owner, self._limits)).take(address, record)
        if not accounts:
            raise CorpusError(f"{self._path.name} holds no record of Bluesky; {self._what()}")
        for account in accounts.values():
            account.collector.losses.update(losses)
            losses.clear()
            yield account.timeline()

    def _records(self, file: Path, losses: Counter[str]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """Owner, address and record of everything in a JSON file that has them; the rest is counted."""
        for item in up_to_break(entries(file, losses), self._limits, losses):
            if is_record(item):
                yield owner_of(item["uri"]), item["uri"], item["value"]
            else:
                losses[NO_RECORD] += 1

    def _what(self) -> str:
        if self._path.is_file():
            return what_is(self._path, "bluesky")
        return "the folder has no JSON with uri and value in it"

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
        kind = text_of(record.get("$type"))
        if kind == POST and len(text_of(record.get("text"))) > LONGEST:
            self.collector.drop(LONG)
        elif kind == POST:
            self.collector.add(post_of(address, record), time_of(record.get("createdAt")))
        elif kind == REPOST:
            of = uri_of(record.get("subject"))
            post = TimelinePost(address, 0, "", "repost", of=of, to=owner_of(of))
            self.collector.add(post, time_of(record.get("createdAt")))
        elif kind == LIKE and (of := uri_of(record.get("subject"))):
            self.collector.like(of, owner_of(of), time_of(record.get("createdAt")))
        elif kind == FOLLOW and isinstance(record.get("subject"), str):
            self._follows[record["subject"]] = None
        elif kind == PROFILE:
            self._about = text_of(record.get("description"))
        else:
            self.collector.drop(OTHER)

    def timeline(self) -> Timeline:
        follows = tuple(self._follows)
        known = {"network": "bluesky"} | ({"followees": len(follows)} if follows else {})
        return self.collector.timeline(self._owner, about=self._about, follows=follows, **known)


def json_in(folder: Path) -> tuple[Path, ...]:
    """The files of JSON in a folder, by name."""
    return tuple(sorted(each for each in folder.iterdir() if each.suffix in {".json", ".jsonl"}))


def is_record(item: Mapping[str, Any]) -> bool:
    """Whether something is a record with an address that names its owner."""
    return bool(owner_of(text_of(item.get("uri")))) and isinstance(item.get("value"), dict)


def has_record(file: Path) -> bool:
    """Whether a JSON file yields a record; one that can't be read up to there has none."""
    with suppress(CorpusError):
        return any(map(is_record, entries(file, Counter())))
    return False


def entries(file: Path, losses: Counter[str]) -> Iterator[Mapping[str, Any]]:
    """Everything in a JSON file that may be a record with its address; an empty object for what can't be one.

    Raises:
        CorpusError: no JSON.
        Truncated: it breaks off.
    """
    with opened(file) as opened_file:
        scanner = Scanner(opened_file, file.name, losses)
        while begin := scanner.peek():
            if begin == "[":
                yield from map(map_of, members(scanner, file))
            elif begin == "{":
                yield from _of_object(scanner, file)
            else:
                due = f"{begin!r} at character {scanner.place}, where an object or a list is due"
                raise CorpusError(f"{file.name}: {due}; {what_is(file, 'bluesky')}")


def _of_object(scanner: Scanner, file: Path) -> Iterator[Mapping[str, Any]]:
    """A record, or those of an answer; whom somebody follows as records of theirs."""
    found: dict[str, Any] = {}
    lists: list[Any] = []
    answer = False
    for name, value in fields(scanner, file, LISTS):
        if value is LIST:
            answer = True
            if name == "records":
                yield from map(map_of, members(scanner, file))
            else:
                lists += members(scanner, file)
        else:
            found[name] = value
    owner = text_of(map_of(found.get("subject")).get("did"))
    for each in lists:
        yield _follow(owner, text_of(map_of(each).get("did")))
    if not answer:
        yield found


def _follow(owner: str, whom: str) -> Mapping[str, Any]:
    """What `getFollows` tells as a record of the one who follows."""
    record = {"$type": FOLLOW, "subject": whom}
    return {"uri": f"at://{owner}/{FOLLOW}", "value": record} if owner and whom else {}
