"""MediaWiki XML exports: one file or the numbered parts of a dump, compressed or not."""

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from folkmoot.environments.corpora.sources.archives import BLOCK, DamagedInput, Stream, open_stream
from folkmoot.environments.corpora.sources.base import SourcePage
from folkmoot.environments.corpora.sources.identity import identity_of
from folkmoot.environments.corpora.sources.registry import Request
from folkmoot.environments.corpora.sources.xml import ExportReader, Found, PageEnd, Revision, Site
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.instants import from_iso

SUFFIXES = (".xml", ".bz2", ".gz", ".7z", ".zst", ".xz")
"""Files of a folder that are read as parts of a dump."""

DAMAGED = "damaged (not well-formed XML)"
CUT_OFF = "behind the point where the input is cut off (at least this one)"

_DECLARED = re.compile(rb"""^<\?xml[^>]{0,100}\sencoding=["']([A-Za-z0-9._-]{2,40})["']""")
_NUMBERS = re.compile(r"(\d+)")


class Dump:
    """An export as a source of pages, at their last revision, and of articles' revisions.

    Args:
        files: parts, in order.
        namespaces: those that `pages` hands over.
        max_chars: of a page.
        keep_damaged: whether a cut-off input ends the stream (counted) instead of raising.
    """

    offers_articles = False
    holds_history = False

    def __init__(
        self, files: Sequence[Path], namespaces: frozenset[int], max_chars: int, *, keep_damaged: bool = False
    ) -> None:
        self.files = tuple(files)
        self.losses: Counter[str] = Counter()
        self._wanted = namespaces
        self._max = max_chars
        self._keep_damaged = keep_damaged
        self._done = 0
        self._stream: Stream | None = None
        self.seen: Counter[int] = Counter()
        site = self._head()
        self._spaces = dict(site.namespaces)
        self.name = site.database or files[0].name.split("-")[0].split(".")[0]
        self.language: str | None = _language(site)
        self.namespaces = {number: (name,) for number, name in site.namespaces.items() if name}

    def pages(self, after: str | None = None) -> Iterator[SourcePage]:
        """Pages of the wanted namespaces that hold wikitext; the key is "part:page id".

        Raises:
            DamagedInput: the input is cut off or corrupt, and what is left isn't to be kept.
            CorpusError: no page of a wanted namespace in it, or `after` isn't in it.
        """
        waiting, given = after is not None, 0
        for key, page in self._pages():
            if waiting:
                waiting = key != after
                self.losses.clear()
                continue
            given += 1
            yield _source_page(key, page)
        if waiting:
            raise CorpusError(f"no page {after!r} in {self.name}, where the build was; it isn't the same dump")
        if not given and after is None:
            raise CorpusError(self._nothing())

    def article(self, title: str, before: int) -> None:
        """Nothing: a dump has no random access; see `revisions`."""
        del title, before

    def revisions(self) -> Iterator[SourcePage]:
        """All revisions of articles that have a text, as they come."""
        for number, path in enumerate(self.files):
            for found in self._found(path, frozenset({0})):
                if isinstance(found, Revision) and found.namespace == 0 and not (found.hidden or found.too_long):
                    yield _source_page(f"{number}:{found.page}", found)

    def position(self) -> tuple[int, int]:
        """Bytes of the files, as they lie on disk."""
        return self._done + (self._stream.position() if self._stream else 0), sum(f.stat().st_size for f in self.files)

    def identity(self) -> tuple[int, str]:
        """Bytes, and the SHA-256 of the file (of several: of their hashes, in order)."""
        return identity_of(self.files)

    def _pages(self) -> Iterator[tuple[str, Revision]]:
        """The last revision of each page that is wanted; the others are counted."""
        self._done = 0
        for number, path in enumerate(self.files):
            held: Revision | None = None
            for found in self._found(path, self._wanted):
                if isinstance(found, Revision):
                    self.holds_history |= held is not None and found.namespace == 0
                    held = found if held is None or (found.time, found.id or 0) >= (held.time, held.id or 0) else held
                    continue
                reason = self._passed_over(found, held)
                if reason:
                    self.losses[reason] += 1
                elif held is not None:
                    yield f"{number}:{found.page}", held
                held = None

    def _passed_over(self, page: PageEnd, held: Revision | None) -> str:
        """Why a page isn't handed over; "" if it is."""
        if not page.whole:
            return DAMAGED
        self.seen[page.namespace] += 1
        if page.namespace not in self._wanted:
            return f"in namespace {page.namespace}, not asked for"
        if held is None:
            return "without a revision"
        faults = {
            "redirects": held.redirect,
            "with a text hidden by the wiki": held.hidden,
            f"over {self._max:,} characters": held.too_long,
            "that aren't wikitext": held.model != "wikitext",
        }
        return next((reason for reason, found in faults.items() if found), "")

    def _found(self, path: Path, wanted: frozenset[int]) -> Iterator[Found]:
        """Revisions and ends of pages of a part."""
        reader = ExportReader(wanted.__contains__, self._max)
        reader.site.namespaces.update(self._spaces)
        with open_stream(path) as stream:
            self._stream = stream
            try:
                for block in _utf8(stream):
                    yield from reader.feed(block)
                _check_end(path, reader)
            except DamagedInput:
                if not self._keep_damaged:
                    raise
                self.losses[CUT_OFF] += 1
            finally:
                self._stream = None
                self._done += stream.size

    def _head(self) -> Site:
        """What the first part says of its wiki.

        Raises:
            CorpusError: it isn't an export.
        """
        reader, empty = ExportReader(frozenset[int]().__contains__, 0), True
        with open_stream(self.files[0]) as stream:
            for block in _utf8(stream):
                empty = False
                if any(True for _ in reader.feed(block)) or reader.site.namespaces or stream.position() > HEAD:
                    break
        if empty:
            raise CorpusError(
                f"{self.files[0].name} is an archive with an empty file or none in it; get the file again"
            )
        if not reader.started:
            kind = self.files[0].suffix.lower()
            named = f" nor a {kind} archive, whatever its name says" if kind not in {".xml", ""} else ""
            raise CorpusError(
                f"{self.files[0].name} isn't a MediaWiki export{named}: it doesn't begin with <mediawiki> or <page>; "
                "give a pages-meta-current or -history dump (.xml, .bz2, .gz, .xz, .zst, .7z) or a folder of wikitext"
            )
        return reader.site

    def _nothing(self) -> str:
        seen = ", ".join(f"{number}: {count}" for number, count in sorted(self.seen.items())) or "none"
        wanted = ", ".join(map(str, sorted(self._wanted)))
        dropped = "".join(f"; {reason}: {count}" for reason, count in sorted(self.losses.items()))
        return (
            f"{self.name}: no wikitext in namespaces {wanted} (pages by namespace: {seen}{dropped}). "
            "Talk pages are in pages-meta-current dumps, not in pages-articles; --namespaces chooses others"
        )


