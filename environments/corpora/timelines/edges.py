"""Who follows whom: from archives, and from a table of edges."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from folkmoot.environments.corpora.sources.faults import Faults
from folkmoot.environments.corpora.sources.table_rows import read_rows
from folkmoot.sim.errors import CorpusError

COLUMNS = ("follower", "followed")

OWN = "users who follow themselves"
TWICE = "edges that are there twice"
UNKNOWN = "edges of users who aren't in the corpus"


def read_edges(
    given: Iterable[tuple[str, str]], table: Path | None, users: set[str]
) -> tuple[list[tuple[str, str]], Counter[str]]:
    """Edges between known users, each once, in order; and what was dropped, by reason.

    Args:
        given: (follower, followed) of the archives.
        table: a CSV, TSV or JSON lines with the columns follower and followed.
        users: who is in the corpus.

    Raises:
        CorpusError: the table isn't there, or lacks a column.
    """
    losses: Counter[str] = Counter()
    faults = Faults()
    edges: dict[tuple[str, str], None] = {}
    for one, other in (*given, *_rows(table, faults)):
        if one == other:
            losses[OWN] += 1
        elif one not in users or other not in users:
            losses[UNKNOWN] += 1
        elif (one, other) in edges:
            losses[TWICE] += 1
        else:
            edges[one, other] = None
    faults.tell(losses)
    return list(edges), losses


def _rows(table: Path | None, faults: Faults) -> Iterator[tuple[str, str]]:
    if table is None:
        return
    if not table.is_file():
        raise CorpusError(f"{table}: no table of edges there; check --follows")
    for line, row in read_rows(table, COLUMNS, COLUMNS, faults):
        one, other = (str(row.get(name) or "").strip().lstrip("@") for name in COLUMNS)
        if one and other:
            yield one, other
        else:
            faults.add("edges without both users", line)
