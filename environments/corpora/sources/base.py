"""What a source of a corpus hands over: pages of wikitext, or threads that somebody has already split.

A source reads and counts; it changes no name and drops nothing silently. Names leave this layer as they
stand in the source and become pseudonyms in the build, before anything is written.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

TALK, USER, USER_TALK = 1, 2, 3
"""MediaWiki's numbers of the namespaces that a build reads; an odd number is a talk namespace."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page of a wiki, at one revision.

    Attributes:
        key: its place in the source, unique; a build that was interrupted goes on after it.
        title: with its namespace's prefix, as the source spells it.
        namespace: MediaWiki's number.
        text: raw wikitext.
        time: of the revision, ms since the epoch, UTC; None where unknown.
        revision: MediaWiki's id; None where unknown.
    """

    key: str
    title: str
    namespace: int
    text: str
    time: int | None = None
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class SourceComment:
    """One comment of a thread that the source has split.

    Attributes:
        id: unique in the source.
        author: "" where nobody is named.
        time: ms since the epoch, UTC; None where unknown.
        parent: id of the comment answered, in the same thread; None for the opening or one that stands by itself.
        text: as the source gives it.
        facts: what else the source says of it (scores, labels); kept in the store's `facts` column.
    """

    id: str
    author: str
    time: int | None
    parent: str | None
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceThread:
    """One thread, comments in the source's order, the opening first; `article` is "" where there is none."""

    key: str
    id: str
    page: str
    title: str
    comments: tuple[SourceComment, ...]
    article: str = ""


@dataclass(frozen=True, slots=True)
class SourcePerson:
    """What a source says of a user: any fields of `Persona` (profile, attributes, traits), validated in the build."""

    author: str
    fields: Mapping[str, Any]


@runtime_checkable
class WikiSource(Protocol):
    """Pages of a wiki; its threads are found by our parser."""

    name: str
    language: str | None
    losses: Counter[str]

    def pages(self, after: str | None = None) -> Iterator[SourcePage]:
        """Talk and user pages, in the source's order, from the one behind `after` on."""
        ...

    def article(self, title: str, before: int) -> str | None:
        """Wikitext of an article at its last revision before an instant (ms); None where it isn't to be had."""
        ...


@runtime_checkable
class ThreadSource(Protocol):
    """Threads that are already split, and people."""

    name: str
    language: str | None
    losses: Counter[str]

    def threads(self, after: str | None = None) -> Iterator[SourceThread]:
        """All threads, in the source's order, from the one behind `after` on."""
        ...

    def people(self) -> Iterator[SourcePerson]:
        """What is said of users; nothing where the source has only threads."""
        ...
