"""User pages to profiles: those of people who write in the corpus, without the pages that say nothing."""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from folkmoot.environments.corpora.sources.base import USER
from folkmoot.environments.corpora.store import Store, StoredPage
from folkmoot.environments.corpora.store.tables import Row
from folkmoot.environments.corpora.userpages import why_not_relevant
from folkmoot.environments.talk_page.wikitext.clean import words
from folkmoot.sim.readings import PersonReader, ProfileReading, UserPage

TABLE = "profiles"
COLUMNS = {
    "id": "string",
    "reason": "string",  # "" where a profile was read
    "page_words": "int32",
    "profile": "string",
    "attributes": "string",  # JSON of `Attributes`
    "repaired": "bool",
    "notes": "texts",
}
"""Of `profiles`: one row a user who writes and has a page, in the order of the pages."""

BLOCK = 64
"""Pages that are looked through at once."""


def profile_rows(store: Store, people: Collection[str], reader: PersonReader, language: str) -> Iterator[Row]:
    """A row for each user page of these people; pages that say nothing cost no call."""
    pages = (page for page in store.pages([USER]) if page.owner in people)
    while block := list(islice(pages, BLOCK)):
        reasons = [why_not_relevant(page.text) for page in block]
        asked = [page for page, reason in zip(block, reasons, strict=True) if not reason]
        readings = reader.profiles(UserPage(page.owner or "", language, page.text) for page in asked)
        yield from _rows(block, reasons, readings)


def _rows(block: Iterable[StoredPage], reasons: Iterable[str], readings: Iterator[ProfileReading]) -> Iterator[Row]:
    for page, reason in zip(block, reasons, strict=True):
        reading = ProfileReading(page.owner or "", reason) if reason else next(readings)
        yield {
            "id": reading.user,
            "reason": reading.reason,
            "page_words": words(page.text),
            "profile": reading.profile,
            "attributes": reading.attributes.model_dump_json(),
            "repaired": reading.repaired,
            "notes": list(reading.notes),
        }
