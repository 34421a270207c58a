"""One web address: ask it, and get bytes within bounds, or a reason."""

import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit, urlunsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from folkmoot.sim.errors import CorpusError

MOST_BYTES = 64 << 20
"""Bytes of an unpacked answer; MediaWiki's own bound is 8 MiB."""

LONG = 1_500
"""Characters of parameters that still go into an address; longer ones are posted."""

BUSY = frozenset({429, 503})
SHAKY = frozenset({408, 500, 502, 504})


class Busy(CorpusError):
    """The server asks to come back later, after `seconds` if it names a time."""

    def __init__(self, message: str, seconds: float | None) -> None:
        super().__init__(message)
        self.seconds = seconds


class Lost(CorpusError):
    """The connection failed in a way that another try may mend."""


class Web:
    """An http or https address; redirects are followed, never from https to http, and no other scheme is opened.

    Args:
        url: the address.
        agent: what we call ourselves.
        timeout: seconds without a byte.

    Raises:
        CorpusError: not an address of the web.
    """

    def __init__(self, url: str, agent: str, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise CorpusError(f"{url!r} isn't an address of the web; it must look like https://SOME.WIKI/w/api.php")
        if parts.username or parts.password:
            raise CorpusError(f"{parts.hostname}: leave name and password out of the address; it is written down")
        self.url = urlunsplit((parts.scheme, parts.netloc, parts.path or "/", "", ""))
        self.retry_after: float | None = None
        self._headers = {"User-Agent": agent, "Accept-Encoding": "gzip", "Accept": "application/json"}
        self._timeout = timeout
        self._opener = _opener()

    def ask(self, parameters: Mapping[str, str]) -> bytes:
        """The answer's body, unpacked.

        Raises:
            Busy: the server asks to wait.
            Lost: no connection, a time-out, an answer cut short, a fault of the server.
            CorpusError: anything else.
        """
        try:
            with self._opener.open(self._request(urlencode(parameters)), timeout=self._timeout) as response:
                return self._body(response, follow=len(urlencode(parameters)) <= LONG)
        except HTTPError as error:
            with error:
                raise self._refused(error) from error
        except (URLError, HTTPException, OSError, zlib.error) as error:
            raise self._lost(error) from error

    def _request(self, query: str) -> Request:
        if len(query) > LONG:
            return Request(self.url, query.encode("ascii"), self._headers)  # noqa: S310 -- checked in __init__
        return Request(f"{self.url}?{query}", headers=self._headers)  # noqa: S310 -- checked in __init__

    def _body(self, response: HTTPResponse, *, follow: bool) -> bytes:
        self.retry_after = _seconds(response.headers)
        raw = _bounded(response, self.url)
        if follow:
            parts = urlsplit(response.geturl())
            self.url = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
        return raw

    def _refused(self, error: HTTPError) -> CorpusError:
        said = f"{self.url} answers {error.code} {error.reason!r}"
        if error.code in BUSY:
            return Busy(said, _seconds(error.headers))
        if error.code in SHAKY:
            return Lost(said)
        if error.code in {401, 403}:
            return CorpusError(f"{said}; say who you are with the option contact=you@example.org, or use a dump")
        return CorpusError(f"{said}; name the address of api.php, often https://SOME.WIKI/w/api.php")

    def _lost(self, error: Exception) -> CorpusError:
        reason = getattr(error, "reason", None) or error
        if "CERTIFICATE_VERIFY_FAILED" in str(reason):
            return CorpusError(f"{self.url}: its certificate can't be trusted ({reason}); check the address")
        return Lost(f"{self.url} can't be reached ({type(error).__name__}: {reason})")


class _Redirects(HTTPRedirectHandler):
    """Follows redirects to the web only, and never to an unsafe connection."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        schemes = {"https"} if req.full_url.startswith("https:") else {"http", "https"}
        if urlsplit(newurl).scheme not in schemes:
            raise CorpusError(f"{req.full_url.partition('?')[0]} redirects to {newurl[:200]!r}; that isn't followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> OpenerDirector:
    """The web's schemes only: the usual opener would read files too."""
    opener = OpenerDirector()
    handlers = (ProxyHandler, HTTPHandler, HTTPSHandler, HTTPDefaultErrorHandler, _Redirects, HTTPErrorProcessor)
    for handler in handlers:
        opener.add_handler(handler())
    return opener


def _bounded(response: HTTPResponse, url: str) -> bytes:
    """The body, unpacked; no more than the bound is ever in memory."""
    packed = response.headers.get("Content-Encoding", "").lower() in {"gzip", "x-gzip"}
    unpack = zlib.decompressobj(wbits=31) if packed else None
    pieces, size = [], 0
    while block := response.read(1 << 16):
        pieces.append(block if unpack is None else unpack.decompress(block, MOST_BYTES + 1 - size))
        size += len(pieces[-1])
        if size > MOST_BYTES:
            raise CorpusError(f"{url} answers with more than {MOST_BYTES:,} bytes; ask for fewer pages with batch=")
    if (unpack is not None and not unpack.eof) or response.length:
        raise Lost(f"{url}: the answer was cut short after {size:,} bytes")
    return b"".join(pieces)


def _seconds(headers: Message) -> float | None:
    """Retry-After in seconds from now; None where it isn't there or can't be read."""
    value = headers.get("Retry-After")
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value.strip()[:9])
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
