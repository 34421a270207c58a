"""The tables of a corpus's statistics, as text, Markdown and CSV."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from folkmoot.environments.corpora.statistics.counts import CorpusStatistics
from folkmoot.environments.corpora.statistics.spread import Spread
from folkmoot.sim.persona import TRAITS

NONE = "-"


@dataclass(frozen=True, slots=True)
class Table:
    """A table: a file name, a title, columns, rows of shown text, and rows of plain values for CSV."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        """Columns lined up; the first to the left, the others to the right."""
        widths = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        lines = ["  ".join(_aligned(row, widths)).rstrip() for row in (self.columns, *self.rows)]
        return "\n".join([self.title, *lines])

    def markdown(self) -> str:
        """A pipe table under its title."""
        rows = [self.columns, ("---", *["---:"] * (len(self.columns) - 1)), *self.rows]
        lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
        return "\n".join([f"**{self.title}**", "", *lines])

    def csv(self) -> str:
        """Comma-separated; means and deviations in columns of their own."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([name for column in self.columns for name in _split_name(column)])
        for row in self.rows:
            writer.writerow([v for column, cell in zip(self.columns, row, strict=True) for v in _split(column, cell)])
        return out.getvalue()


def tables(corpora: Sequence[CorpusStatistics]) -> list[Table]:
    """Every table, one row a corpus (or a corpus and what was dropped)."""
    return [_size(corpora), _people(corpora), _traits(corpora), _sample(corpora), _losses(corpora), _spreads(corpora)]


SIZE = ("corpus", "threads", "turns", "users", "turns/thread ±", "turns/user ±", "words/turn ±", "users/thread ±")
PEOPLE = (
    "corpus",
    "users",
    "personas",
    "with topics",
    "with gender",
    "with profession",
    ">= 5 turns",
    "profile words ±",
)
SAMPLE = (
    "corpus",
    "threads",
    "comments",
    "before ±",
    "users",
    "men",
    "women",
    "men's sentences",
    "women's sentences",
    "women's share",
)
LOSSES = ("corpus", "stage", "what", "given", "kept", "dropped", "reason")
SPREADS = ("corpus", "distribution", "value", "count")


def _size(corpora: Sequence[CorpusStatistics]) -> Table:
    rows = tuple(
        (
            c.name,
            f"{c.thread_turns.n:,}",
            f"{c.turn_words.n:,}",
            f"{len(c.user_turns):,}",
            *(_spread(s) for s in (c.thread_turns, c.turns_per_user, c.turn_words, c.thread_users)),
        )
        for c in corpora
    )
    return Table("size", "Threads, turns, users (mean ± standard deviation, n - 1)", SIZE, rows)


def _people(corpora: Sequence[CorpusStatistics]) -> Table:
    rows = tuple(
        (
            c.name,
            *(
                f"{n:,}"
                for n in (len(c.user_turns), c.personas, c.with_topics, c.with_gender, c.with_profession, c.active)
            ),
            _spread(c.profile_words),
        )
        for c in corpora
    )
    return Table("people", "Users and what is known of them", PEOPLE, rows)


def _traits(corpora: Sequence[CorpusStatistics]) -> Table:
    columns = ("trait", *(f"{c.name} {what}" for c in corpora for what in ("not deducible", "malformed")))
    rows = tuple(
        (name, *(_share(n, c.read) for c in corpora for n in (c.unavailable[name], c.malformed[name])))
        for name in (TRAITS if any(c.read for c in corpora) else ())
    )
    asked = ", ".join(f"{c.name} {c.read:,}" for c in corpora)
    return Table("traits", f"Trait values that aren't available, share of the users read ({asked})", columns, rows)


def _sample(corpora: Sequence[CorpusStatistics]) -> Table:
    rows = tuple(
        (
            c.name,
            f"{len(s.sample.threads):,}",
            f"{s.before.n:,}",
            _spread(s.before),
            *(f"{n:,}" for n in (len(s.users), s.men, s.women, s.men_sentences, s.women_sentences)),
            _share(s.sample.women, s.sample.targets),
        )
        for c in corpora
        if (s := c.sample) is not None
    )
    return Table("sample", "The experiments' sample: comments by users with enough of them", SAMPLE, rows)


def _losses(corpora: Sequence[CorpusStatistics]) -> Table:
    return Table("losses", "What came in, what was kept, what was dropped and why", LOSSES, tuple(_lost(corpora)))


def _lost(corpora: Sequence[CorpusStatistics]) -> Iterator[tuple[str, ...]]:
    for corpus in corpora:
        for stage, thing, given, kept, dropped in corpus.stages:
            yield corpus.name, stage, thing, f"{given:,}", f"{kept:,}", f"{given - kept:,}", ""
            for reason, count in sorted(dropped.items(), key=lambda item: (-item[1], item[0])):
                yield corpus.name, stage, thing, "", "", f"{count:,}", reason


def distributions(corpus: CorpusStatistics) -> dict[str, Spread]:
    """The distributions that are drawn, by name."""
    return {
        "words per turn": corpus.turn_words,
        "turns per user": corpus.turns_per_user,
        "turns per thread": corpus.thread_turns,
        "users per thread": corpus.thread_users,
        "words per user page": corpus.page_words,
        "words per profile": corpus.profile_words,
    }


def _spreads(corpora: Sequence[CorpusStatistics]) -> Table:
    rows = tuple(
        (corpus.name, name, str(value), str(count))
        for corpus in corpora
        for name, spread in distributions(corpus).items()
        for value, count in sorted(spread.counts.items())
    )
    return Table("distributions", "Distributions, value by value", SPREADS, rows)


def _spread(spread: Spread) -> str:
    if isnan(spread.mean):
        return NONE
    return f"{spread.mean:.2f} ± {NONE if isnan(spread.sd) else f'{spread.sd:.2f}'}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else NONE


def _aligned(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.ljust(width) if not place else cell.rjust(width)


def _split_name(column: str) -> tuple[str, ...]:
    return (f"{column[:-2]} mean", f"{column[:-2]} sd") if column.endswith(" ±") else (column,)


def _split(column: str, cell: str) -> tuple[str, ...]:
    plain = cell.replace(",", "") if cell.replace(",", "").isdigit() else cell
    if not column.endswith(" ±"):
        return (plain if plain != NONE else "",)
    mean, _, sd = cell.partition(" ± ")
    return tuple("" if value == NONE else value for value in (mean, sd))
