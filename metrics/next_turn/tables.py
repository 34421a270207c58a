"""The paper's tables of numbers for a study."""

from collections.abc import Callable, Sequence

from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS
from folkmoot.metrics.next_turn.drawn import Drawn, Key, key_of
from folkmoot.metrics.next_turn.study import GENDERS, STRATUM_SCORES, Study
from folkmoot.metrics.table import Cell, Table
from folkmoot.metrics.text import SPLITTER

PLACE = ["condition", "community", "model"]
TITLES = {
    "bert": "BERT ↑",
    "rbert": "rBERT ↑",
    "rouge": "ROUGE-L ↑",
    "sentiment_wd": "sentiment WD ↓",
    "sentiment_js": "sentiment JS ↓",
    "acts_js": "acts JS distance ↓",
    "acts_jsd": "acts JS divergence ↓",
    "density_ratio": "density ratio",
}
"""Score -> heading; the arrow points to where people are."""


def text(study: Study) -> Table:
    """Length and similarity (Wiki-Talkie, tables 11 and 12)."""
    scores = ["bert", "rbert", "rouge"]
    table = Table(
        "text",
        "Text similarity: words per comment (mean ± sd), BERTScore, rescaled BERTScore and ROUGE-L.",
        [*PLACE, "n", "left out", "human words", "agent words", *(TITLES[score] for score in scores)],
        notes=notes_of(study, *study.similarity.notes),
    )

    def cells(key: Key) -> list[Cell]:
        words = [study.drawn.number(key, f"{side}_words", f"{side}_words_sd") for side in ("human", "agent")]
        return [*words, *(study.drawn.number(key, score) for score in scores)]

    return _by_place(study, table, cells, ["human_words", "agent_words", *scores])


def behaviour(study: Study) -> Table:
    """Sentiment and act divergences (Wiki-Talkie, tables 13 and 14)."""
    scores = ["sentiment_wd", "acts_js", "acts_jsd", "density_ratio"]
    table = Table(
        "behaviour",
        "Interaction behaviour: Wasserstein-1 of sentiment on the points 1 to 5; Jensen-Shannon distance and "
        "divergence of act proportions, base 2; density ratio = human acts per sentence / agent acts per sentence.",
        [*PLACE, "n", "left out", *(TITLES[score] for score in scores)],
        notes=notes_of(study, f"Sentences: {SPLITTER}, both sides.", *annotators(study, "acts", "sentiment")),
    )
    return _by_place(study, table, lambda key: [study.drawn.number(key, score) for score in scores], scores)


def deltas(study: Study) -> Table:
    """Differences of act proportions (Wiki-Talkie, tables 13 and 14, right half)."""
    scores = [f"delta.{act}" for act in ACTS]
    table = Table(
        "deltas",
        "Dialog acts: human - agent proportion of each act; positive: agents under-produce it.",
        [*PLACE, "n", "left out", *ACTS],
        notes=notes_of(study, *annotators(study, "acts")),
    )
    return _by_place(study, table, lambda key: [study.drawn.number(key, score) for score in scores], scores)


def _by_place(study: Study, table: Table, cells: Callable[[Key], list[Cell]], scores: Sequence[str]) -> Table:
    """A row a cell, then averages over models by community, over communities by model, and over all."""
    for condition in study.conditions:
        for community in study.communities:
            keys = study.keys(condition, community)
            table.rows += [[*place(key), *_counts(study, [key]), *cells(key)] for key in keys]
            if len(keys) > 1:
                table.rows.append(
                    _average(study, [condition, community, _averaged(study, keys, "models")], keys, scores)
                )
        for model in study.models:
            keys = study.keys(condition, model=model)
            if len(keys) > 1:
                table.rows.append(
                    _average(study, [condition, _averaged(study, keys, "communities"), model], keys, scores)
                )
        keys = study.keys(condition)
        if len(study.models) > 1 and len(study.communities) > 1:
            where: list[Cell] = [condition, _averaged(study, keys, "cells"), "all"]
            table.rows.append(_average(study, where, keys, scores))
    return table


