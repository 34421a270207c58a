"""What the heads are trained on, read row by row."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def mood(acts: Sequence[str]) -> list[float] | None:
    """What an exemplar's acts tell of its sentiment (above 1, 2, 3, 4?); None where they pull both ways."""
    nan = float("nan")
    low, high = {"NEGATIVE", "CRITIQUE", "PARTIAL"}.intersection(acts), "POSITIVE" in acts
    if low and high:
        return None
    if high:
        return [1, 1, 1, nan]
    return [nan, 0 if "NEGATIVE" in low else nan, 0, 0] if low else [1, 1, 0, 0]


def umsab(folder: Path, part: str) -> Iterable[tuple[str, int]]:
    """Texts with 0 (negative), 1 (neutral), 2 (positive)."""
    labels = [int(line) for line in (folder / f"{part}_labels.txt").read_text().split()]
    with (folder / f"{part}_text.txt").open(encoding="utf-8", newline="\n") as lines:
        yield from zip((line.rstrip("\n") for line in lines), labels, strict=True)


def vader(folder: Path) -> Iterable[tuple[str, float]]:
    """English texts with mean ratings from -4 to 4."""
    for name in ("tweets", "amazonReviewSnippets"):
        with (folder / f"{name}_GroundTruth.txt").open(encoding="utf-8-sig", errors="replace") as lines:
            for line in lines:
                _, rating, text = line.rstrip("\n").split("\t")
                yield text, float(rating)


def read(path: Path) -> Iterable[dict[str, Any]]:
    """Rows of a JSON lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
