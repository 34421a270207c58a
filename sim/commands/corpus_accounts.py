"""`folkmoot corpus accounts`: the review of a corpus's accounts, a sheet out and the filled one in."""

from pathlib import Path

from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.timelines.review import VERDICTS, take_review, write_accounts


def write_sheet(path: Path, sheet: Path) -> str:
    """Write the sheet; returns what to print.

    Raises:
        CorpusError: no complete corpus of timelines there.
    """
    count = write_accounts(Store.open(path), sheet)
    return (
        f"{count} accounts in {sheet}; fill verdict with {', '.join(VERDICTS)} (empty: keep), "
        f"then: folkmoot corpus accounts {path} --filled {sheet}"
    )


def read_sheet(path: Path, filled: Path) -> str:
    """Note a filled sheet's verdicts in the corpus; returns what to print.

    Raises:
        CorpusError: no complete corpus of timelines there, or a sheet that can't be read.
    """
    store = Store.open(path)
    counts = take_review(store, filled).counts["accounts"]
    lines = [f"{counts.kept} of {counts.given} accounts kept"]
    lines += [f"  {count} {reason}" for reason, count in sorted(counts.dropped.items())]
    return "\n".join([*lines, f"digest {store.manifest.digest}"])
