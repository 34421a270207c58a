"""The demo feed as a corpus: posts, likes and follows in order of time, and personas with interests."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.building import digest
from folkmoot.environments.corpora.demo_feed.records import (
    FOLDER,
    Files,
    PostLine,
    demo_feed_languages,
    instant,
    read_files,
)
from folkmoot.environments.corpora.pseudonyms import Pseudonyms
from folkmoot.environments.social_feed.marks import hashtags, links, mentions
from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.events import Event
from folkmoot.sim.feed import Followed, PostCreated, Reacted
from folkmoot.sim.persona import Attributes, Domain, Interests, Persona

__all__ = ["demo_feed_languages", "load_demo_feed"]

SALT = b"folkmoot demo feed: public, nobody to protect"
"""Nobody real is in it, so the salt is no secret, and pseudonyms are the same on every machine."""

DAY = 86_400_000
"""Milliseconds."""


def load_demo_feed(lang: str = "en", folder: Path = FOLDER) -> Corpus:
    """The demo feed of a language; its personas have interests and no history, which a split by time gives them.

    Args:
        lang: ISO 639-1 code.
        folder: where the languages' folders are.

    Raises:
        CorpusError: the language has no demo feed, a file is damaged, or a post, a like or a follow names nobody known.
    """
    files, language = read_files(lang, folder), load_language(lang)
    names = Pseudonyms(SALT, language, {user.name for user in files.users})
    community = f"demo-feed-{lang}"
    events = tuple(_Feed(community, lang, names, files).events())
    personas = {persona.id: persona for persona in _personas(files, names, lang)}
    return Corpus(
        name=community,
        language=lang,
        timezone=language.local_timezone,
        pages={},
        events=events,
        personas=personas,
        digest=digest(events, {}, personas.values()),
        facts={"users": len(files.users), "posts": len(files.posts), "likes": len(files.likes)},
        remembering=False,
    )


class _Feed:
    """From lines to events; a post's seq is known once it has been placed."""

    def __init__(self, community: str, lang: str, names: Pseudonyms, files: Files) -> None:
        self._common: dict[str, Any] = {"community": community, "origin": "recorded"}
        self._lang = lang
        self._names = names
        self._files = files
        self._users = {user.name for user in files.users}
        self._pseudonyms = {names.of(user) for user in self._users}
        self._seqs: dict[str, int] = {}
        self._threads: dict[str, str] = {}

    def events(self) -> Iterator[Event]:
        """All events in order of time; at one time follows come first, then posts, then likes."""
        files = self._files
        edges = [(user.name, other, since) for user in files.users for other, since in user.follows.items()]
        items: list[tuple[str, int, object]] = [(since, 0, (user, other)) for user, other, since in edges]
        items += [(post.time, 1, post) for post in files.posts]
        items += [(like.time, 2, (like.user, like.post)) for like in files.likes]
        for seq, (time, _, item) in enumerate(sorted(items, key=lambda item: item[:2])):
            yield self._event(seq, instant(time), item)

    def _event(self, seq: int, time: int, item: object) -> Event:
        if isinstance(item, PostLine):
            return self._post(seq, time, item)
        assert isinstance(item, tuple)
        user, other = item
        actor = self._user(user)
        if other in self._seqs:
            return Reacted(seq=seq, time=time, actor=actor, post=self._seqs[other], **self._common)
        return Followed(seq=seq, time=time, actor=actor, user=self._user(other), **self._common)

    def _post(self, seq: int, time: int, post: PostLine) -> PostCreated:
        if post.of and post.of not in self._seqs:
            raise CorpusError(f"demo feed: post {post.id} names {post.of!r}, which isn't an earlier post; correct it")
        text = self._names.text(post.text)
        about = self._seqs[post.of] if post.of else None
        reply = post.form == "reply"
        self._threads[post.id] = self._threads[post.of] if reply else post.id
        self._seqs[post.id] = seq
        return PostCreated(
            seq=seq,
            time=time,
            actor=self._user(post.user),
            thread=self._threads[post.id],
            parent=about if reply else None,
            text=text,
            language=self._lang,
            source_id=post.id,
            form=post.form,
            of=None if reply else about,
            warning=post.warning,
            hashtags=hashtags(text),
            links=links(text),
            captions=tuple(self._names.text(caption) for caption in post.captions),
            mentions=mentions(text, self._pseudonyms),
            **self._common,
        )

    def _user(self, name: str) -> str:
        if name not in self._users:
            raise CorpusError(f"demo feed: {name!r} is neither a user nor an earlier post; correct it")
        return self._names.of(name)


def _personas(files: Files, names: Pseudonyms, lang: str) -> Iterator[Persona]:
    days = max(1.0, (instant(files.posts[-1].time) - instant(files.posts[0].time)) / DAY)
    counts = {user.name: 0 for user in files.users}
    for post in files.posts:
        counts[post.user] += 1
    for user in files.users:
        yield Persona(
            id=names.of(user.name),
            language=lang,
            profile=names.text(user.about),
            attributes=Attributes(age_range=user.age, location=user.place, profession=user.job),
            interests=Interests(stable=_sorted(user.stable), recent=_sorted(user.recent)),
            rate_per_day=round(counts[user.name] / days, 6),
        )


def _sorted(tags: Mapping[Domain, Sequence[str]]) -> dict[Domain, tuple[str, ...]]:
    return {domain: tuple(sorted(values)) for domain, values in tags.items()}
