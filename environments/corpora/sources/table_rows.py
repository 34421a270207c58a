"""Rows of a plain table: CSV, TSV or JSON lines, compressed or not, as maps of columns."""

import codecs
import csv
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.sources.archives import open_stream
from folkmoot.environments.corpora.sources.faults import Faults
from folkmoot.environments.corpora.sources.halves import HALVES, without_escaped, without_halves
from folkmoot.environments.corpora.sources.lines import LONGEST, read_lines
from folkmoot.sim.errors import ConfigError, CorpusError, did_you_mean

Row = dict[str, Any]

KINDS = {".csv": "csv", ".tsv": "csv", ".tab": "csv", ".jsonl": "json", ".ndjson": "json"}
PACKED = (".gz", ".bz2", ".xz", ".zst", ".7z")
DELIMITERS = (",", ";", "\t", "|")

FACT = "fact."
"""What a column begins with that is a fact whatever it resembles."""

RESEMBLES = 0.75
"""Likeness from which an unknown column is taken for a misspelled one."""

LOOKED_AT = 100
"""Rows of JSON whose fields together are the columns: one alone may be odd."""

SHOWN, LONGEST_NAME = 20, 40
"""Columns that a message names, and characters of each: another kind of file may have anything there."""


def kind_of(path: Path) -> str | None:
    """`csv` or `json`, by the name without what it is packed with; None for neither."""
    names = [suffix.lower() for suffix in path.suffixes]
    while names and names[-1] in PACKED:
        names.pop()
    return KINDS.get(names[-1]) if names else None


def read_rows(
    path: Path, needed: Sequence[str], known: Sequence[str], faults: Faults, encoding: str | None = None
) -> Iterator[tuple[int, Row]]:
    """Line and row; what isn't a row is told to `faults`.

    Args:
        path: the table.
        needed: columns that it must have.
        known: columns that it may have; others are facts unless they look like a misspelled one of these.
        faults: collects what couldn't be read.
        encoding: of a CSV table; None: UTF-16 with its mark, else UTF-8.

    Raises:
        CorpusError: the file can't be read, or its columns are wrong.
        ConfigError: an unknown encoding.
    """
    kind = kind_of(path)
    if kind is None:
        raise CorpusError(f"{path.name}: a table ends in {', '.join(KINDS)}, packed or not; rename it or convert it")
    if kind == "csv":
        yield from _csv_rows(path, needed, known, faults, encoding)
    else:
        yield from _json_rows(path, needed, known, faults)


def check_columns(name: str, found: Iterable[str], needed: Sequence[str], known: Sequence[str]) -> None:
    """Make sure that columns are there, and none is misspelled.

    Raises:
        CorpusError: one is missing, or there twice, or looks like one that is missing.
    """
    columns = list(found)
    for column in needed:
        if column not in columns:
            raise CorpusError(f"{name} has no column {column!r}; {_instead(column, columns)}")
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise CorpusError(f"{name} has two columns {_short(twice)}; rename one")
    missing = [column for column in known if column not in columns]
    for column in columns:
        near = get_close_matches(column.lower().strip(), missing, 1, RESEMBLES) if column not in known else []
        if near and not column.startswith(FACT):
            raise CorpusError(
                f"{name} has a column {column!r} and none {near[0]!r}; did you mean {near[0]!r}? If not, call it "
                f"{FACT + column!r}"
            )


def _instead(column: str, there: Sequence[str]) -> str:
    """What may be meant by a column that isn't there, else what is there."""
    there = [name for name in dict.fromkeys(there) if name]
    if not there:
        return "its first line names none; name the columns there"
    if get_close_matches(column, there):
        return did_you_mean(column, there)
    names = ", ".join(map(_short, there[:SHOWN]))
    return f"it has {names}{', ...' if len(there) > SHOWN else ''}; rename the one that is meant"


def _short(name: str) -> str:
    return repr(name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}...")


# --- JSON lines -----------------------------------------------------------------------------------


def _json_rows(path: Path, needed: Sequence[str], known: Sequence[str], faults: Faults) -> Iterator[tuple[int, Row]]:
    rows = _json_objects(path, faults)
    first = list(islice(rows, LOOKED_AT))
    if first:
        check_columns(path.name, dict.fromkeys(name for _, row in first for name in row), needed, known)
    yield from first
    yield from rows


def _json_objects(path: Path, faults: Faults) -> Iterator[tuple[int, Row]]:
    for number, line in read_lines(path):
        if line is None:
            faults.add("rows longer than 32 MiB", number)
            continue
        try:
            row, halves = _object(line)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            faults.add(f"rows that aren't JSON objects: {str(error).partition(' (byte')[0]}", number)
            continue
        if halves:
            faults.add(f"rows with {HALVES}", number)
        yield number, row


