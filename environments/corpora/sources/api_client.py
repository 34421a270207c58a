"""A polite client of a MediaWiki's API: one request at a time, waits when told to, and tries again.

Facts of the interface are those of MediaWiki's own pages "API:Etiquette", "Manual:Maxlag parameter" and "API:Continue".
"""

import time
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version

import msgspec

from folkmoot.environments.corpora.sources.api_answers import Answer, Query, decode_answer
from folkmoot.environments.corpora.sources.api_settings import ApiSettings
from folkmoot.environments.corpora.sources.web import Busy, Lost, Web
from folkmoot.sim.errors import CorpusError

WAITING = frozenset({"maxlag", "ratelimited", "readonly", "internal_api_error_DBQueryError"})
"""Codes of errors that pass by themselves."""

LONGEST_PAUSE = 60.0
"""Seconds between two tries, where the server names no time."""

MOST_CONTINUATIONS = 100_000
"""Answers to one query; a server that never ends is stopped here."""


class Api:
    """One wiki's api.php.

    Args:
        url: the address of api.php.
        settings: how politely to ask.
        pause: what waits, and `clock` what tells the seconds; for tests.

    Raises:
        CorpusError: each call says so when the wiki can't be read.
    """

    def __init__(
        self,
        url: str,
        settings: ApiSettings,
        pause: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        who = f"folkmoot/{version('folkmoot')} (corpus importer; {settings.contact or 'no contact given'})"
        self.web = Web(url, who, settings.timeout)
        self._settings = settings
        self._pause, self._clock = pause, clock
        self._next = 0.0
        self._reached = False

    @property
    def url(self) -> str:
        """Where the API is; the place it was redirected to, once known."""
        return self.web.url

    def query(self, parameters: Mapping[str, str]) -> Iterator[tuple[Query, bool]]:
        """All answers to a query, with the mark that ends a batch, until nothing is left to continue.

        Raises:
            CorpusError: what can't be had, with the address, what came, and the way out.
        """
        more: dict[str, str | int] = {}
        for _ in range(MOST_CONTINUATIONS):
            answer = self._call({"action": "query", **parameters, **{k: str(v) for k, v in more.items()}})
            yield answer.query or Query(), answer.batchcomplete or not answer.more
            if not answer.more:
                return
            if answer.more == more:
                raise CorpusError(
                    f"{self.url} continues a query with what it continued before ({more}); report it there"
                )
            more = answer.more
        raise CorpusError(f"{self.url} never ends a query ({MOST_CONTINUATIONS:,} answers); ask for fewer pages")

    def _call(self, parameters: Mapping[str, str]) -> Answer:
        """One answer, however long it takes within the bounds."""
        fixed = {"format": "json", "formatversion": "2", "maxlag": str(self._settings.maxlag)}
        waited, lost = 0.0, 0
        while True:
            self._in_turn()
            try:
                answer = self._read(self.web.ask({**parameters, **fixed}))
            except Lost as error:
                lost += 1
                if lost >= (self._settings.tries if self._reached else min(2, self._settings.tries)):
                    raise CorpusError(f"{error}; tried {lost} times: check the address and the connection") from error
                pause = min(2.0 ** (lost - 1), LONGEST_PAUSE)
            except Busy as error:
                pause = max(1.0, error.seconds if error.seconds is not None else min(2.0 + waited, LONGEST_PAUSE))
                if waited + pause > self._settings.patience:
                    raise CorpusError(self._impatient(error, waited, pause)) from error
            else:
                self._reached = True
                return answer
            waited += pause
            self._pause(pause)

    def _impatient(self, error: Exception, waited: float, pause: float) -> str:
        return (
            f"{error}; waited {waited:.0f} s and {pause:.0f} s more are asked for, which is over patience="
            f"{self._settings.patience:g}: go on later with the same command, or raise it"
        )

    def _in_turn(self) -> None:
        """Wait until the next request may start."""
        now = self._clock()
        if now < self._next:
            self._pause(self._next - now)
        self._next = max(now, self._next) + 1.0 / self._settings.rate

    def _read(self, raw: bytes) -> Answer:
        try:
            answer = decode_answer(raw)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise CorpusError(self._no_answer(raw, error)) from error
        if answer.error is None:
            return answer
        said = f"{self.url} answers {answer.error.code[:80]!r}: {answer.error.info[:300]!r}"
        if answer.error.code in WAITING:
            raise Busy(said, self.web.retry_after)
        if answer.error.code in {"readapidenied", "permissiondenied"}:
            raise CorpusError(f"{said}; this wiki is read by members only: build from a dump of it")
        raise CorpusError(f"{said}; if the wiki is older than MediaWiki 1.25, build from a dump of it")

    def _no_answer(self, raw: bytes, error: Exception) -> str:
        if b"<html" in raw[:2000].lower() or b"<!doctype" in raw[:2000].lower():
            return f"{self.url} gives a web page, not an API's answer; name the address of api.php, often /w/api.php"
        start = raw[:80].decode("utf-8", "replace")
        return f"{self.url} doesn't answer as MediaWiki's API does ({error}; it begins {start!r}); check the address"
