"""Each thread's article: its text at the last revision before the thread's first comment."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, groupby

from folkmoot.environments.corpora.normalize import normalize
from folkmoot.environments.corpora.pipeline.context import StageContext
from folkmoot.environments.corpora.pipeline.pages import article_row
from folkmoot.environments.corpora.pipeline.rows import long_hash
from folkmoot.environments.corpora.pipeline.wanted import NOWHERE, TOO_LATE, Instants, Wanted
from folkmoot.environments.corpora.pseudonyms import Pseudonyms
from folkmoot.environments.corpora.sources.base import (
    HistorySource,
    SourcePage,
    ThreadSource,
    offers_articles,
    position_of,
)
from folkmoot.environments.corpora.sources.registry import Request, Source, open_source
from folkmoot.environments.corpora.store import StageRecord, Store
from folkmoot.environments.corpora.store.manifest import tally
from folkmoot.environments.corpora.store.tables import Row
from folkmoot.sim.errors import ConfigError, CorpusError

ARTICLE = 0
"""Number of the namespace of articles."""

REASONS = {
    NOWHERE: "the article isn't in the source, or the page isn't about one",
    TOO_LATE: "no revision before the first comment",
}
NO_SOURCE = "no source of articles (--articles HISTORY names one)"


def add_articles(store: Store, context: StageContext) -> StageRecord:
    """Write `articles` and `thread_articles`; a thread without one is kept, with the reason, and counted.

    A source that gave articles page by page has written both tables already; then they are only counted.
    """
    pages = store.manifest.stage("pages")
    if pages is None or not pages.facts.get("articles"):
        history = _history(context)
        if history is None:
            store.write("thread_articles", _none(store))
        else:
            wanted, matcher = Wanted(store), _Matcher(context)
            store.write("articles", matcher.match(wanted, history))
            store.write("thread_articles", _linked(store, wanted, matcher.ids))
    reasons = Counter(row["reason"] or "" for row in store.rows("thread_articles", ["reason"]))
    kept = reasons.pop("", 0)
    return StageRecord(name="articles", counts={"articles of threads": tally(kept, reasons)})


def open_articles(given: str, language: str | None = None) -> HistorySource:
    """The source that `--articles` names.

    Raises:
        ConfigError, CorpusError: see `open_source`; or it holds no revisions.
    """
    source = open_source(given, Request("", language, frozenset({ARTICLE})))
    if not isinstance(source, HistorySource):
        raise CorpusError(f"--articles {given!r} holds no revisions; give a pages-meta-history dump")
    return source


def check_articles(given: str | None, source: Source) -> None:
    """Make sure that articles don't come from two places.

    Raises:
        ConfigError: `--articles` beside a source that brings articles itself.
    """
    if given is not None and (isinstance(source, ThreadSource) or offers_articles(source)):
        raise ConfigError(
            f"--articles {given!r}: {source.name} gives the articles of its threads itself; leave --articles out to "
            "take those, or build from a source without (a dump, a wiki's API with --option articles=false)"
        )


def _history(context: StageContext) -> HistorySource | None:
    """Where revisions come from: `--articles`, else the source if it was seen to be a history."""
    given = context.settings.articles
    if given is not None:
        return open_articles(given, context.page.language.code)
    return context.source if context.history and isinstance(context.source, HistorySource) else None


def _none(store: Store) -> Iterator[Row]:
    for row in store.rows("threads", ["id"]):
        yield {"thread": row["id"], "article": None, "reason": NO_SOURCE}


def _linked(store: Store, wanted: Wanted, ids: list[str]) -> Iterator[Row]:
    for row, found in zip(store.rows("threads", ["id"]), wanted.revisions, strict=True):
        article = ids[found] if found >= 0 else None
        yield {"thread": row["id"], "article": article, "reason": None if article else REASONS[int(found)]}


@dataclass(slots=True)
class _Matcher:
    """Passes the revisions of a history once; `ids` are those of the articles written, in order."""

    context: StageContext
    ids: list[str] = field(default_factory=list)

    def match(self, wanted: Wanted, history: HistorySource) -> Iterator[Row]:
        """Rows of `articles`; `wanted` learns which thread goes with which."""
        hidden = Pseudonyms(self.context.page.salt, self.context.page.language)
        for _, revisions in groupby(history.revisions(), lambda page: page.key):
            first = next(revisions)
            self.context.tell(*position_of(history))
            instants = wanted.of(long_hash(first.title, self.context.page.salt))
            if instants is None:
                continue  # groupby reads over the rest
            for start, end, page in _before(instants, first, revisions):
                text = hidden.links(normalize(page.text))
                row = article_row(long_hash(page.title, self.context.page.salt), page.revision, page.time, text)
                wanted.assign(start, end, len(self.ids))
                self.ids.append(str(row["id"]))
                yield row


def _before(
    instants: Instants, first: SourcePage, later: Iterator[SourcePage]
) -> Iterator[tuple[int, int, SourcePage]]:
    """Each revision that was the last before some threads' first comments, with the range of those threads.

    One that claims to be older than the one before it in the export is passed over: it wasn't to be seen then.
    """
    held: SourcePage | None = None
    for page in chain([first], later):
        if page.time is None or (held is not None and page.time < (held.time or 0)):
            continue
        start, end = instants.until(page.time)
        if held is not None and start < end:
            yield start, end, held
        held = page
    start, end = instants.until(FOREVER)
    if held is not None and start < end:
        yield start, end, held


FOREVER = (1 << 63) - 1
