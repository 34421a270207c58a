"""`folkmoot profile verified`: filled review sheets in, gold profiles out."""

from collections.abc import Sequence
from pathlib import Path

from folkmoot.metrics.profile.gold import write_gold
from folkmoot.metrics.profile.review import read_decisions, verify


def write_verified(sheets: Sequence[Path], out: Path, adjudicated: Path | None) -> str:
    """Write the gold profiles; returns what to print.

    Raises:
        CorpusError: a sheet can't be read, or holds a verdict that isn't one.
    """
    judge = None if adjudicated is None else read_decisions(adjudicated)
    found = verify([read_decisions(sheet) for sheet in sheets], judge)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_gold(out, found.profiles)
    return "\n".join([*found.lines(), f"gold profiles: {out}; use them by experiment.gold={out}"])
