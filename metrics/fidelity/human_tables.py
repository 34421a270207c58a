"""Tables of a human study: agreement, what people think of the benchmark, how methods fit, what is missing."""

import math
from collections.abc import Mapping, Sequence

from folkmoot.metrics.fidelity.humans import ALL, Bootstrap, Part, agreement, fit, parts, told_apart, undecided
from folkmoot.metrics.fidelity.methods import Line
from folkmoot.metrics.fidelity.report import MEASURES
from folkmoot.metrics.fidelity.sheets import FIDELITY, Answers
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.metrics.table import Cell, Number, Table
from folkmoot.metrics.uncertainty import Estimate

Method = tuple[str, str]
"""Model and label of a method."""

Scored = Mapping[Method, Mapping[tuple[str, str], Line]]
"""Method -> (benchmark, item) -> its line."""

_HOW = "Intervals: 95 %, bootstrap over groups. \u2013: not defined (all answers alike, or no violation)."


def human_tables(answers: Answers, scored: Scored, how: Bootstrap) -> list[Table]:
    """All tables of a study and of the methods that have scored its benchmarks."""
    every = parts(answers)
    made = [
        annotators(every, how),
        verified(every, how),
        diagnosis(every, scored, how),
        missing(answers, every, scored),
    ]
    return [table for table in made if table.rows]


def annotators(every: Sequence[Part], how: Bootstrap) -> Table:
    """Agreement by question."""
    table = Table(
        "annotators", "How far the annotators agree.", ["benchmark", "question", "alpha", "annotators", "responses"]
    )
    table.notes = ["Krippendorff's alpha, ordinal: 1 is full agreement, 0 is chance.", _HOW]
    for part in every:
        for question in (FIDELITY, *DIMENSIONS, ALL):
            named = "three dimensions" if question == ALL else question.replace("_", " ")
            alpha = _number(agreement(part, question, how))
            table.rows.append([part.benchmark, named, alpha, part.answers.key.annotators, len(part.places)])
    return table


def verified(every: Sequence[Part], how: Bootstrap) -> Table:
    """How well people tell positives from negatives: what an evaluator can hope for."""
    table = Table(
        "humans", "How well the mean rating of people separates.", ["benchmark", *MEASURES.values(), "groups"]
    )
    table.notes = [_HOW]
    for part in every:
        if found := told_apart(part, how):
            values = [_number(getattr(found, key)) for key in MEASURES]
            table.rows.append([part.benchmark, *values, found.groups])
    return table


def diagnosis(every: Sequence[Part], scored: Scored, how: Bootstrap) -> Table:
    """How each method's scores fit the annotators' answers."""
    columns = ["benchmark", "model", "method", "rank correlation", "Top-1", "random", "Top-2", "random", "macro-F1"]
    table = Table("diagnosis", "How scores fit what people say.", columns)
    table.notes = [
        "Rank correlation (Spearman) of score and mean rating.",
        "Top-1: the lowest dimension is one that most annotators see violated; Top-2: one of the two lowest is.",
        "Beside them what a random order gets. Macro-F1 of violations over the dimensions.",
        _HOW,
    ]
    for part in every:
        for (model, label), lines in scored.items():
            found = fit(part, lines, how)
            if found.missing == len(part.places):
                continue
            numbers = (found.top1, Number(found.chance1), found.top2, Number(found.chance2), found.f1)
            cells = [one if isinstance(one, Number) else _number(one) for one in numbers]
            table.rows.append([part.benchmark, model, label, _number(found.rank), *cells])
    return table


def missing(answers: Answers, every: Sequence[Part], scored: Scored) -> Table:
    """What was left out, by reason."""
    table = Table("missing", "What the study lacks.", ["reason", "count"])
    counts: dict[str, int] = dict(answers.key.dropped)
    counts["cells that an annotator left empty"] = answers.blank
    counts["dimensions of responses without a majority (count as not violated)"] = undecided(every[-1])
    items = [(one.benchmark, one.item) for one in answers.key.shown.values()]
    for (model, label), lines in scored.items():
        lost = sum(item not in lines or lines[item].score is None for item in items)
        counts[f"responses without a score by {label}, {model}"] = lost
    table.rows = [[reason, count] for reason, count in counts.items() if count]
    return table


def _number(found: Estimate | None) -> Cell:
    if found is None:
        return Number(math.nan)
    return Number(found.value, found.low, found.high, n=found.n_items, units=found.n_units)