def _object(line: bytes) -> tuple[Row, int]:
    """The object on a line, and how many halves of characters were mended in it."""
    try:
        return msgspec.json.decode(line, type=dict[str, Any]), 0
    except (msgspec.MsgspecError, UnicodeDecodeError):
        text, raw = without_halves(line.decode("utf-8", "surrogatepass"))
        text, escaped = without_escaped(text)
        if not raw + escaped:
            raise
        return msgspec.json.decode(text, type=dict[str, Any]), raw + escaped


# --- CSV ------------------------------------------------------------------------------------------


def _csv_rows(
    path: Path, needed: Sequence[str], known: Sequence[str], faults: Faults, encoding: str | None
) -> Iterator[tuple[int, Row]]:
    lines = _text_lines(path, encoding)
    head = next(lines, "")
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST))  # a comment may be longer than the module's 128 KiB
    try:
        delimiter = _delimiter(path, head, known)
        columns = _columns(head, delimiter)
    except csv.Error as error:
        raise CorpusError(
            f"{path.name} isn't CSV ({_why(error)} in its first line, which names the columns)"
        ) from error
    if head.startswith(("{", "[")) and not set(needed) <= set(columns):
        raise CorpusError(f"{path.name} begins with {head[0]!r}, as JSON does, and is no CSV; name what kind it is")
    check_columns(path.name, columns, needed, known)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            faults.add(f"rows that aren't CSV: {_why(error)}", reader.line_num + 1)
            continue
        number = reader.line_num + 1
        if not cells:
            continue
        if len(cells) != len(columns):
            faults.add(f"rows with more or fewer fields than the {len(columns)} columns", number)
        elif any(_damaged(cell) for cell in cells):
            faults.add("rows that aren't UTF-8 (the option encoding= names another one)", number)
        else:
            yield number, {column: cell for column, cell in zip(columns, cells, strict=True) if cell}


def _why(error: csv.Error) -> str:
    """What is wrong, without the module's advice to programmers."""
    return str(error).partition(" - ")[0]


def _delimiter(path: Path, head: str, known: Sequence[str]) -> str:
    """The delimiter at which the first line has most of the columns known, then most columns; a comma goes first."""

    def cut(delimiter: str) -> tuple[int, int]:
        columns = _columns(head, delimiter)
        return len(set(known) & set(columns)), len(columns)

    order = DELIMITERS if ".csv" in path.suffixes else ("\t", *DELIMITERS)
    return max(order, key=cut)


def _columns(head: str, delimiter: str) -> list[str]:
    return [column.strip() for column in next(csv.reader([head], delimiter=delimiter), [])]


def _damaged(cell: str) -> bool:
    return not cell.isascii() and any("\ud800" <= letter <= "\udfff" for letter in cell)


def _text_lines(path: Path, encoding: str | None) -> Iterator[str]:
    """Lines with plain ends; bytes that aren't UTF-8 become surrogates, so that they can be told.

    Where a carriage return alone ends lines, as on the first Macintosh, there is no other end near the beginning.

    Raises:
        CorpusError: not in this encoding.
        ConfigError: an unknown encoding.
    """
    with open_stream(path) as stream:
        block = stream.read()
        decoder = _decoder(encoding or _encoding(block))
        held: list[str] = []  # pieces of a line that isn't whole
        end = ""
        try:
            while block:
                text = decoder.decode(block)
                end = end or _end(text)
                *lines, rest = text.split(end or "\n")
                if lines:
                    lines[0] = "".join((*held, lines[0]))
                    held.clear()
                held.append(rest)
                yield from (f"{line}\n" for line in lines)
                block = stream.read()
            held.append(decoder.decode(b"", final=True))
        except UnicodeDecodeError as error:
            raise CorpusError(f"{path.name} isn't {error.encoding} ({error.reason}); name its encoding=") from error
        if last := "".join(held):
            yield last


def _end(text: str) -> str:
    """What ends the lines of a text that holds an end; "" for one that holds none."""
    return "\n" if "\n" in text else "\r" if "\r" in text else ""


def _encoding(head: bytes) -> str:
    return "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    try:
        name = codecs.lookup(encoding).name
        return codecs.getincrementaldecoder(encoding)("strict" if name.startswith("utf-16") else "surrogateescape")
    except LookupError as error:
        raise ConfigError(f"unknown encoding {encoding!r}; for example latin-1, cp1252, utf-16, gb18030") from error
