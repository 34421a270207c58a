"""People's own archives of posts as threads: `mastodon:`, `bluesky:`, `x:`, `csv:`, `jsonl:`, and `demo_feed:en`.

Several archives make one community: `mastodon:ada.outbox.json,x:bo/tweets.js`. What a post says beside its text lies in
the facts of its comment; a post that answers another one of the corpus stands in that one's thread.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.demo_feed.archive import DemoArchive
from folkmoot.environments.corpora.demo_feed.records import known_language
from folkmoot.environments.corpora.sources.base import SourceComment, SourcePerson, SourceThread
from folkmoot.environments.corpora.sources.identity import identity_of
from folkmoot.environments.corpora.sources.naming import Community
from folkmoot.environments.corpora.sources.registry import FEEDS, Request
from folkmoot.environments.corpora.sources.timeline_options import filters_of, known_options, limits_of, table_of
from folkmoot.environments.corpora.timelines.accounts import ANY, UNKNOWN, AccountFilters
from folkmoot.environments.corpora.timelines.base import Timeline, TimelineSource
from folkmoot.environments.corpora.timelines.bluesky import Bluesky
from folkmoot.environments.corpora.timelines.collect import ASIDE, READ
from folkmoot.environments.corpora.timelines.edges import read_edges
from folkmoot.environments.corpora.timelines.folders import archives_in
from folkmoot.environments.corpora.timelines.likes import Liked, read_likes
from folkmoot.environments.corpora.timelines.limits import Limits
from folkmoot.environments.corpora.timelines.mastodon import Mastodon
from folkmoot.environments.corpora.timelines.tables import Table
from folkmoot.environments.corpora.timelines.threads import Conversations
from folkmoot.environments.corpora.timelines.x_archive import XArchive
from folkmoot.sim.errors import ConfigError, CorpusError

CALLED = {"mastodon": "archive{s} of Mastodon", "bluesky": "archive{s} of Bluesky", "x": "archive{s} of X"}
"""What the manifest and messages call one or several of a kind."""
CALLED |= dict.fromkeys(("csv", "jsonl"), "table{s} of posts") | {"demo_feed": "demo feed{s}"}


def open_mastodon(request: Request) -> "Timelines":
    """Archives, the first of Mastodon."""
    return _open("mastodon", request)


def open_bluesky(request: Request) -> "Timelines":
    """Archives, the first of Bluesky."""
    return _open("bluesky", request)


def open_x(request: Request) -> "Timelines":
    """Archives, the first of X."""
    return _open("x", request)


def open_demo(request: Request) -> "Timelines":
    """The demo feed of a language, and archives."""
    return _open("demo_feed", request)


def open_csv(request: Request) -> "Timelines":
    """Tables and archives, the first a table."""
    return _open("csv", request)


def open_jsonl(request: Request) -> "Timelines":
    """Tables and archives, the first of JSON lines."""
    return _open("jsonl", request)


def _open(kind: str, request: Request) -> "Timelines":
    """The source.

    Raises:
        ConfigError: an unknown option or kind.
        CorpusError: an archive isn't there.
    """
    options = known_options(request.options)
    limits = limits_of(options, keep_damaged=request.keep_damaged)
    users = table_of(options, "users", "--option users")
    archives = [
        (kind, _archive(kind, path, limits, users, options.get("encoding")))
        for kind, named in named_archives(kind, request.value)
        for path in archives_in(kind, named)
    ]
    follows = table_of(options, "follows", "--follows")
    return Timelines(archives, request.language, filters_of(options), follows)


def named_archives(kind: str, value: str) -> list[tuple[str, Path]]:
    """Kind and path of each archive; one without a kind is of the kind before it.

    Raises:
        ConfigError: nothing stands between two commas, or behind a kind.

    >>> [kind for kind, _ in named_archives("mastodon", "a.json,x:tweets.js,more.js")]
    ['mastodon', 'x', 'x']
    """
    found: list[tuple[str, Path]] = []
    for piece in [value] if Path(value).exists() else value.split(","):
        scheme, colon, rest = piece.partition(":")
        known = bool(colon) and scheme in FEEDS
        kind, named = (scheme, rest) if known else (kind, piece)
        if not named.strip():
            raise ConfigError(f"--from ...{value!r}: {piece!r} names no archive (is a variable unset?); give a path")
        found.append((kind, Path(named)))
    return found


def _archive(kind: str, path: Path, limits: Limits, users: Path | None, encoding: str | None) -> Any:
    if kind == "demo_feed":
        return DemoArchive(known_language(str(path)), limits)
    if not path.exists():
        raise CorpusError(f"{path}: no archive there; check the path (several are separated by commas)")
    if kind in {"csv", "jsonl"}:
        if not path.is_file():
            raise CorpusError(f"{path} is a folder; a table of posts is one file: name it")
        return Table(path, limits, users, encoding)
    return {"mastodon": Mastodon, "bluesky": Bluesky, "x": XArchive}[kind](path, limits)


class Timelines:
    """Archives as threads (a `ThreadSource`).

    Args:
        archives: kind and source of each.
        language: ISO 639-1 code; None: that of most posts.
        filters: of accounts.
        follows: a table of who follows whom.

    Attributes:
        title: what the manifest calls it: how many archives of which kinds.
        accounts: which accounts were left out, by reason; "" counts those that are kept.
        posts: which posts and entries were dropped, by reason.
        notes: what was kept with doubt.
    """

    pseudonymous = False

    def __init__(
        self,
        archives: Sequence[tuple[str, TimelineSource]],
        language: str | None,
        filters: AccountFilters = ANY,
        follows: Path | None = None,
    ) -> None:
        self.name = ""
        self.losses: Counter[str] = Counter()
        self._archives = list(archives)
        kinds = Counter(kind for kind, _ in self._archives)
        self.title = ", ".join(f"{n} {CALLED[kind].format(s='s' * (n != 1))}" for kind, n in kinds.items())
        self._given_language = language
        self._filters = filters
        self._follows = follows
        self._read: list[Timeline] | None = None
        self._conversations = Conversations(())
        self.accounts: Counter[str] = Counter()
        self.posts: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()

    @property
    def language(self) -> str | None:
        """The language given, else that of most posts."""
        if self._given_language is not None:
            return self._given_language
        counts = Counter(post.language for each in self.timelines() for post in each.posts if post.language)
        return counts.most_common(1)[0][0] if counts else None

    def timelines(self) -> list[Timeline]:
        """The accounts that are kept, sorted by name; read once.

        Raises:
            CorpusError: an archive can't be read, or no post is left.
        """
        if self._read is None:
            self._read = list(self._chosen())
            if not self._read:
                accounts = ((f"accounts {why}", n) for why, n in self.accounts.items() if why)
                why = [f"{what}: {n:,}" for what, n in (*accounts, *self.posts.items()) if n]
                told = "; ".join(why) or "nothing was there"
                raise CorpusError(f"0 public posts in {self.title}, at least 1 is needed ({told})")
            self._conversations = Conversations(self._read)
            self.notes.update(self._conversations.doubts)
        return self._read

    def _chosen(self) -> Iterator[Timeline]:
        found: dict[str, Timeline] = {}
        for _, archive in self._archives:
            for timeline in archive.timelines():
                self._count(timeline)
                if timeline.user in found:
                    self.accounts["that are there twice (the first archive counts)"] += 1
                    self.posts["posts of accounts that are left out"] += len(timeline.posts)
                    continue
                reason = self._filters.reason(timeline)
                self.accounts[reason] += 1
                if reason:
                    self.posts["posts of accounts that are left out"] += len(timeline.posts)
                    continue
                found[timeline.user] = timeline
                unknown = timeline.followers is None or timeline.followees is None
                self.notes[UNKNOWN] += unknown
                failing = AccountFilters().reason(timeline)
                self.notes[f"accounts that the filters of SocialPersona leave out: {failing} (kept)"] += bool(failing)
        yield from (found[user] for user in sorted(found))

    def _count(self, timeline: Timeline) -> None:
        for reason, count in timeline.losses.items():
            if reason != READ:
                aside = "(kept" in reason or reason in ASIDE
                (self.notes if aside else self.posts)[reason] += count

    # --- as a source ------------------------------------------------------------------------------

    def threads(self, after: str | None = None) -> Iterator[SourceThread]:
        """All threads in order of their first posts, from the one behind `after` on."""
        timelines = self.timelines()
        community = Community()
        for name in _names(timelines):
            community.add(name)
        first = 0 if after is None else int(after) + 1
        for number, posts in enumerate(self._conversations.threads()):
            if number >= first:
                said = tuple(posts)
                named = (*community.named_around("", said), *_mentioned(said))
                yield SourceThread(str(number), said[0].id, "timelines", "", said, named=tuple(dict.fromkeys(named)))

    def people(self) -> Iterator[SourcePerson]:
        """Those of whom anything is said: their own description, and interests where the source knows them."""
        for timeline in self.timelines():
            fields: dict[str, Any] = {"profile": timeline.about} if timeline.about else {}
            if timeline.interests is not None:
                fields["interests"] = timeline.interests.model_dump()
            if fields:
                yield SourcePerson(timeline.user, fields)

    def follows(self) -> tuple[list[tuple[str, str]], Counter[str]]:
        """(follower, followed), each once, in order; and what was dropped, by reason."""
        users = {timeline.user for timeline in self.timelines()}
        given = ((each.user, whom) for each in self.timelines() for whom in each.follows)
        return read_edges(given, self._follows, users)

    def likes(self) -> tuple[list[Liked], Counter[str]]:
        """Likes of posts of the corpus, in order of time; and what was dropped, by reason."""
        return read_likes(self.timelines(), self._conversations)

    def identity(self) -> tuple[int, str]:
        """Bytes, and the SHA-256 of all files that are read."""
        files = [file for _, archive in self._archives for file in archive.files]  # type: ignore[attr-defined]
        return identity_of([*files, *([self._follows] if self._follows else [])])


def _names(timelines: Sequence[Timeline]) -> Iterator[str]:
    """Every name of the accounts: whole, and without the server."""
    for timeline in timelines:
        yield timeline.user
        yield from _local(timeline.user)


def _mentioned(posts: Sequence[SourceComment]) -> Iterator[str]:
    """Names without their servers of those whom posts name."""
    for post in posts:
        for name in (*post.facts.get("mentions", ()), post.facts.get("reply_to_user", "")):
            yield from _local(name)


def _local(name: str) -> Iterator[str]:
    local, at, _ = name.partition("@")
    if at and local:
        yield local
