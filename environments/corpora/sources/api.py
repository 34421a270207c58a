"""Pages of a running wiki, through MediaWiki's API.

A page's key is its id on the wiki: a number, as the store may hold no name. A build that goes on asks for the earlier
pages again, because only their text tells whose user pages are wanted, and hands over what follows its key.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from folkmoot.environments.corpora.sources.api_answers import PageAnswer
from folkmoot.environments.corpora.sources.api_client import Api
from folkmoot.environments.corpora.sources.api_settings import ApiSettings, read_settings
from folkmoot.environments.corpora.sources.api_site import Site, fetch, fetch_before, read_site
from folkmoot.environments.corpora.sources.api_titles import Wanted
from folkmoot.environments.corpora.sources.base import USER, SourcePage
from folkmoot.environments.corpora.sources.registry import Request
from folkmoot.environments.talk_page.wikitext.language import load_language
from folkmoot.environments.talk_page.wikitext.names import is_address
from folkmoot.environments.talk_page.wikitext.parse import parse_page
from folkmoot.sim.errors import CorpusError

NO_ANSWER = "titles that the wiki gave no answer to"


def open_api(request: Request) -> "ApiSource":
    """A wiki by the address of its api.php; it is asked at once what wiki it is.

    Raises:
        ConfigError: an option is wrong.
        CorpusError: no wiki answers there.
    """
    settings = read_settings(request.options)
    return ApiSource(Api(request.value, settings), request, settings)


class ApiSource:
    """Talk pages of a wiki and, behind them, the user pages of those who signed on them (a `WikiSource`).

    Attributes:
        losses: what was passed over, by reason.
        namespaces: number -> names, the wiki's own first.
        offers_articles: whether a build asks for articles.
    """

    def __init__(self, api: Api, request: Request, settings: ApiSettings) -> None:
        self._api, self._request, self._settings = api, request, settings
        self._site: Site = read_site(api)
        self._done = self._total = 0
        self.offers_articles = settings.articles
        self.name = self._site.name
        self.language = request.language or self._site.language.partition("-")[0] or None
        self.namespaces = self._site.namespaces
        self.losses: Counter[str] = Counter()

    def position(self) -> tuple[int, int]:
        """Titles asked for, of how many; 0: nobody knows before the lists are read."""
        return self._done, self._total

    def article(self, title: str, before: int) -> str | None:
        """Wikitext of an article before an instant (ms); a talk page's title stands for what it talks about.

        Raises:
            CorpusError: the wiki can't be read.
        """
        number, bare = self._site.split(title)
        if number > 0 and number % 2:
            subject = self._site.namespaces.get(number - 1, ("",))[0]
            title = f"{subject}:{bare}" if subject else bare
        return fetch_before(self._api, title, before)

    def pages(self, after: str | None = None) -> Iterator[SourcePage]:
        """Talk pages, then user pages, from the one behind `after` on.

        Raises:
            CorpusError: the wiki can't be read, or `after` isn't among the pages any more.
        """
        self.losses.clear()
        found = after is None
        for page in self._pages():
            if found:
                yield page
            elif page.key == after:
                found = True
                self.losses.clear()
        if not found:
            raise CorpusError(
                f"{self._api.url}: the page with id {after}, behind which to go on, isn't among the pages any more; "
                "build again in another folder"
            )

    def _pages(self) -> Iterator[SourcePage]:
        authors: dict[str, None] = {}
        wanted = Wanted(self._api, self._site, self._request, self._settings, self.losses)
        seen: set[int] = set()
        self._done, self._total = 0, len(self._request.pages) if _plain(self._request, self._settings) else 0
        for page in self._fetched(wanted.titles(), seen):
            yield page
            if self._users_wanted and page.namespace != USER:
                authors.update(dict.fromkeys(self._authors(page.text)))
        prefix = self._site.namespaces.get(USER, ("User",))[0]
        self._total = self._done + len(authors)
        yield from self._fetched((f"{prefix}:{name}" for name in authors), seen, users=True)

    @property
    def _users_wanted(self) -> bool:
        return self._settings.users and USER in self._request.namespaces

    def _authors(self, text: str) -> Iterable[str]:
        """Those who signed in a text, who may have a user page: no addresses."""
        parsed = parse_page(text, load_language(self.language or ""))
        return (c.author for c in parsed.comments() if c.author and not is_address(c.author))

    def _fetched(self, titles: Iterator[str], seen: set[int], *, users: bool = False) -> Iterator[SourcePage]:
        while batch := list(islice(titles, self._settings.batch)):
            for _, answer in fetch(self._api, batch):
                self._done += 1
                page = self._checked(answer, seen, users=users)
                if page is not None:
                    yield page

    def _checked(self, answer: PageAnswer | None, seen: set[int], *, users: bool) -> SourcePage | None:
        reason = NO_ANSWER if answer is None else _fault(answer, users=users)
        if reason is None and answer is not None and answer.pageid in seen:
            reason = "titles that lead to a page that was read already"
        if reason is not None or answer is None or answer.pageid is None:
            self.losses[reason or NO_ANSWER] += 1
            return None
        seen.add(answer.pageid)
        last = answer.revisions[0]
        return SourcePage(str(answer.pageid), answer.title, answer.ns, last.main.content or "", last.time, last.revid)


def _plain(request: Request, settings: ApiSettings) -> bool:
    """Whether the titles given are all that is asked for, without any list to be read first."""
    lists = (settings.titles, settings.prefix, settings.category)
    return all(each is None for each in lists) and not any(t.startswith("@") or t.endswith("*") for t in request.pages)


def _fault(answer: PageAnswer, *, users: bool) -> str | None:
    """Why a page can't be taken; None where it can."""
    last = answer.revisions[0].main if answer.revisions else None
    faults = {
        "titles that no page can have": answer.invalid or answer.special,
        "authors without a user page" if users else "pages that don't exist": answer.missing,
        "pages whose text is hidden": last is None or last.content is None,
        "pages that aren't wikitext": last is not None and last.contentmodel != "wikitext",
        "user pages that lead elsewhere": users and answer.ns != USER,
        "pages that aren't talk pages": answer.ns != USER and answer.ns % 2 == 0,
    }
    return next((reason for reason, true in faults.items() if true), None)
