"""`folkmoot corpus audit`: a review sheet out, a filled sheet in."""

from pathlib import Path

from folkmoot.environments.corpora.audit import read_sheet, sheet_rows, tally, write_sheet
from folkmoot.environments.corpora.audit.sheet import ANSWERS, JUDGED
from folkmoot.environments.corpora.built import find_stores


def write_review(path: Path, sheet: Path, users: int, seed: int) -> str:
    """Write the review sheet of the corpora of a folder; returns what to print.

    Raises:
        CorpusError: no corpus there, nobody with a profile, or the sheet can't be written.
    """
    count = write_sheet(sheet_rows(find_stores(path), users, seed), sheet)
    return (
        f"{count} users in {sheet}; fill {', '.join(JUDGED)} with {', '.join(ANSWERS)}, "
        f"then: folkmoot corpus audit --filled {sheet}"
    )


def read_review(sheet: Path) -> str:
    """The tally of a filled sheet, one line a corpus and question.

    Raises:
        CorpusError: the sheet can't be read, or holds an answer that isn't one.
    """
    return "\n".join(judged.line() for judged in tally(read_sheet(sheet)))
