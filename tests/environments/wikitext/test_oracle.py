"""The parser against MediaWiki's own, on real pages; `pytest -s` prints the table."""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from folkmoot.environments.talk_page.wikitext import parse_page

LEFT_OUT = frozenset({"unattributed", "undated", "unsigned_template"})
"""Comments that the answers don't hold: nobody signed, no time of day, or a template that wasn't expanded."""

FLOORS = {
    "mwch-article-687993820.wikitext": {"recall": 1.0, "precision": 1.0, "thread": 1.0, "level": 1.0, "parent": 1.0},
    "fr.dev.wikitext": {"recall": 1.0, "precision": 0.96, "thread": 1.0, "level": 0.98, "parent": 0.96},
    "de-4-8011557.wikitext": {"recall": 1.0, "precision": 0.99, "thread": 1.0, "level": 0.98, "parent": 0.98},
    "it.dev.wikitext": {"recall": 0.95, "precision": 0.95, "thread": 1.0, "level": 0.95, "parent": 0.94},
    "es.dev.wikitext": {"recall": 1.0, "precision": 1.0, "thread": 1.0, "level": 0.92, "parent": 0.92},
    "all": {"recall": 0.998, "precision": 0.985, "thread": 1.0, "level": 0.979, "parent": 0.969},
}


@dataclass(frozen=True)
class Row:
    """A comment as both sides can be compared: parents by author and minute."""

    author: str
    minute: int | None
    thread: int
    level: int
    parent: tuple[str, int | None] | None

    @property
    def key(self) -> tuple[str, int | None]:
        """What pairs a comment with its answer."""
        return (self.author, self.minute)


def expected(path: Path) -> list[Row]:
    """The answer's comments; a section that it lists twice (by itself and under its parent) counts once."""
    rows: list[Row] = []
    seen: set[str] = set()
    thread = 0

    def walk(item: dict[str, Any], parent: Row | None, depth: int) -> None:
        nonlocal thread
        mark = f"{item.get('id')} {item.get('range')}"
        if mark in seen:
            return
        seen.add(mark)
        row: Row | None = None
        if item["type"] == "heading":
            thread += item["headingLevel"] <= 2 or depth == 0
        else:
            minute = int(datetime.fromisoformat(item["timestamp"]).timestamp()) // 60
            row = Row(item["author"], minute, thread, item["level"] - 1, parent.key if parent else None)
            rows.append(row)
        for reply in item["replies"]:
            walk(reply, row, depth + 1)

    for item in json.loads(path.read_text(encoding="utf-8")):
        walk(item, None, 0)
    return rows


def parsed(path: Path, language: str) -> list[Row]:
    """The parser's comments, without those that nobody signed (the answers have none)."""
    rows: list[Row] = []
    for number, thread in enumerate(parse_page(path.read_text(encoding="utf-8"), language).threads):
        keys = [(c.author, None if c.time is None else c.time // 60_000) for c in thread.comments]
        rows += [
            Row(*key, number, c.level, None if c.parent is None else keys[c.parent])
            for key, c in zip(keys, thread.comments, strict=True)
            if c.by not in LEFT_OUT and (c.by != "in_template" or path.parent.name != "dt-oracle")
        ]
    return rows


@dataclass(frozen=True)
class Score:
    """Counts of one page or of many."""

    expected: int = 0
    found: int = 0
    hits: int = 0
    thread: int = 0
    level: int = 0
    parent: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def rates(self) -> dict[str, float]:
        """Recall and precision of (author, minute); of the hits: same thread, level, parent."""
        hits = max(self.hits, 1)
        return {
            "recall": self.hits / max(self.expected, 1),
            "precision": self.hits / max(self.found, 1),
            "thread": self.thread / hits,
            "level": self.level / hits,
            "parent": self.parent / hits,
        }


def score(truth: list[Row], ours: list[Row]) -> Score:
    """Comments are paired by (author, minute), in order."""
    pool: dict[tuple[str, int | None], list[Row]] = {}
    for row in ours:
        pool.setdefault(row.key, []).append(row)
    pairs = [(row, pool[row.key].pop(0)) for row in truth if pool.get(row.key)]
    together = Counter((a.thread, b.thread) for a, b in pairs)
    best = {a: b for (a, b), _ in sorted(together.items(), key=lambda item: item[1])}
    return Score(
        len(truth),
        len(ours),
        len(pairs),
        sum(best[a.thread] == b.thread for a, b in pairs),
        sum(a.level == b.level for a, b in pairs),
        sum(a.parent == b.parent for a, b in pairs),
    )


def pages(shared: Path) -> dict[str, Score]:
    """Every page that has an answer, by name."""
    scores = {}
    for folder, suffix in (("dt-oracle", ".dt.json"), ("split", ".threads.json")):
        for page in sorted((shared / "talk" / folder).glob("*.wikitext")):
            language = page.name[:2] if folder == "split" or page.name.startswith("de-") else "en"
            truth = expected(page.with_name(page.name.replace(".wikitext", suffix)))
            scores[page.name] = score(truth, parsed(page, language))
    return scores


def table(scores: dict[str, Score]) -> str:
    """One line a page, and one for all."""
    total = sum(scores.values(), Score())
    lines = [f"{'page':36}{'expected':>9}{'found':>7}  recall  precision  thread  level  parent"]
    for name, item in [*scores.items(), ("all", total)]:
        r = item.rates
        lines.append(
            f"{name:36}{item.expected:9}{item.found:7}{r['recall']:8.3f}{r['precision']:11.3f}"
            f"{r['thread']:8.3f}{r['level']:7.3f}{r['parent']:8.3f}"
        )
    return "\n".join(lines)


@pytest.mark.shared
def test_recovered_comments(shared):
    """Comments of the real pages are found with author, minute, thread, level and parent at the floors reached."""
    scores = pages(shared)
    sys.stdout.write(f"\n{table(scores)}\n")
    scores["all"] = sum(scores.values(), Score())
    for name, floors in FLOORS.items():
        rates = scores[name].rates
        for rate, floor in floors.items():
            assert rates[rate] >= floor, f"{name}: {rate} {rates[rate]:.4f} is under {floor}"
