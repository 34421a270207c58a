"""Bytes of a file as text, or a clear word about why not."""

import codecs
from pathlib import Path

from folkmoot.sim.errors import CorpusError

SUFFIXES = (".wikitext", ".wiki", ".mediawiki", ".txt")
"""Files that are read as Talk pages."""


def find_pages(path: Path) -> tuple[list[Path], int]:
    """The page files of a file or folder, sorted, and the number of files of other kinds that were passed over.

    Raises:
        CorpusError: nothing there, or no page in the folder.
    """
    if path.is_file():
        return [path], 0
    if not path.is_dir():
        raise CorpusError(f"no file or folder at {path}; corpus.path names a Talk page, or a folder of them")
    files = sorted(file for file in path.rglob("*") if file.is_file())
    pages = [file for file in files if file.suffix.lower() in SUFFIXES]
    if not pages:
        raise CorpusError(
            f"folder {path} holds {len(files)} files, none ends in {', '.join(SUFFIXES)}; rename the pages"
        )
    return pages, len(files) - len(pages)


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 with its mark; newlines become plain ones.

    Raises:
        CorpusError: unreadable, empty, in another encoding (the byte is named), binary, or an XML export.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}; check the path and its permissions") from error
    text = _decode(raw, path).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise CorpusError(f"{path} is empty ({len(raw)} bytes); a Talk page holds at least one signed comment")
    if "\x00" in text:
        offset = text.index("\x00")
        raise CorpusError(
            f"{path} has a zero character at {offset}: it is binary, or UTF-16 without its mark; save it as UTF-8"
        )
    if text.lstrip().startswith("<mediawiki"):
        raise CorpusError(f"{path} is an XML export, not a page; save the wikitext of its pages, one file each")
    return text


def _decode(raw: bytes, path: Path) -> str:
    encoding = "utf-16" if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        byte = f"byte {error.start} (0x{raw[error.start]:02x})" if error.start < len(raw) else f"byte {error.start}"
        raise CorpusError(
            f"{path} is not {encoding.removesuffix('-sig').upper()}: {byte}; convert it to UTF-8"
        ) from error
