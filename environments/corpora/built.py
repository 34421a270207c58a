"""A built corpus as a community: the latest of its kept threads, its personas, its articles."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from folkmoot.environments.corpora.base import Corpus, Page
from folkmoot.environments.corpora.building import digest
from folkmoot.environments.corpora.built_feed import holds_feed, load_feed
from folkmoot.environments.corpora.records import ThreadRecord
from folkmoot.environments.corpora.store import Store, is_store
from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.sim.errors import CorpusError, did_you_mean

MAX_THREADS = 2_000
"""Threads that are loaded unless asked for more: tens of megabytes."""


def find_stores(path: Path, languages: Sequence[str] = (), *, damaged: bool = False) -> list[Store]:
    """The complete corpora of a folder: it is one itself, or holds several.

    Args:
        path: the folder of a corpus, or a folder of such folders.
        languages: ISO 639-1 codes; none: all.
        damaged: take those too whose tables aren't as the manifest says.

    Raises:
        CorpusError: no corpus there, none in one of these languages, or a damaged one.
    """
    folders = [path] if is_store(path) else sorted(f.parent for f in path.glob("*/manifest.json") if is_store(f.parent))
    if not folders:
        Store.open(path)  # says what is missing
    stores = [Store.open(folder, damaged=damaged) for folder in folders]
    known = {store.manifest.language for store in stores}
    for code in languages:
        if code not in known:
            raise CorpusError(f"{path} holds no corpus in {code!r}; {did_you_mean(code, known)}")
    return [store for store in stores if not languages or store.manifest.language in languages]


def load_built(path: Path | str, max_threads: int | None = MAX_THREADS) -> Corpus:
    """The community of a built corpus; one of timelines is a feed (`built_feed`).

    Personas are those of the store that write in the threads loaded; they bring no history of their own unless the
    source gave one, so the split by time gives it to them. A page's article is that of its latest thread.

    Args:
        path: the folder of the corpus.
        max_threads: at most so many of the kept threads, the latest; None: all, in memory.

    Raises:
        CorpusError: no complete corpus there, or no thread was kept.
    """
    store = Store.open(Path(path))
    if holds_feed(store):
        return load_feed(store, max_threads)
    chosen, left = _latest(store, max_threads)
    if not chosen:
        raise CorpusError(f"{path}: 0 threads were kept; see `folkmoot corpus stats {path}` for the reasons")
    threads = list(store.threads(only=chosen))
    manifest = store.manifest
    events = tuple(_events(threads, manifest.name, manifest.language))
    articles = thread_articles(store, chosen)
    pages = _pages(threads, articles)
    people = {event.actor for event in events}
    personas = {persona.id: persona for persona in store.personas() if persona.id in people}
    return Corpus(
        name=manifest.name,
        language=manifest.language,
        timezone=manifest.timezone,
        pages=pages,
        events=events,
        personas=personas,
        digest=digest(events, pages, personas.values(), articles),
        losses=+Counter({"older threads (corpus.max_threads)": left}),
        articles=articles,
        facts={"store": manifest.digest, "threads": len(threads), "users": len(people)},
        remembering=any(persona.history for persona in personas.values()),
    )


def _latest(store: Store, most: int | None) -> tuple[frozenset[str], int]:
    """Ids of the kept threads that opened last, and how many others were kept."""
    import numpy as np

    firsts: list[int] = []
    ids: list[str] = []
    for row, reason in zip(store.rows("threads", ["id", "first"]), store.reasons(), strict=True):
        if reason == "":
            ids.append(row["id"])
            firsts.append(row["first"])
    if most is None or len(ids) <= most:
        return frozenset(ids), 0
    order = np.argsort(np.array(firsts), kind="stable")[-most:]
    return frozenset(ids[place] for place in order), len(ids) - most


def _events(threads: Sequence[ThreadRecord], name: str, language: str) -> Iterator[ThreadOpened | CommentPosted]:
    first = 0
    for thread in threads:
        yield from thread.events(name, language, first)
        first += len(thread.comments)


def _pages(threads: Sequence[ThreadRecord], articles: Mapping[str, str]) -> dict[str, Page]:
    """By title, each with the article of its latest thread."""
    latest: dict[str, ThreadRecord] = {}
    for thread in threads:
        known = latest.setdefault(thread.page, thread)
        if thread.comments[0].time >= known.comments[0].time:
            latest[thread.page] = thread
    return {title: Page(title, articles.get(thread.id, "")) for title, thread in latest.items()}


def thread_articles(store: Store, threads: set[str] | frozenset[str]) -> dict[str, str]:
    """Thread -> text of its article before its first comment, for those of these threads that have one."""
    linked = store.rows("thread_articles", None, ("thread", threads))
    links = {row["thread"]: row["article"] for row in linked if row["article"] is not None}
    wanted = ("id", set(links.values()))
    texts = {row["id"]: row["text"] for row in store.rows("articles", ["id", "text"], wanted)}
    return {thread: texts[article] for thread, article in links.items()}
