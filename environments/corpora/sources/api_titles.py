"""Which pages a build reads from an API: titles, prefixes, categories, or all talk pages of a wiki."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

from folkmoot.environments.corpora.sources.api_client import Api
from folkmoot.environments.corpora.sources.api_settings import ApiSettings
from folkmoot.environments.corpora.sources.api_site import CATEGORY, Site
from folkmoot.environments.corpora.sources.base import USER
from folkmoot.environments.corpora.sources.registry import Request
from folkmoot.sim.errors import CorpusError

ILLEGAL = frozenset("|#<>[]{}\n\t\x7f")
"""Characters that no title holds; a "|" would ask for another page."""

LIST_LIMIT = "500"
LONGEST_TITLE = 512
"""Bytes: 255 of a title and a namespace's name."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Titles to ask for, in order.

    A plain title means its talk page (a user's page means itself), one of a category the talk pages of its members,
    one that ends in * all talk pages that begin so; @FILE means the titles in a file, as they stand.
    """

    api: Api
    site: Site
    request: Request
    settings: ApiSettings
    losses: Counter[str]

    def titles(self) -> Iterator[str]:
        """Each title once; what can't be a title is counted.

        Raises:
            CorpusError: a file of titles can't be read, or the wiki can't.
        """
        seen: set[str] = set()
        for title in self._all():
            key = normalize("NFC", title.replace("_", " ").strip())
            if key in seen:
                self.losses["titles asked for twice"] += 1
            elif not key or len(key.encode()) > LONGEST_TITLE or not ILLEGAL.isdisjoint(key):
                self.losses["titles that no page can have"] += 1
            else:
                seen.add(key)
                yield key

    def _all(self) -> Iterator[str]:
        given = [*self.request.pages]
        if self.settings.prefix is not None:
            given.append(f"{self.settings.prefix}*")
        if self.settings.category is not None:
            number, bare = self.site.split(self.settings.category)
            name = self.site.namespaces.get(CATEGORY, ("Category",))[0]
            given.append(f"{name}:{bare}" if number != CATEGORY else self.settings.category)
        if self.settings.titles is not None:
            given.append(f"@{self.settings.titles}")
        for entry in given or ["*"]:
            yield from self._expanded(entry)

    def _expanded(self, entry: str) -> Iterator[str]:
        if entry.startswith("@"):
            for line in _read_titles(Path(entry[1:])):
                yield from self._talk(line)
        elif entry.endswith("*"):
            yield from self._beginning(entry[:-1])
        elif self.site.split(entry)[0] == CATEGORY:
            yield from self._members(entry)
        else:
            yield from self._talk(entry)

    def _talk(self, title: str) -> Iterator[str]:
        number, _ = self.site.split(title)
        talk = title if number == USER else self.site.talk_title(title)
        if talk is None:
            self.losses["pages that have no talk page"] += 1
        else:
            yield talk

    def _beginning(self, prefix: str) -> Iterator[str]:
        """Talk pages by prefix, in one namespace if the prefix names one, else in all that are wanted."""
        number, bare = self.site.split(prefix)
        talk = {number if number % 2 else number + 1} if number > 0 else self.request.namespaces - {USER}
        for namespace in sorted(talk):
            asked = {"list": "allpages", "apnamespace": str(namespace), "aplimit": LIST_LIMIT}
            if bare:
                asked["apprefix"] = bare
            for answer, _ in self.api.query(asked):
                yield from (page.title for page in answer.allpages)

    def _members(self, category: str) -> Iterator[str]:
        asked = {"list": "categorymembers", "cmtitle": category, "cmlimit": LIST_LIMIT, "cmtype": "page|subcat|file"}
        for answer, _ in self.api.query(asked):
            for member in answer.categorymembers:
                if member.ns == CATEGORY:
                    self.losses["categories within a category (not followed)"] += 1
                else:
                    yield from self._talk(member.title)


def _read_titles(path: Path) -> Iterator[str]:
    """Titles in a file, without empty lines and remarks.

    Raises:
        CorpusError: not there, or not text.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"file of titles {path} can't be read ({error}); one title a line, in UTF-8") from error
    yield from (line.strip() for line in lines if line.strip() and not line.startswith("#"))
