"""From parsed pages to the events of a corpus; names become pseudonyms here and nowhere later."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from folkmoot.environments.corpora.base import Page
from folkmoot.environments.corpora.normalize import without_decoration
from folkmoot.environments.corpora.ordinary import ordinary_spellings
from folkmoot.environments.corpora.pseudonyms import Pseudonyms, keyed_hash
from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.environments.talk_page.wikitext.clean import words
from folkmoot.environments.talk_page.wikitext.language import Language
from folkmoot.environments.talk_page.wikitext.parse import ParsedComment, ParsedPage, ParsedThread
from folkmoot.environments.talk_page.wikitext.signatures import find_user_links, signature_labels
from folkmoot.sim.events import Event, encode
from folkmoot.sim.persona import Persona

LONG_TURN = 1000
"""Words; longer comments are kept and counted (the paper drops threads that hold one)."""

UNDATED_THREADS = "threads without any date"
UNDATED_COMMENTS = "comments in threads without any date"


@dataclass(frozen=True, slots=True)
class RawPage:
    """A page as read from its source: `title` is the source's, names and all; `id` "" makes one of the title."""

    title: str
    text: str
    parsed: ParsedPage
    article: str = ""
    id: str = ""


@dataclass(slots=True)
class Builder:
    """Collects the events of a community, page by page."""

    community: str
    language: Language
    salt: bytes
    names: Pseudonyms
    events: list[ThreadOpened | CommentPosted] = field(default_factory=list)
    pages: dict[str, Page] = field(default_factory=dict)
    losses: Counter[str] = field(default_factory=Counter)

    def add(self, page: RawPage) -> None:
        """All threads of a page; `losses` grows by what it lost."""
        title = self.names.title(page.title)
        self.pages[title] = Page(title, self.names.links(page.article))
        self.losses.update(page.parsed.losses)
        page_id = page.id or keyed_hash(page.title, self.salt)
        for thread in read_threads(page.parsed, page_id, title, self.names, self.losses):
            self.events.extend(thread.events(self.community, self.language.code, len(self.events)))


def read_threads(
    page: ParsedPage, page_id: str, title: str, names: Pseudonyms, losses: Counter[str]
) -> Iterator[ThreadRecord]:
    """The threads of a page that hold a date, names replaced; `losses` grows by the others and by what is doubtful."""
    index = 0
    for number, thread in enumerate(page.threads):
        times = times_of([comment.time for comment in thread.comments])
        if times is None:
            losses[UNDATED_THREADS] += 1
            losses[UNDATED_COMMENTS] += len(thread.comments)
        else:
            present = present_in(thread)
            comments = tuple(
                _comment(comment, time, f"{page_id}#{index + position}", names, present, losses)
                for position, (comment, time) in enumerate(zip(thread.comments, times, strict=True))
            )
            heading = names.text(thread.title, present)
            source = (thread.start, thread.end)
            yield ThreadRecord(f"{page_id}-{number}", title, page_id, number, heading, comments, source)
        index += len(thread.comments)


def present_in(thread: ParsedThread) -> frozenset[str]:
    """Who writes in a thread, by name: a word that is a name too means its user there, if it addresses somebody."""
    return frozenset(comment.author for comment in thread.comments if comment.author)


def _comment(
    comment: ParsedComment, time: int, name: str, names: Pseudonyms, present: frozenset[str], losses: Counter[str]
) -> CommentRecord:
    text, mentions = names.read(without_decoration(comment.text), present)
    actor = names.of(comment.author)
    losses["comments over 1,000 words (kept)"] += words(text) > LONG_TURN
    losses["comments without a date (kept with a neighbour's)"] += comment.time is None
    losses["comments without text (kept)"] += not text
    return CommentRecord(
        id=name,
        actor=actor,
        time=time,
        dated=comment.time is not None,
        parent=comment.parent,
        by=comment.by,
        text=text,
        mentions=tuple(name for name in mentions if name != actor),
        source=(comment.start, comment.end),
    )


def times_of(given: Sequence[int | None]) -> list[int] | None:
    """A time for each: its own, else that of the one before, else of the next that has one; None if none has one."""
    known = next((time for time in given if time is not None), None)
    if known is None:
        return None
    times = []
    for time in given:
        known = time if time is not None else known
        times.append(known)
    return times


def words_too(pages: Iterable[ParsedPage], names: Pseudonyms) -> frozenset[str]:
    """Spellings of users that these pages use as ordinary words (the rule stands in `ordinary.py`)."""
    threads = (thread for page in pages for thread in page.threads)
    texts = ((present_in(thread), [comment.text for comment in thread.comments]) for thread in threads)
    return ordinary_spellings(texts, names.book, names.language)


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


def digest(
    events: Iterable[Event],
    pages: Mapping[str, Page],
    personas: Iterable[Persona] = (),
    articles: Mapping[str, str] | None = None,
) -> str:
    """Content hash of a corpus, 32 hex digits: events in order, articles by title, personas by id, articles by thread.

    `articles` adds nothing where there are none, so that it is the same as of a corpus that can't have any.
    """
    whole = blake2b(digest_size=16)
    for event in events:
        whole.update(encode(event) + b"\n")
    for title in sorted(pages):
        whole.update(f"{title}\0{pages[title].article}\0".encode())
    for persona in sorted(personas, key=lambda persona: persona.id):
        whole.update(persona.model_dump_json().encode())
    for thread, article in sorted((articles or {}).items()):
        whole.update(f"\0{thread}\0{article}\0".encode())
    return whole.hexdigest()
