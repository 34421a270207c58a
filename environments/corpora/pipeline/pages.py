"""A page of wikitext as rows: parse, replace names, keep where everything stood."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from folkmoot.environments.corpora.building import (
    UNDATED_COMMENTS,
    UNDATED_THREADS,
    present_in,
    read_threads,
    words_too,
)
from folkmoot.environments.corpora.normalize import normalize
from folkmoot.environments.corpora.pipeline.context import PageContext
from folkmoot.environments.corpora.pipeline.rows import Rows, long_hash, without_blocked
from folkmoot.environments.corpora.pseudonyms import Pseudonyms
from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.corpora.sources.base import TALK, USER, USER_TALK, SourcePage
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.parse import ParsedPage, parse_page
from folkmoot.environments.talk_page.wikitext.signatures import find_user_links, signature_labels

Article = Callable[[str, int], str | None]
"""(bare title, instant) -> wikitext of the article before it."""


@dataclass(frozen=True, slots=True)
class _Names:
    """What a page is called: its own title, the bare one, whose page it is (raw), all hidden where they are written."""

    bare: str
    owner: str | None


def read_page(page: SourcePage, context: PageContext, rows: Rows, article: Article | None = None) -> None:
    """Add a page's rows; names are those known on the page.

    A user page is kept whole (its profile is a later stage's); a talk page is kept if a thread on it holds a date.
    """
    names = _title(page, context.language)
    if names.owner is not None and Pseudonyms(context.salt, context.language).of(names.owner) in context.blocked:
        rows.drop("pages", "of users on the blocklist")
    elif not page.text.strip():
        rows.drop("pages", "without text")
    elif page.namespace == USER:
        _user_page(page, names, context, rows)
    else:
        _talk_page(page, names, context, rows, article)


def _title(page: SourcePage, language: Language) -> _Names:
    """A folder of wikitext tells no namespace: there the prefix says whether a page is a user's."""
    prefix, colon, rest = page.title.partition(":")
    bare = rest.strip() if colon and page.namespace and prefix else page.title
    own = colon and prefix.replace("_", " ").strip().lower() in {name.lower() for name in language.user_namespaces}
    owner = bare.partition("/")[0] if own or page.namespace in {USER, USER_TALK} else None
    return _Names(bare, owner)


def _user_page(page: SourcePage, names: _Names, context: PageContext, rows: Rows) -> None:
    if "/" in names.bare:
        rows.drop("pages", "subpages of user pages")
        return
    hidden = _pseudonyms(page.text, (), names, context)
    rows.add_page(_page_row(page, names, context, hidden, hidden.text(page.text)), [])


def _talk_page(page: SourcePage, names: _Names, context: PageContext, rows: Rows, article: Article | None) -> None:
    parsed = parse_page(page.text, context.language)
    hidden = _pseudonyms(page.text, (c.author for c in parsed.comments() if c.author), names, context)
    hidden.spare(words_too([parsed], hidden))
    row = _page_row(page, names, context, hidden, "")
    losses = rows.notes
    losses.update(parsed.losses)
    threads = list(read_threads(parsed, row["id"], row["title"], hidden, losses))
    rows.drop("threads", UNDATED_THREADS, losses.pop(UNDATED_THREADS, 0))
    rows.drop("comments", UNDATED_COMMENTS, losses.pop(UNDATED_COMMENTS, 0))
    text, places = _hide(page.text, parsed, hidden, threads, context.blocked)
    kept = [t for t in (without_blocked(thread, context.blocked, rows) for thread in threads) if t is not None]
    if not kept:
        rows.drop("pages", "talk pages without a dated comment")
        return
    rows.add_page({**row, "text": text}, [_placed(thread, places) for thread in kept])
    if article is not None and page.namespace == TALK:
        _articles(kept, names.bare, row["subject"], article, hidden, rows)
    elif article is not None:
        for thread in kept:
            rows.add_article(thread.id, None, "not about an article")


def _pseudonyms(text: str, authors: Iterable[str], names: _Names, context: PageContext) -> Pseudonyms:
    """Knows who signs, who is linked and whose page it is, and what they call themselves here."""
    known = {*authors, *(link.name for link in find_user_links(text, context.language))}
    if names.owner is not None:
        known.add(names.owner)
    aliases = signature_labels(text, context.language, known)
    return Pseudonyms(context.salt, context.language, known, aliases)


def _page_row(page: SourcePage, names: _Names, context: PageContext, hidden: Pseudonyms, text: str) -> dict[str, Any]:
    title = hidden.title(page.title)
    if names.owner is not None:
        title = _owned(page.title, names.owner, hidden)
    return {
        "key": long_hash(page.key, context.salt),
        "id": long_hash(page.title, context.salt),
        "title": title,
        "namespace": page.namespace,
        "subject": long_hash(names.bare, context.salt),
        "owner": None if names.owner is None else hidden.of(names.owner),
        "revision": page.revision,
        "time": page.time,
        "text": text,
    }


def _owned(title: str, owner: str, hidden: Pseudonyms) -> str:
    """The title of a user's page: the name in it, whatever it looks like, is the owner's."""
    prefix, colon, rest = title.partition(":")
    sub = rest.partition("/")[2] if colon else title.partition("/")[2]
    return f"{prefix if colon else ''}{colon}{hidden.of(owner)}{'/' if sub else ''}{hidden.text(sub)}"


def _hide(
    text: str, parsed: ParsedPage, hidden: Pseudonyms, threads: Iterable[ThreadRecord], blocked: frozenset[str]
) -> tuple[str, "_Places"]:
    """The page's text with names replaced piece by piece, so that the borders of all pieces are known in both."""
    gone = {c.source for thread in threads for c in thread.comments if c.actor in blocked}
    borders = {0, len(text)}
    for thread in parsed.threads:
        borders |= {thread.start, thread.end}
    for span in parsed.spans:
        borders |= {span.start, span.end}
    raw = sorted(borders)
    pieces = [
        "" if (start, end) in gone else hidden.text(text[start:end], _present(parsed, start))
        for start, end in pairwise(raw)
    ]
    stored = [0]
    for piece in pieces:
        stored.append(stored[-1] + len(piece))
    return "".join(pieces), _Places(raw, stored)


def _present(parsed: ParsedPage, place: int) -> frozenset[str]:
    index = bisect_right(parsed.threads, place, key=lambda thread: thread.start) - 1
    return present_in(parsed.threads[index]) if index >= 0 else frozenset()


@dataclass(frozen=True, slots=True)
class _Places:
    """The same borders in the source's text and in the stored one."""

    raw: list[int]
    stored: list[int]

    def of(self, span: tuple[int, int] | None) -> tuple[int, int] | None:
        """Where a span lies in the stored text."""
        if span is None:
            return None
        start, end = (self.stored[bisect_right(self.raw, place) - 1] for place in span)
        return start, end


def _placed(thread: ThreadRecord, places: _Places) -> ThreadRecord:
    comments = tuple(_at(comment, places) for comment in thread.comments)
    return replace(thread, comments=comments, span=places.of(thread.source))


def _at(comment: CommentRecord, places: _Places) -> CommentRecord:
    return replace(comment, span=places.of(comment.source))


def _articles(
    threads: list[ThreadRecord], title: str, subject: str, article: Article, hidden: Pseudonyms, rows: Rows
) -> None:
    for thread in threads:
        before = min(comment.time for comment in thread.comments)
        text = article(title, before)
        rows.add_article(
            thread.id,
            None if text is None else article_row(subject, None, None, hidden.links(normalize(text))),
            "no revision before the first comment",
        )


def article_row(subject: str, revision: int | None, time: int | None, text: str) -> dict[str, Any]:
    """A row of `articles`; the id follows from the revision, else from the text."""
    name = str(revision) if revision is not None else long_hash(text, b"articles are public")
    return {"id": f"{subject}@{name}", "subject": subject, "revision": revision, "time": time, "text": text}
