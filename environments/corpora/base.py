"""A corpus: a community that has already run, as events, personas and pages."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from folkmoot.sim.events import Event, TextEvent
from folkmoot.sim.persona import Persona


@dataclass(frozen=True, slots=True)
class Page:
    """A Talk page and the article that it is about."""

    title: str
    article: str = ""
    protected: bool = False


@dataclass(frozen=True, slots=True)
class Gold:
    """Labels by the corpus's own authors: acts, and sentiment 1 (very negative) to 5 (very positive)."""

    acts: tuple[str, ...]
    sentiment: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """One community.

    Attributes:
        name: e.g. "demo-en"; also the community's name in events.
        language: ISO 639-1 code.
        timezone: IANA name of the wiki's local zone.
        pages: by title.
        events: all recorded events; seq counts from 0; a parent always comes before its replies.
            Times may go backwards between threads; `threads` gives each thread in the order of the page.
        personas: by pseudonym; empty where there are none (raw wikitext).
        gold: seq -> Gold, where the corpus has labels.
        losses: what was dropped while reading, counted by reason.
        digest: content hash, hex.
        articles: thread id -> its article as it was before the thread's first comment, where that is known; `pages`
            has the one of each page's latest thread.
        remembering: whether the personas bring a history of their own; where they don't, the split gives it to them.
    """

    name: str
    language: str
    timezone: str
    pages: Mapping[str, Page]
    events: tuple[Event, ...]
    personas: Mapping[str, Persona]
    digest: str
    gold: Mapping[int, Gold] = field(default_factory=dict)
    losses: Counter[str] = field(default_factory=Counter)
    facts: Mapping[str, Any] = field(default_factory=dict)
    articles: Mapping[str, str] = field(default_factory=dict)
    remembering: bool = True

    def utterances(self) -> Iterator[TextEvent]:
        """All text events, in order."""
        return (event for event in self.events if isinstance(event, TextEvent))

    def threads(self) -> dict[str, list[TextEvent]]:
        """Thread id -> its utterances, opening first."""
        threads: dict[str, list[TextEvent]] = {}
        for event in self.utterances():
            threads.setdefault(event.thread, []).append(event)
        return threads