HEAD = 1 << 20
"""Bytes of the file in which an export must show its head."""


def open_dump(request: Request) -> Dump:
    """The dump of a path: a file, or a folder that holds the parts of one.

    Raises:
        CorpusError: nothing there, or no export.
    """
    path = Path(request.value).expanduser()
    if path.is_dir():
        files = sorted((f for f in path.iterdir() if f.suffix.lower() in SUFFIXES and f.is_file()), key=_natural)
        if not files:
            raise CorpusError(f"folder {path} holds no dump ({', '.join(SUFFIXES)}) and no page of wikitext")
    elif path.is_file():
        files = [path]
    else:
        raise CorpusError(f"no file or folder at {path}; --from names a dump, a folder, or SCHEME:REST")
    return Dump(files, request.namespaces, request.max_page_chars, keep_damaged=request.keep_damaged)


def _natural(path: Path) -> list[tuple[int, str]]:
    """Part 10 comes after part 9."""
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in _NUMBERS.split(path.name)]


def _utf8(stream: Stream) -> Iterator[bytes]:
    """The stream in UTF-8, whatever the export is written in."""
    block = stream.read(BLOCK)
    encoding = _encoding(block)
    if encoding == "utf-8":
        while block:
            yield block
            block = stream.read(BLOCK)
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    while block:
        yield decoder.decode(block).encode()
        block = stream.read(BLOCK)


def _encoding(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head[:2] in {b"<\x00", b"\x00<"}:
        return "utf-16-le" if head[:1] == b"<" else "utf-16-be"
    declared = _DECLARED.match(head.removeprefix(codecs.BOM_UTF8))
    if declared is None:
        return "utf-8"
    name = declared[1].decode()
    try:
        return codecs.lookup(name).name
    except LookupError as error:
        raise CorpusError(f"the export says its encoding is {name!r}, an unknown one; convert it to UTF-8") from error


def _check_end(path: Path, reader: ExportReader) -> None:
    if not reader.closed:
        inside = "inside a page" if reader.inside else "between pages"
        raise DamagedInput(
            f"{path.name} is cut off {inside}: no </mediawiki> at its end; get the file again and compare its checksum"
        )


def _source_page(key: str, revision: Revision) -> SourcePage:
    return SourcePage(
        key=key,
        title=revision.title,
        namespace=revision.namespace,
        text=revision.text,
        time=_milliseconds(revision.time),
        revision=revision.id,
    )


def _milliseconds(time: str) -> int | None:
    with suppress(ValueError):
        return from_iso(time)
    return None


def _language(site: Site) -> str | None:
    return site.language.split("-")[0].lower() if site.language else None
