"""Threads as a store keeps them: what parsing yields, and what events are made from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened


@dataclass(frozen=True, slots=True)
class CommentRecord:
    """One comment, names replaced.

    Attributes:
        id: unique in the corpus; the event's `source_id`.
        actor: pseudonym, or "unattributed".
        time: ms since the epoch, UTC; a neighbour's where the comment has none.
        dated: whether the time is its own.
        parent: index in the thread of the comment answered; None for one that stands by itself.
        by: signed, unsigned_template, unattributed; "source" where a source names the author, "revised" where a model
            that cut the thread anew does.
        text: clean text.
        mentions: pseudonyms of users that it links or pings, its author not included.
        source: first character in the source's page and one past the last; None where there is no page.
        span: the same in the page's text as the store keeps it.
        facts: what else the source says of it.
    """

    id: str
    actor: str
    time: int
    dated: bool
    parent: int | None
    by: str
    text: str
    mentions: tuple[str, ...] = ()
    source: tuple[int, int] | None = None
    span: tuple[int, int] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ThreadRecord:
    """One thread; `page` is the title of its page, `page_id` the id, `source` and `span` as for comments."""

    id: str
    page: str
    page_id: str
    number: int
    title: str
    comments: tuple[CommentRecord, ...]
    source: tuple[int, int] | None = None
    span: tuple[int, int] | None = None

    @property
    def people(self) -> tuple[str, ...]:
        """Everyone who wrote, in order of their first comment; nobody's comments don't count."""
        return tuple(dict.fromkeys(comment.actor for comment in self.comments if comment.by != "unattributed"))

    def events(self, community: str, language: str, first: int) -> Iterator[ThreadOpened | CommentPosted]:
        """The thread as events numbered from `first`; a comment that stands by itself answers the opening."""
        for index, comment in enumerate(self.comments):
            common: dict[str, Any] = {
                "seq": first + index,
                "time": comment.time,
                "actor": comment.actor,
                "community": community,
                "origin": "recorded",
                "thread": self.id,
                "text": comment.text,
                "language": language,
                "source_id": comment.id,
                "source_offset": comment.source[0] if comment.source else None,
                "page": self.page,
                "mentions": comment.mentions,
            }
            if index == 0:
                yield ThreadOpened(title=self.title, **common)
            else:
                yield CommentPosted(parent=first + (comment.parent or 0), **common)