def _averaged(study: Study, keys: Sequence[Key], what: str) -> str:
    """What an average is of: the cells that have numbers."""
    return f"Avg of {sum(key in study.drawn.scores for key in keys)} {what}"


def place(key: Key) -> list[Cell]:
    """Where a row stands."""
    return [key.condition, key.community, key.model]


def _average(study: Study, where: list[Cell], keys: Sequence[Key], scores: Sequence[str]) -> list[Cell]:
    return [*where, *_counts(study, keys), *(study.drawn.average(keys, score) for score in scores)]


def _counts(study: Study, keys: Sequence[Key]) -> list[Cell]:
    """Usable pairs, and the share of targets that are left out."""
    cells = [cell for cell in study.cells if key_of(cell) in keys]
    pairs, usable = sum(len(cell.pairs) for cell in cells), sum(len(cell.usable) for cell in cells)
    return [usable, f"{1 - usable / pairs:.1%}" if pairs else ""]


def gender(study: Study) -> Table:
    """Act differences by the author's gender (Wiki-Talkie, figure 18)."""
    table = Table(
        "gender",
        "Dialog acts by the author's gender: human - agent proportion of each act.",
        [*PLACE, "gender", "n", *ACTS],
        notes=notes_of(study, *annotators(study, "acts")),
    )
    for cell in study.cells:
        key = key_of(cell)
        for name in GENDERS:
            drawn: Drawn = study.by_gender[name]
            numbers = [drawn.number(key, f"delta.{act}") for act in ACTS]
            table.rows.append([*place(key), name, drawn.n[key][0], *numbers])
    return table


def profile_length(study: Study) -> Table:
    """Scores by length of the author's profile (Wiki-Talkie, figures 20 to 23)."""
    table = Table(
        "profile_length",
        "Scores by length of the author's profile, in words, with the share of comments in each bucket.",
        [*PLACE, "profile words", "n", "share", *(TITLES[score] for score in STRATUM_SCORES)],
        notes=notes_of(study, f"A bucket of fewer than {study.settings.least} comments is left out."),
    )
    for cell in study.cells:
        key = key_of(cell)
        for stratum in study.strata:
            if key in stratum.drawn.scores:
                numbers = [stratum.drawn.number(key, score) for score in STRATUM_SCORES]
                share = f"{stratum.share[key]:.1%}"
                table.rows.append([*place(key), stratum.name, stratum.drawn.n[key][0], share, *numbers])
    return table


def sentiment(study: Study) -> Table:
    """Sentiment histograms (Wiki-Talkie, figures 5 and 19)."""
    table = Table(
        "sentiment",
        "Sentiment: share of each point on both sides.",
        [*PLACE, "side", "n", *SENTIMENTS],
        notes=notes_of(study, *annotators(study, "sentiment")),
    )
    for cell in study.cells:
        key = key_of(cell)
        for side in ("human", "agent"):
            numbers = [study.drawn.number(key, f"{side}.{label}") for label in SENTIMENTS]
            table.rows.append([*place(key), side, len(cell.usable), *numbers])
    return table


def annotators(study: Study, *roles: str) -> list[str]:
    """Who labelled."""
    return [f"{role.capitalize()}: {study.facts.get(role, 'not labelled')}, both sides." for role in roles]


def notes_of(study: Study, *more: str) -> list[str]:
    """How the numbers were made."""
    settings = study.settings
    traits = any(not t["as_of_target"] for cell in study.cells if (t := cell.sample.get("traits")))
    return [
        f"Intervals: {settings.resampler.label}, over {settings.unit}s; * fewer than 10 {settings.unit}s: too narrow.",
        f"'too few': under {settings.least} comments, no number.",
        "\u2013: not measured, or a side without labels (see answers).",
        "Averages: mean ± sd over the cells that have numbers.",
        *(["Traits are not as of the target (see sample)."] if traits else []),
        *more,
    ]
