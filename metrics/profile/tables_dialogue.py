"""Tables of dialogue runs (SocialPersona, tables 3, 11, 12): points by judge, correlations with profile F1, losses."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import torch

from folkmoot.metrics.profile.cells import DialogueCell, UserKey
from folkmoot.metrics.profile.correlation import spearman, stars
from folkmoot.metrics.profile.counting import Count, score_of
from folkmoot.metrics.profile.judging import DIMENSIONS
from folkmoot.metrics.profile.results import SCORED, resampler
from folkmoot.metrics.significance import holm
from folkmoot.metrics.table import Number, Table
from folkmoot.metrics.uncertainty import intervals

CONTEXTS = ("timeline", "direct", "hierarchical", "extractive_abstractive")

_P_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Points:
    """Points of the answers of one model, context and seed by one judge.

    Attributes:
        scores: intent -> user -> coverage, concreteness, fluency.
        counts: intent -> user -> counts of the profile that the answer rests on.
    """

    model: str
    context: str
    seed: int
    judge: str
    scores: dict[str, dict[UserKey, tuple[float, float, float]]] = field(default_factory=dict)
    counts: dict[str, dict[UserKey, dict[str, Count]]] = field(default_factory=dict)

    @property
    def label(self) -> list[str]:
        """What sets it apart."""
        return [self.model, self.context, str(self.seed), self.judge]

    def by_user(self, intents: Iterable[str]) -> dict[UserKey, list[tuple[float, float, float]]]:
        """The points of each user over some intents."""
        found: dict[UserKey, list[tuple[float, float, float]]] = {}
        for intent in intents:
            for user, points in self.scores.get(intent, {}).items():
                found.setdefault(user, []).append(points)
        return found

    def f1(self, scope: str) -> dict[UserKey, float]:
        """F1 of each user's profile; the profile is the same for both intents."""
        return {
            user: score_of(counts[scope]).f1
            for own in self.counts.values()
            for user, counts in own.items()
            if scope in counts
        }


LABELS = ("model", "context", "seed", "judge")


def gathered(cells: Sequence[DialogueCell]) -> list[Points]:
    """Runs put together by model, context, seed and judge, over intents."""
    found: dict[tuple[str, str, int, str], Points] = {}
    for cell in cells:
        for judge, scores in cell.scores.items():
            key = cell.model, cell.context, cell.seed, judge
            one = found.setdefault(key, Points(*key))
            one.scores[cell.intent] = dict(scores)
            one.counts[cell.intent] = {user: dict(counts) for user, counts in cell.counts.items()}
    return sorted(found.values(), key=lambda p: (p.model, CONTEXTS.index(p.context), p.seed, p.judge))


def dialogue_tables(cells: Sequence[DialogueCell], draws: int = 2000, seed: int = 1) -> list[Table]:
    """All tables that the runs have something for."""
    points = gathered(cells)
    made = [scores(points, draws, seed), quality(points, draws, seed), temporal(points, draws, seed), losses(cells)]
    return [table for table in made if table.rows]


def scores(points: Sequence[Points], draws: int, seed: int) -> Table:
    """Points by model, context, judge and intent."""
    table = Table("scores", "Personal answers: points from 0 to 5.", [*LABELS, "intent", *SCORED, "users"])
    table.notes = ["Intervals: 95 %, bootstrap over users. Avg: the mean of the three."]
    for one in points:
        for intents in [(intent,) for intent in one.scores] + ([tuple(one.scores)] if len(one.scores) > 1 else []):
            means = _means(one.by_user(intents), draws, seed)
            if means:
                users = means[0].units
                table.rows.append([*one.label, " and ".join(intents), *means, users])
    return table


