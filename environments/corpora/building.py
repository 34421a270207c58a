"""From parsed pages to the events of a corpus; names become pseudonyms here and nowhere later."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from folkmoot.environments.corpora.base import Page
from folkmoot.environments.corpora.pseudonyms import Pseudonyms, keyed_hash
from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.environments.talk_page.wikitext.clean import words
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.parse import ParsedComment, ParsedPage, ParsedThread
from folkmoot.environments.talk_page.wikitext.signatures import find_user_links, signature_labels
from folkmoot.sim.events import Event, encode
from folkmoot.sim.persona import Persona

LONG_TURN = 1000
"""Words; longer comments are kept and counted (the paper drops threads that hold one)."""


@dataclass(frozen=True, slots=True)
class RawPage:
    """A page as read from its file: `title` is the file's, names and all."""

    title: str
    text: str
    parsed: ParsedPage
    article: str = ""


@dataclass(slots=True)
class Builder:
    """Collects the events of a community, page by page.

    A comment that stands by itself in a thread (no indentation, not the first) answers the thread's opening.
    """

    community: str
    language: Language
    salt: bytes
    names: Pseudonyms
    events: list[ThreadOpened | CommentPosted] = field(default_factory=list)
    pages: dict[str, Page] = field(default_factory=dict)
    losses: Counter[str] = field(default_factory=Counter)

    def add(self, page: RawPage) -> None:
        """All threads of a page; `losses` grows by what it lost."""
        title = self.names.text(page.title)
        self.pages[title] = Page(title, self.names.text(page.article))
        self.losses.update(page.parsed.losses)
        page_id = keyed_hash(page.title, self.salt)
        index = 0
        for number, thread in enumerate(page.parsed.threads):
            self._thread(thread, title, page_id, number, index)
            index += len(thread.comments)

    def _thread(self, thread: ParsedThread, page: str, page_id: str, number: int, index: int) -> None:
        times = _times(thread.comments)
        if times is None:
            self.losses["threads without any date"] += 1
            self.losses["comments in threads without any date"] += len(thread.comments)
            return
        first = len(self.events)
        for position, (comment, time) in enumerate(zip(thread.comments, times, strict=True)):
            common = self._common(comment, time, f"{page_id}-{number}", f"{page_id}#{index + position}", page)
            if position == 0:
                self.events.append(ThreadOpened(title=self.names.text(thread.title), **common))
            else:
                self.events.append(CommentPosted(parent=first + (comment.parent or 0), **common))

    def _common(self, comment: ParsedComment, time: int, thread: str, source: str, page: str) -> dict[str, Any]:
        text, mentions = self.names.read(comment.text)
        actor = self.names.of(comment.author)
        self.losses["comments over 1,000 words (kept)"] += words(text) > LONG_TURN
        self.losses["comments without a date (kept with a neighbour's)"] += comment.time is None
        self.losses["comments without text (kept)"] += not text
        return {
            "seq": len(self.events),
            "time": time,
            "actor": actor,
            "community": self.community,
            "origin": "recorded",
            "thread": thread,
            "text": text,
            "language": self.language.code,
            "source_id": source,
            "source_offset": comment.start,
            "page": page,
            "mentions": tuple(name for name in mentions if name != actor),
        }


def _times(comments: Sequence[ParsedComment]) -> list[int] | None:
    """A time for each: its own, else that of the comment before, else of the next that has one."""
    known = next((comment.time for comment in comments if comment.time is not None), None)
    if known is None:
        return None
    times = []
    for comment in comments:
        known = comment.time if comment.time is not None else known
        times.append(known)
    return times


def authors(pages: Iterable[RawPage]) -> set[str]:
    """Everyone who signs a comment."""
    return {comment.author for page in pages for comment in page.parsed.comments() if comment.author}


def known_names(pages: Sequence[RawPage], language: Language) -> tuple[set[str], dict[str, str]]:
    """Everyone who signs or is linked anywhere, and what they call themselves: label of a user link -> name."""
    names = authors(pages)
    for page in pages:
        names |= {link.name for link in find_user_links(page.text, language)}
    aliases: dict[str, str] = {}
    for page in pages:
        aliases.update(signature_labels(page.text, language, names))
    return names, aliases


def digest(events: Iterable[Event], pages: Mapping[str, Page], personas: Iterable[Persona] = ()) -> str:
    """Content hash of a corpus, 32 hex digits: events in order, articles by title, personas by id."""
    whole = blake2b(digest_size=16)
    for event in events:
        whole.update(encode(event) + b"\n")
    for title in sorted(pages):
        whole.update(f"{title}\0{pages[title].article}\0".encode())
    for persona in sorted(personas, key=lambda persona: persona.id):
        whole.update(persona.model_dump_json().encode())
    return whole.hexdigest()
