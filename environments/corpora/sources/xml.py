"""A MediaWiki export as a stream of revisions: bytes in, small records out; one revision's text in memory."""

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from folkmoot.sim.errors import CorpusError

Wanted = Callable[[int], bool]
"""Whether pages of a namespace are to be read."""

LONGEST_FIELD = 10_000
"""Characters of a title, a date or the like; what is behind them is cut off."""

_PAGE = b"<page>"
_END = b"</"
"""What expat has passed when it finds that an end tag is the wrong one."""

_CONTROL = bytes([*range(9), 11, 12, *range(14, 32)])
_INTEREST = frozenset({"title", "ns", "id", "timestamp", "model", "text", "dbname", "namespace"})


@dataclass(slots=True)
class Site:
    """What the head of an export says of its wiki; namespaces: number -> name."""

    language: str | None = None
    database: str | None = None
    namespaces: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Revision:
    """A revision of a page; `time` as the export spells it; `hidden`: its text was taken out of view by the wiki."""

    page: int
    title: str
    namespace: int
    redirect: bool = False
    id: int | None = None
    time: str = ""
    model: str = "wikitext"
    hidden: bool = False
    too_long: bool = False
    text: str = ""


@dataclass(slots=True)
class PageEnd:
    """Behind the last revision of a page; one that isn't whole has a fault in its XML: nothing of it is kept."""

    page: int
    title: str
    namespace: int
    whole: bool = True


Found = Revision | PageEnd


class ExportReader:
    """Reads an export that is fed to it block by block.

    Args:
        wanted: namespaces whose texts are read; of others only the ends of pages are told.
        max_chars: of a text; longer ones are cut off and marked.
    """

    def __init__(self, wanted: Wanted, max_chars: int) -> None:
        self.site = Site()
        self.controls = 0
        self.closed = False
        self._started = False
        self._wanted = wanted
        self._max = max_chars
        self._found: deque[Found] = deque()
        self._page: Revision | None = None
        self._revision: Revision | None = None
        self._stack: list[str] = []
        self._text: list[str] | None = None
        self._length = 0
        self._key = 0
        self._lost = b""
        self._before = b""
        self._seeking = False
        self._begin()

    @property
    def started(self) -> bool:
        """Whether anything of an export was seen."""
        return self._started

    @property
    def inside(self) -> bool:
        """Whether a page has begun and not ended."""
        return self._page is not None

    def feed(self, block: bytes) -> Iterator[Found]:
        """What ends in these bytes of UTF-8."""
        clean = block.translate(None, _CONTROL)
        if len(clean) < len(block):
            self.controls += len(block) - len(clean)
        self._feed(clean)
        while self._found:
            yield self._found.popleft()

    def _feed(self, block: bytes) -> None:
        while block:
            if self._seeking:
                block = self._seek(block)
                if not block:
                    return
            fed = self._fed
            self._fed += len(block)
            try:
                self._parser.Parse(block, False)  # noqa: FBT003 -- expat's signature
            except expat.ExpatError:
                at = self._parser.ErrorByteIndex - fed - len(_END)
                self._recover()
                self._lost = self._before[at:] if at < 0 else b""
                block = block[max(0, at) :]
            else:
                self._before = block[-len(_END) :]
                return

    def _begin(self) -> None:
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.buffer_size = 1 << 16
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = _refuse_dtd
        self._parser = parser
        self._fed = 0

    def _recover(self) -> None:
        """Give up the page that the fault is in, and look for the next one."""
        self._end_page(whole=False)
        self._revision = self._text = None
        self._stack.clear()
        self._seeking = True

    def _seek(self, block: bytes) -> bytes:
        """The bytes from the next page on, after a parser that takes them was begun; none if no page begins here."""
        block = self._lost + block
        at = block.find(_PAGE)
        if at < 0:
            self.closed = self.closed or b"</mediawiki>" in block
            self._lost = block[1 - len(b"</mediawiki>") :]
            return b""
        self._seeking, self._lost = False, b""
        self._begin()
        self._parser.Parse(b"<mediawiki>", False)  # noqa: FBT003
        self._fed = len(b"<mediawiki>")
        return block[at:]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._stack.append(name)
        if name == "page":
            self._end_page(whole=False)
            self._started = True
            self._page, self._revision = Revision(0, "", 0), None
        elif name == "revision" and self._page is not None:
            page = self._page
            self._revision = Revision(page.page, page.title, page.namespace, page.redirect)
        elif name == "redirect" and self._page is not None:
            self._page.redirect = True
        elif name == "mediawiki":
            self._started = True
            self.site.language = attributes.get("xml:lang", self.site.language)
        if name in _INTEREST:
            self._open(name, attributes)

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        if name == "namespace":
            self._key = int(attributes["key"]) if re.fullmatch(r"-?\d{1,6}", attributes.get("key", "")) else 0
        elif name == "text" and self._revision is not None:
            self._revision.hidden = "deleted" in attributes
            if not self._wanted(self._revision.namespace):
                return
        self._text, self._length = [], 0
        self._parser.CharacterDataHandler = self._characters

    def _characters(self, text: str) -> None:
        if self._text is None:
            return
        self._length += len(text)
        if self._length <= (self._max if self._stack[-1] == "text" else LONGEST_FIELD):
            self._text.append(text)
        elif self._revision is not None:
            self._revision.too_long = True

    def _end(self, name: str) -> None:
        self._stack.pop()
        text, self._text = self._text, None
        if text is not None:
            self._parser.CharacterDataHandler = None
            self._take(name, "".join(text))
        elif name == "revision" and self._revision is not None:
            self._found.append(self._revision)
            self._revision = None
        elif name == "page":
            self._end_page(whole=True)
        self.closed = not self._stack

    def _end_page(self, *, whole: bool) -> None:
        if self._page is not None:
            self._found.append(PageEnd(self._page.page, self._page.title, self._page.namespace, whole))
            self._page = None

    def _take(self, name: str, text: str) -> None:
        parent = self._stack[-1] if self._stack else ""
        if parent == "page" and self._page is not None:
            self._of_page(self._page, name, text)
        elif parent == "revision" and self._revision is not None:
            _of_revision(self._revision, name, text)
        elif name == "dbname":
            self.site.database = text.strip()
        elif name == "namespace":
            self.site.namespaces[self._key] = text.strip()

    def _of_page(self, page: Revision, name: str, text: str) -> None:
        if name == "title":
            page.title = text
            page.namespace = self._namespace(text)
        elif name == "ns" and re.fullmatch(r"-?\d{1,6}", text.strip()):
            page.namespace = int(text)
        elif name == "id" and text.strip().isdigit():
            page.page = int(text)

    def _namespace(self, title: str) -> int:
        """By the prefix: old exports tell no number."""
        prefix, colon, _ = title.partition(":")
        if not colon:
            return 0
        plain = prefix.replace("_", " ").strip().casefold()
        return next((n for n, name in self.site.namespaces.items() if name and name.casefold() == plain), 0)


def _of_revision(revision: Revision, name: str, text: str) -> None:
    if name == "text":
        revision.text = text
    elif name == "id" and text.strip().isdigit():
        revision.id = int(text)
    elif name == "timestamp":
        revision.time = text.strip()
    elif name == "model":
        revision.model = text.strip()


def _refuse_dtd(*_: object) -> None:
    raise CorpusError("the XML has a DTD: MediaWiki's exports have none, and entities can be an attack; take it out")