def _means(by_user: dict[UserKey, list[tuple[float, float, float]]], draws: int, seed: int) -> list[Number]:
    """Mean of each dimension and of all, over items; whole users are drawn."""
    if not by_user:
        return []
    sums = torch.tensor([[*(sum(c) for c in zip(*own, strict=True)), len(own)] for own in by_user.values()])
    drawing = resampler(draws, seed)
    totals = drawing.weights(len(sums), "users") @ sums.to(torch.float64)
    means = totals[:, :3] / totals[:, 3:]
    table = torch.cat([means, means.mean(1, keepdim=True)], 1)
    low, high = intervals(table[1:], table[0], drawing.level, drawing.method)
    items = sum(map(len, by_user.values()))
    return [
        Number(v, a, b, n=items, units=len(by_user))
        for v, a, b in zip(table[0].tolist(), low.tolist(), high.tolist(), strict=True)
    ]


def quality(points: Sequence[Points], draws: int, seed: int) -> Table:
    """Tag F1 of a user's profile against the points of their answers."""
    pairs = [("all", "avg"), ("all", "coverage"), ("all", "concreteness")]
    table = _correlations("correlations", "Spearman's rho of a user's tag F1 with the points of their answers.")
    rows = [(one, scope, measure, tuple(one.scores)) for one in points if one.f1("all") for scope, measure in pairs]
    _fill(table, rows, draws, seed)
    return table


def temporal(points: Sequence[Points], draws: int, seed: int) -> Table:
    """F1 of a bucket against the Avg of an intent: of the same bucket, and of the other one."""
    table = _correlations("temporal", "Spearman's rho of a bucket's F1 with the Avg of an intent.")
    pairs = [("stable", "stable"), ("recent", "recent"), ("stable", "recent"), ("recent", "stable")]
    rows = [
        (one, scope, "avg", (intent,))
        for one in points
        if one.f1("all")
        for scope, intent in pairs
        if intent in one.scores
    ]
    _fill(table, rows, draws, seed)
    return table


def _correlations(name: str, caption: str) -> Table:
    table = Table(name, caption, [*LABELS, "profile F1", "points", "intent", "rho", "", "p", "p (Holm)", "n"])
    table.notes = [
        "Intervals: 95 %, bootstrap over users. p: two-sided, also corrected by Holm over this table.",
        "* p < .05, ** p < .01, *** p < .001 (not corrected). Users whose F1 isn't defined are left out.",
    ]
    return table


def _fill(table: Table, rows: Sequence[tuple[Points, str, str, tuple[str, ...]]], draws: int, seed: int) -> None:
    found = []
    for one, scope, measure, intents in rows:
        f1, answers = one.f1(scope), one.by_user(intents)
        users = [user for user in answers if user in f1]
        values = [_mean([_value(points, measure) for points in answers[user]]) for user in users]
        found.append(spearman([f1[user] for user in users], values, draws=draws, seed=seed))
    known = [k for k, one in enumerate(found) if not math.isnan(one.p)]
    corrected = dict(zip(known, holm([found[k].p for k in known]), strict=True)) if known else {}
    for k, ((one, scope, measure, intents), got) in enumerate(zip(rows, found, strict=True)):
        rho = Number(got.rho, got.low, got.high, n=got.n, units=got.n)
        p = Number(got.p, digits=_P_DIGITS)
        adjusted = Number(float(corrected.get(k, math.nan)), digits=_P_DIGITS)
        what = [scope, measure, " and ".join(intents)]
        table.rows.append([*one.label, *what, rho, stars(got.p), p, adjusted, got.n])


def _value(points: tuple[float, float, float], measure: str) -> float:
    return _mean(points) if measure == "avg" else points[DIMENSIONS.index(measure)]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def losses(cells: Sequence[DialogueCell]) -> Table:
    """What was left out, dropped, not answered or not read."""
    table = Table("losses", "What was left out, not answered or not read.", ["model", "context", "intent", "seed"])
    table.columns += ["reason", "count"]
    for cell in cells:
        label = [cell.model, cell.context, cell.intent, str(cell.seed)]
        table.rows += [[*label, reason, count] for reason, count in sorted(cell.losses.items())]
    return table
