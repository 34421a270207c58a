"""A wiki by its API: its language, its namespaces, and its pages at their current revision or an earlier one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from folkmoot.environments.corpora.sources.api_answers import PageAnswer, Query, Renamed
from folkmoot.environments.corpora.sources.api_client import Api
from folkmoot.sim.errors import CorpusError

CONTENT = {"prop": "revisions", "rvprop": "ids|timestamp|content", "rvslots": "main", "redirects": "1"}
MAIN, CATEGORY = 0, 14


@dataclass(frozen=True, slots=True)
class Site:
    """What a wiki says of itself; `namespaces` as number -> names, the wiki's own first."""

    name: str
    language: str
    namespaces: Mapping[int, tuple[str, ...]]

    def split(self, title: str) -> tuple[int, str]:
        """Number of the namespace and the bare title.

        >>> Site("w", "de", {0: ("",), 1: ("Diskussion", "Talk")}).split("talk:_Mühle")
        (1, 'Mühle')
        """
        plain = title.replace("_", " ").strip().removeprefix(":")
        prefix, colon, rest = plain.partition(":")
        wanted = " ".join(prefix.split()).casefold()
        for number, names in self.namespaces.items():
            if colon and wanted and wanted in {name.casefold() for name in names}:
                return number, rest.strip()
        return MAIN, plain.strip()

    def talk_title(self, title: str) -> str | None:
        """The talk page of a title: itself if it is one; None where the namespace has no talk pages."""
        number, bare = self.split(title)
        if number % 2 and number > 0:
            return title
        name = self.namespaces.get(number + 1, ("",))[0]
        return f"{name}:{bare}" if number >= 0 and name and bare else None


def read_site(api: Api) -> Site:
    """What the wiki says of itself.

    Raises:
        CorpusError: it isn't a MediaWiki, or not to be had.
    """
    asked = {"meta": "siteinfo", "siprop": "general|namespaces|namespacealiases"}
    for answer, _ in api.query(asked):
        if answer.general is not None and answer.namespaces:
            return Site(answer.general.wikiid or answer.general.sitename, answer.general.lang, _namespaces(answer))
    raise CorpusError(f"{api.url} doesn't say what wiki it is; name the address of MediaWiki's api.php")


def _namespaces(answer: Query) -> dict[int, tuple[str, ...]]:
    names: dict[int, list[str]] = {}
    for space in answer.namespaces.values():
        names[space.id] = [name for name in (space.name, space.canonical) if name or space.id == MAIN]
    for alias in answer.namespacealiases:
        names.setdefault(alias.id, []).append(alias.alias)
    return {number: tuple(dict.fromkeys(found)) for number, found in sorted(names.items())}


def fetch(api: Api, titles: Sequence[str]) -> Iterator[tuple[str, PageAnswer | None]]:
    """Title asked for -> its page at the current revision, behind redirects; None where the wiki gave none.

    Raises:
        CorpusError: the wiki can't be read.
    """
    pages: dict[str, PageAnswer] = {}
    moves: dict[str, str] = {}
    for answer, _ in api.query({**CONTENT, "titles": "|".join(titles)}):
        for page in answer.pages:
            if page.revisions or page.title not in pages:
                pages[page.title] = page
        moves |= _moves([*answer.normalized, *answer.converted, *answer.redirects])
    for title in titles:
        yield title, pages.get(_end(title, moves))


def _moves(renamed: Sequence[Renamed]) -> dict[str, str]:
    return {move.source: move.target for move in renamed}


def _end(title: str, moves: Mapping[str, str]) -> str:
    """Where a title leads to; a ring of redirects leads back to where it began."""
    for _ in range(len(moves)):
        if title not in moves:
            return title
        title = moves[title]
    return title


def fetch_before(api: Api, title: str, before: int) -> str | None:
    """Wikitext of a page at its last revision before an instant (ms); None where there is none that can be read.

    Raises:
        CorpusError: the wiki can't be read.
    """
    instant = datetime.fromtimestamp((before - 1) // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    asked = {**CONTENT, "titles": title, "rvstart": instant, "rvdir": "older", "rvlimit": "1"}
    for answer, _ in api.query(asked):
        found = [page for page in answer.pages if page.revisions]
        if found:
            slot = found[0].revisions[0].main
            return slot.content if slot.contentmodel == "wikitext" else None
        if answer.pages:
            return None
    return None
