"""Threads and personas from plain tables (docs/importers.md gives the columns)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.sources.base import SourceComment, SourcePerson, SourceThread
from folkmoot.environments.corpora.sources.faults import Faults
from folkmoot.environments.corpora.sources.instants import read_instant
from folkmoot.environments.corpora.sources.ordering import in_order
from folkmoot.environments.corpora.sources.registry import Request
from folkmoot.environments.corpora.sources.spooled import SpooledThreads
from folkmoot.environments.corpora.sources.table_people import read_people
from folkmoot.environments.corpora.sources.table_rows import FACT, Row, kind_of, read_rows
from folkmoot.sim.errors import ConfigError, CorpusError, did_you_mean

NEEDED = ("thread", "text")
COLUMNS = ("thread", "id", "author", "time", "parent", "text", "title", "page", "article")
OPTIONS = ("personas", "encoding", "language")
COMMENTS, PERSONAS = "comments", "personas"
"""Names, without their endings, of the two tables in a folder."""


class Record(msgspec.Struct, array_like=True):
    """A row, as it waits for the rest of its thread."""

    id: str
    author: str
    time: int | None
    parent: str | None
    text: str
    about: dict[str, str]
    facts: dict[str, Any]


def open_table(request: Request) -> "Table":
    """A table of comments, or a folder with `comments` and `personas`.

    Raises:
        ConfigError: an unknown option.
        CorpusError: no such file, or not a table of these columns.
    """
    options = dict(request.options)
    for name in options:
        if name not in OPTIONS:
            raise ConfigError(f"unknown option {name!r} of a table; {did_you_mean(name, OPTIONS)}")
    path = Path(request.value)
    people = Path(options["personas"]) if options.get("personas") else None
    if path.is_dir():
        people = people or _named(path, PERSONAS)
        comments = _named(path, COMMENTS)
    else:
        comments = path
    if comments is None or not comments.is_file():
        raise CorpusError(f"{path}: no table there; name a .csv, .tsv or .jsonl, or a folder with comments.csv in it")
    return Table(comments, people, request.language or options.get("language"), options.get("encoding"))


def _named(folder: Path, name: str) -> Path | None:
    """The table of this name in a folder.

    Raises:
        CorpusError: there are two.
    """
    found = sorted(p for p in folder.iterdir() if p.name.split(".")[0] == name and kind_of(p))
    if len(found) > 1:
        raise CorpusError(f"{folder} holds {found[0].name} and {found[1].name}; keep one of them")
    return found[0] if found else None


class Table(SpooledThreads):
    """Comments, a row each, and people, a row each (a `ThreadSource`).

    Args:
        comments: the table of comments.
        people: the table of people; None: nothing is said of them.
        language: ISO 639-1 code.
        encoding: of a CSV table that is neither UTF-8 nor UTF-16.
    """

    def __init__(self, comments: Path, people: Path | None, language: str | None, encoding: str | None) -> None:
        super().__init__(comments.name.partition(".")[0], language, [comments, *([people] if people else [])])
        if people is not None and not people.is_file():
            raise CorpusError(f"{people}: no table of personas there; check the path")
        self._comments, self._people, self._encoding = comments, people, encoding

    def people(self) -> Iterator[SourcePerson]:
        """Those in the table of people; rows that aren't personas are counted with their lines."""
        if self._people is None:
            return
        faults = Faults()
        yield from read_people(self._people, faults, self._encoding)
        faults.tell(self.losses)

    def _records(self) -> Iterator[tuple[str, bytes]]:
        for line, row in read_rows(self._comments, NEEDED, COLUMNS, self._faults, self._encoding):
            thread = _name(row.get("thread"))
            text = row.get("text", "" if kind_of(self._comments) == "csv" else None)
            if not thread:
                self._faults.add("rows without a thread", line)
            elif not isinstance(text, str):
                self._faults.add("rows without a text", line)
            else:
                record = self._record(row, text, line)
                self._community.add(record.author)
                yield thread, msgspec.json.encode(record)

    def _record(self, row: Row, text: str, line: int) -> Record:
        try:
            time = read_instant(row.get("time"))
        except CorpusError:
            self._faults.add("times that can't be read (kept without)", line)
            time = None
        about = {
            name: value for name in ("title", "page", "article") if isinstance(value := row.get(name), str) and value
        }
        facts = {k.removeprefix(FACT): v for k, v in row.items() if k not in COLUMNS and v is not None}
        name = _name(row.get("id")) or f"line {line}"
        return Record(name, _name(row.get("author")), time, _name(row.get("parent")) or None, text, about, facts)

    def _thread(self, key: str, name: str, records: list[bytes]) -> SourceThread:
        rows = [msgspec.json.decode(raw, type=Record) for raw in records]
        about: dict[str, str] = {}
        for row in rows:
            for column, value in row.about.items():
                if about.setdefault(column, value) != value:
                    self.losses[f"rows whose {column} isn't their thread's (kept; the first one counts)"] += 1
        said = [SourceComment(row.id, row.author, row.time, row.parent, row.text, row.facts) for row in rows]
        page = about.get("page") or self.name
        title, article = about.get("title", ""), about.get("article", "")
        named = self._community.named_around(title, said)
        return SourceThread(key, name, page, title, in_order(said, self.losses), article, named=named)


def _name(value: Any) -> str:
    """A name or an id; numbers are taken as they are written."""
    return str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
