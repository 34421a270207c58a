"""People look at what a model read: a review sheet out, the filled sheet in (Wiki-Talkie, appendix I)."""

from folkmoot.environments.corpora.audit.sheet import COLUMNS, sheet_rows, write_sheet
from folkmoot.environments.corpora.audit.tally import Judged, read_sheet, tally

__all__ = ["COLUMNS", "Judged", "read_sheet", "sheet_rows", "tally", "write_sheet"]
