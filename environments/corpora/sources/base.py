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


KEPT = "(kept"
"""In a reason of a source's `losses`: the thing was kept with doubt; without it, the thing was passed over."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page of a wiki, at one revision.

    Attributes:
        key: its place in the source, unique; a build that was interrupted goes on after it. It is written down as
            it is: a number, an offset or an id, never a title or a name.
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
        by: who names the author, as `CommentRecord` has it, where the source is an export of a corpus of ours.
        mentions: pseudonyms, likewise; None: to be found in the text.
        dated: whether the time is its own, not a neighbour's.
        media: paths of its images in the source; the build keeps keyed hashes of them under the fact `media`.
    """

    id: str
    author: str
    time: int | None
    parent: str | None
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    by: str | None = None
    mentions: tuple[str, ...] | None = None
    dated: bool = True
    media: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceThread:
    """One thread, comments in the source's order, the opening first; `article` is "" where there is none.

    `key` is as for pages: a place in the source, never a title or a name. The article's revision and its time (ms)
    may be known; where there is no article, `no_article` may say why. `named` are users that the texts call by name,
    beside those who wrote.
    """

    key: str
    id: str
    page: str
    title: str
    comments: tuple[SourceComment, ...]
    article: str = ""
    revision: int | None = None
    revised: int | None = None
    no_article: str = ""
    named: tuple[str, ...] = ()


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
        """Talk and user pages, in the source's order, from the one behind `after` on.

        `losses` counts what is passed over between two pages before the second one is handed over, and nothing that
        stands before `after`: a build that goes on adds up the counts of its sessions.
        """
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


@runtime_checkable
class Measured(Protocol):
    """A source that knows how far it is."""

    def position(self) -> tuple[int, int]:
        """How much of the input is read, of how much, in units of its own (bytes as they lie on disk); 0: unknown."""
        ...


@runtime_checkable
class ArticleSource(Protocol):
    """A source whose `article` may give something; a build asks it page by page, in the process that reads."""

    offers_articles: bool


@runtime_checkable
class NamedSource(Protocol):
    """A source that knows whether its names are pseudonyms already; they stay as they are."""

    pseudonymous: bool


@runtime_checkable
class ArchiveSource(Protocol):
    """People's own archives, whose files are called after them: `title` is what the manifest calls the source.

    It chooses among its users itself, so a build keeps everybody that it gives.
    """

    title: str


@runtime_checkable
class HistorySource(Protocol):
    """A source that streams the revisions of articles (`pages-meta-history`).

    `holds_history` tells, once `pages` came to its end, whether an article had several.
    """

    holds_history: bool

    def revisions(self) -> Iterator[SourcePage]:
        """All revisions of the pages in namespace 0, a page at a time, oldest first."""
        ...


@runtime_checkable
class Sited(Protocol):
    """A source that knows how its wiki calls its namespaces: number -> names, the wiki's own first."""

    namespaces: Mapping[int, tuple[str, ...]]


@runtime_checkable
class Identified(Protocol):
    """A source whose content has an identity, so that a build goes on only with the same one."""

    def identity(self) -> tuple[int, str]:
        """Size in bytes and SHA-256 (hex) of the content, without any path or name of a user."""
        ...


def offers_articles(source: object) -> bool:
    """Whether a build asks this source for its articles, page by page."""
    return isinstance(source, ArticleSource) and source.offers_articles


def is_pseudonymous(source: object) -> bool:
    """Whether the source's names are pseudonyms already."""
    return isinstance(source, NamedSource) and source.pseudonymous


def holds_history(source: object) -> bool:
    """Whether an article of the source was seen to have several revisions; known once `pages` came to its end."""
    return isinstance(source, HistorySource) and source.holds_history


def position_of(source: object) -> tuple[int, int]:
    """How much of the source is read, of how much; (0, 0) where it doesn't know."""
    return source.position() if isinstance(source, Measured) else (0, 0)
