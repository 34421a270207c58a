"""Raw Talk pages, one a file, as a source."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from folkmoot.environments.corpora.reading import SUFFIXES, find_pages, read_text
from folkmoot.environments.corpora.sources.base import TALK, SourcePage
from folkmoot.environments.corpora.sources.registry import Request
from folkmoot.sim.errors import CorpusError


class Folder:
    """A file or a folder of pages; a title is the file's name without its suffix.

    Args:
        path: the file or folder.
        max_chars: of a page.
    """

    offers_articles = False

    def __init__(self, path: Path, max_chars: int) -> None:
        self.name = path.name.partition(".")[0] or "wikitext"
        self.language: str | None = None
        self._path = path
        self._max = max_chars
        self._files, other = find_pages(path)
        self.losses: Counter[str] = Counter()
        self._other = other
        self._done = 0

    def pages(self, after: str | None = None) -> Iterator[SourcePage]:
        """All pages, in the order of their paths; the key is the number of the file."""
        first = 0 if after is None else int(after) + 1
        if not first and self._other:
            self.losses["files of another kind"] += self._other
        for number, file in enumerate(self._files[first:], first):
            self._done = number + 1
            page = self._page(file, number)
            if page is not None:
                yield page

    def _page(self, file: Path, number: int) -> SourcePage | None:
        try:
            text = read_text(file)
        except CorpusError as error:
            if len(self._files) == 1:
                raise
            self.losses[f"files that can't be read ({_reason(error)})"] += 1
            return None
        if len(text) > self._max:
            self.losses[f"over {self._max:,} characters"] += 1
            return None
        return SourcePage(str(number), title_of(file, self._path), TALK, text)

    def article(self, title: str, before: int) -> None:
        """Nothing: a folder has Talk pages only."""
        del title, before

    def position(self) -> tuple[int, int]:
        """Files."""
        return self._done, len(self._files)

    def identity(self) -> tuple[int, str]:
        """Bytes, and the SHA-256 of all paths and contents in order."""
        whole, size = hashlib.sha256(), 0
        for file in self._files:
            content = file.read_bytes()
            size += len(content)
            whole.update(f"{file.relative_to(self._path) if file != self._path else ''}\0".encode())
            whole.update(hashlib.sha256(content).digest())
        return size, whole.hexdigest()


def _reason(error: CorpusError) -> str:
    text = str(error)
    return next((word for word in ("empty", "binary", "XML export", "UTF-16", "UTF-8") if word in text), "unreadable")


def title_of(file: Path, root: Path) -> str:
    """A page's title: its path below the folder, without a suffix of wikitext, underscores as spaces."""
    relative = file.relative_to(root) if file != root else Path(file.name)
    plain = relative.with_suffix("") if relative.suffix.lower() in SUFFIXES else relative
    return plain.as_posix().replace("_", " ")


def holds_pages(path: Path) -> bool:
    """Whether this is a file or folder of wikitext (and not of dumps)."""
    if path.is_file():
        return path.suffix.lower() in SUFFIXES
    return path.is_dir() and any(file.suffix.lower() in SUFFIXES for file in path.rglob("*"))


def open_folder(request: Request) -> Folder:
    """The folder of a path.

    Raises:
        CorpusError: nothing there, or no page in it.
    """
    return Folder(Path(request.value).expanduser(), request.max_page_chars)
