"""Sheets for people: safe cells, and what spreadsheets make of them."""

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.sim.errors import CorpusError
from folkmoot.sim.sheets import MOST, decode_sheet, encode_sheet, safe_cell


@given(st.text(max_size=50))
def test_cells_are_safe(text):
    """No cell begins as a formula."""
    assert not safe_cell(text).lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


_CELLS = st.text(max_size=30) | st.text(alphabet="'=+-@ \t\r\n\",;x", max_size=8)


@given(st.lists(st.fixed_dictionaries({"a": _CELLS, "b": _CELLS}), max_size=4))
def test_every_cell_survives_out_and_in(rows):
    """Whatever a cell holds, quotes, apostrophes, line ends and signs of formulas too, it is read back; only NUL is lost."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sheet.csv"
        path.write_bytes(encode_sheet(("a", "b"), rows))
        found = decode_sheet(path, ("a", "b"))
    assert found == [{name: cell.replace("\x00", "") for name, cell in row.items()} for row in rows]


def test_long_cells_are_cut():
    """A page longer than a spreadsheet's cell is cut, and says so."""
    assert safe_cell("x" * (MOST + 1)).endswith(" [...]")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_sheets_read_back_however_they_were_saved(tmp_path, delimiter):
    """Whatever a spreadsheet puts between cells and in which order its columns come, rows are the same."""
    rows = [{"a": "1; 2", "b": "a, b"}, {"a": "=x", "b": ""}]
    found = list(csv.DictReader(io.StringIO(encode_sheet(("a", "b"), rows).decode("utf-8-sig"))))
    path = tmp_path / "sheet.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, ("b", "a"), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(found)
    assert decode_sheet(path, ("a", "b")) == [{"a": "1; 2", "b": "a, b"}, {"a": "=x", "b": ""}]


def test_damaged_sheets_are_named(tmp_path):
    """No file, bytes that are no text, what is no CSV, and a missing column say what to do."""
    path = tmp_path / "sheet.csv"
    with pytest.raises(CorpusError, match="save it as CSV"):
        decode_sheet(path, ("a",))
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CorpusError, match="save it as CSV"):
        decode_sheet(path, ("a",))
    path.write_text("a,b\n" + "x" * (csv.field_size_limit() + 1) + ",2\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"field larger .*; save it as CSV"):
        decode_sheet(path, ("a",))
    path.write_text("b,c\n1,2\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="no column 'a'"):
        decode_sheet(path, ("a",))
