"""What a MediaWiki's API answers (format=json, formatversion=2), as far as it is read here.

A server's answer is input from strangers: what isn't of these types is refused as a whole.
"""

from contextlib import suppress
from typing import Any

import msgspec

from folkmoot.sim.instants import from_iso


class Slot(msgspec.Struct):
    """Text of a revision; None where it is hidden."""

    content: str | None = None
    contentmodel: str = "wikitext"


class Revision(msgspec.Struct):
    """A revision; wikis before 1.32 know no slots and give `content` here."""

    revid: int | None = None
    timestamp: str = ""
    slots: dict[str, Slot] = {}
    content: str | None = None
    contentmodel: str = "wikitext"

    @property
    def main(self) -> Slot:
        """The page's own text."""
        return self.slots.get("main") or Slot(self.content, self.contentmodel)

    @property
    def time(self) -> int | None:
        """Ms since the epoch; None where unreadable."""
        with suppress(ValueError):
            return from_iso(self.timestamp)
        return None


class Listed(msgspec.Struct):
    """A page in a list."""

    title: str
    ns: int = 0


class PageAnswer(Listed):
    """A page asked for by title."""

    pageid: int | None = None
    missing: bool = False
    invalid: bool = False
    special: bool = False
    revisions: list[Revision] = []


class Renamed(msgspec.Struct, rename={"source": "from", "target": "to"}):
    """A title that stands for another one."""

    source: str
    target: str


class General(msgspec.Struct):
    """The wiki itself."""

    lang: str = ""
    sitename: str = ""
    wikiid: str = ""
    generator: str = ""


class Namespace(msgspec.Struct):
    """A namespace under its own name and its English one."""

    id: int
    name: str = ""
    canonical: str = ""


class Alias(msgspec.Struct):
    """A further name of a namespace."""

    id: int
    alias: str


class Query(msgspec.Struct):
    """The answer to action=query."""

    pages: list[PageAnswer] = []
    normalized: list[Renamed] = []
    converted: list[Renamed] = []
    redirects: list[Renamed] = []
    interwiki: list[dict[str, Any]] = []
    allpages: list[Listed] = []
    categorymembers: list[Listed] = []
    general: General | None = None
    namespaces: dict[str, Namespace] = {}
    namespacealiases: list[Alias] = []


class Failure(msgspec.Struct):
    """The API's own word that it won't."""

    code: str = ""
    info: str = ""


class Answer(msgspec.Struct, rename={"more": "continue"}):
    """One answer."""

    query: Query | None = None
    more: dict[str, str | int] = {}
    error: Failure | None = None
    batchcomplete: bool = False


_decoder = msgspec.json.Decoder(Answer)


def decode_answer(raw: bytes) -> Answer:
    """The answer in these bytes.

    Raises:
        msgspec.MsgspecError: not JSON, or of other types.
        RecursionError: nested deeper than any answer is.
    """
    return _decoder.decode(raw)
