"""Sheets for people: CSV that spreadsheets open safely, and read back however they have saved it."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from folkmoot.sim.errors import CorpusError

MOST = 30_000
"""Characters of a cell; spreadsheets hold 32,767."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe before a leading =, +, -, @, tab or newline.

    `decode_sheet` takes it away. So that it always can, a text that has such an apostrophe itself gets one more.

    >>> safe_cell("=HYPERLINK(1)"), safe_cell("yes")
    ("'=HYPERLINK(1)", 'yes')
    """
    text = text.replace("\x00", "")
    cut = text if len(text) <= MOST else f"{text[:MOST]} [...]"
    return f"'{cut}" if _formula(cut) else cut


def _plain_cell(cell: str) -> str:
    """The text of a safe cell."""
    return cell[1:] if cell.startswith("'") and _formula(cell) else cell


def _formula(text: str) -> bool:
    """Whether it begins as a formula, apostrophes aside."""
    return text.lstrip("'").lstrip(" ").startswith(_FORMULA)


def encode_sheet(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> bytes:
    """A sheet of safe cells as CSV in UTF-8 with its mark, so that spreadsheets open it right."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    for row in rows:
        writer.writerow({name: safe_cell(cell) for name, cell in row.items()})
    return out.getvalue().encode("utf-8-sig")


def decode_sheet(path: Path, needed: Sequence[str]) -> list[dict[str, str]]:
    """Rows of a sheet, cells as they were before `encode_sheet` made them safe.

    Spreadsheets may have written commas, semicolons or tabs, and the columns in any order.

    Raises:
        CorpusError: it can't be read as CSV in UTF-8, or a needed column is missing.
    """
    try:
        return _rows(path, path.read_bytes().decode("utf-8-sig"), needed)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CorpusError(f"sheet {path}: {error}; save it as CSV in UTF-8") from error


def _rows(path: Path, text: str, needed: Sequence[str]) -> list[dict[str, str]]:
    header = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count))
    missing = [name for name in needed if name not in (reader.fieldnames or ())]
    if missing:
        known = ", ".join(reader.fieldnames or ()) or "nothing"
        raise CorpusError(f"{path} has no column {missing[0]!r} (it has {known[:200]}); keep all columns of the sheet")
    return [{name: _plain_cell(cell or "") for name, cell in row.items() if isinstance(name, str)} for row in reader]
