"""A thread that its source has split, as rows."""

import unicodedata
from typing import Any

from folkmoot.environments.corpora.building import UNDATED_COMMENTS, UNDATED_THREADS, times_of
from folkmoot.environments.corpora.facts import LEVELS, hide_facts, strings, too_deep
from folkmoot.environments.corpora.pipeline.context import PageContext
from folkmoot.environments.corpora.pipeline.pages import article_row
from folkmoot.environments.corpora.pipeline.rows import Rows, long_hash, without_blocked
from folkmoot.environments.corpora.pseudonyms import UNATTRIBUTED, Pseudonyms
from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.corpora.sources.base import SourceComment, SourceThread
from folkmoot.environments.corpora.sources.naming import named_in
from folkmoot.environments.corpora.timelines.media import media_key
from folkmoot.environments.talk_page.wikitext.clean import collapse

SOURCE = "source"
"""What `by` says of a comment whose author the source names."""


class Names(Pseudonyms):
    """Names of a source that may have hidden them already."""

    def __init__(self, thread: SourceThread, context: PageContext) -> None:
        known = [] if context.pseudonymous else _known(thread)
        super().__init__(context.salt, context.language, known)
        self._kept = context.pseudonymous

    def of(self, name: str) -> str:
        """The pseudonym of a user; the name itself where it is one already."""
        return (name or UNATTRIBUTED) if self._kept else super().of(name)

    def read(self, text: str, *others: object) -> tuple[str, tuple[str, ...]]:
        """The text with names replaced, and who is called."""
        return (unicodedata.normalize("NFC", text), ()) if self._kept else super().read(text, *others)  # type: ignore[arg-type]


def _known(thread: SourceThread) -> list[str]:
    """Users that the thread names; of two whose names differ by case only the later one is meant by a plain mention.

    Who writes comes last, then whom a fact names, whom a text calls, and whom a fact calls.
    """
    said = [each for comment in thread.comments for each in strings(comment.facts)]
    whole = [text for text, is_name in said if is_name and not text.isdigit()]
    called = named_in(text for text, is_name in said if not is_name)
    authors = [comment.author for comment in thread.comments if comment.author]
    return list(dict.fromkeys((*authors, *whole, *thread.named, *called)))[::-1]


def read_thread(thread: SourceThread, context: PageContext, rows: Rows) -> None:
    """Add a thread's rows; a thread without any date or comment is dropped and counted."""
    names = Names(thread, context)
    record = _record(thread, names, context, rows)
    kept = None if record is None else without_blocked(record, context.blocked, rows)
    if kept is None:
        rows.drop("pages", "without a thread that is kept")
        return
    rows.add_page(_page(thread, kept, names, context), [kept])
    if thread.article:
        text = names.text(_plain(thread.article, context))
        subject = long_hash(thread.page, context.salt)
        rows.add_article(kept.id, article_row(subject, thread.revision, thread.revised, text), "")
    else:
        rows.add_article(kept.id, None, thread.no_article or "the source has no article")


def _plain(text: str, context: PageContext) -> str:
    """White space collapsed; a corpus of ours has its form already."""
    return text if context.pseudonymous else collapse(text)


def _record(thread: SourceThread, names: Names, context: PageContext, rows: Rows) -> ThreadRecord | None:
    times = times_of([comment.time for comment in thread.comments])
    if times is None:
        rows.drop("threads", UNDATED_THREADS if thread.comments else "without comments")
        rows.drop("comments", UNDATED_COMMENTS, len(thread.comments))
        return None
    comments = thread.comments
    places = {comment.id: index for index, comment in enumerate(comments)}
    name = thread.id if context.pseudonymous else long_hash(thread.id, context.salt)
    said = tuple(
        _comment(comment, time, _parent(comment, index, places, rows), names, context, rows)
        for index, (comment, time) in enumerate(zip(comments, times, strict=True))
    )
    return ThreadRecord(name, names.text(thread.page), _page_id(thread, context), 0, names.text(thread.title), said)


def _page_id(thread: SourceThread, context: PageContext) -> str:
    """A page of its own for each thread: the same page may come back anywhere in the source."""
    return long_hash(f"{thread.page}\0{thread.id}", context.salt)


def _parent(comment: SourceComment, index: int, places: dict[str, int], rows: Rows) -> int | None:
    if comment.parent is None:
        return None
    place = places.get(comment.parent)
    if place is None or place >= index:
        rows.notes["answers to comments that aren't before them (kept, as answers to the opening)"] += 1
        return None
    return place


def _comment(
    comment: SourceComment, time: int, parent: int | None, names: Names, context: PageContext, rows: Rows
) -> CommentRecord:
    text, mentions = names.read(_plain(comment.text, context))
    actor = names.of(comment.author)
    rows.notes["comments without a date (kept with a neighbour's)"] += comment.time is None
    rows.notes["comments without text (kept)"] += not text
    rows.notes[f"comments with facts over {LEVELS} levels deep (kept without what is deeper)"] += too_deep(
        comment.facts
    )
    return CommentRecord(
        id=comment.id if context.pseudonymous else long_hash(comment.id, context.salt),
        actor=actor,
        time=time,
        dated=comment.time is not None and comment.dated,
        parent=parent,
        by=comment.by or (SOURCE if actor != UNATTRIBUTED else UNATTRIBUTED),
        text=text,
        mentions=tuple(name for name in mentions if name != actor) if comment.mentions is None else comment.mentions,
        facts=_facts(comment, names, context),
    )


def _facts(comment: SourceComment, names: Names, context: PageContext) -> dict[str, Any]:
    facts = dict(comment.facts) if context.pseudonymous else hide_facts(comment.facts, names)
    return facts | {"media": [media_key(path, context.salt) for path in comment.media]} if comment.media else facts


def _page(thread: SourceThread, kept: ThreadRecord, names: Names, context: PageContext) -> dict[str, object]:
    return {
        "key": long_hash(thread.key, context.salt),
        "id": kept.page_id,
        "title": names.text(thread.page),
        "namespace": 1,
        "subject": long_hash(thread.page, context.salt),
        "owner": None,
        "revision": None,
        "time": None,
        "text": "",
    }
