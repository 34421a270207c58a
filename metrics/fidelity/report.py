"""Tables of several scored benchmarks (PRISM, section 4): main, rubric, temperature, dimensions, position, losses."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from folkmoot.metrics.fidelity.methods import Line
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.metrics.table import Cell, Number, Table

MEASURES: Mapping[str, str] = {"auc": "AUC", "pair_auc": "P-AUC", "group_accuracy": "G-Acc"}
"""Number -> its heading; all in [0, 1], higher is better."""

_WHO = ("benchmark", "model", "method")
_HOW = "Intervals: 95 %, bootstrap over groups. AUC over all items; P-AUC pooled over pairs, ties half; G-Acc strict."


@dataclass(frozen=True, slots=True)
class Scoring:
    """One run of the experiment.

    Attributes:
        benchmark, method, model: what was scored by which method with which model.
        settings: the experiment's settings.
        seed: of the run.
        numbers: `table.results` of it.
        losses: what was dropped or not scored in full, by reason.
        lines: its items.
    """

    benchmark: str
    method: str
    model: str
    settings: Mapping[str, Any]
    seed: int
    numbers: Mapping[str, Any]
    losses: Mapping[str, int]
    lines: Sequence[Line]

    @property
    def label(self) -> str:
        """Method with what sets it apart from the method's other runs."""
        more = {"prism": [f"{self.settings['permutations']} orders"] * (self.settings["permutations"] > 1)}
        judged = [f"{self.settings['rubric']} points"]
        judged += [f"T = {self.settings['temperature']:g}"] * (self.settings["temperature"] > 0)
        extra = more.get(self.method, judged if self.method in {"vanilla", "cot"} else [])
        extra = [*extra, *(["persona shown"] * (self.method == "prism" and bool(self.settings["show_persona"])))]
        return f"{self.method} ({', '.join(extra)})" if extra else self.method


def tables(scorings: Sequence[Scoring]) -> list[Table]:
    """All tables that the runs have something for."""
    made = [main(scorings), dimensions(scorings), position(scorings), losses(scorings)]
    for key, title in (("rubric", "points"), ("temperature", "T"), ("model", "backbone")):
        made.append(sensitivity(scorings, key, title))
    return [table for table in made if table.rows]


def main(scorings: Sequence[Scoring]) -> Table:
    """Method x model x benchmark."""
    columns = ["benchmark", "model", "method", "seed", *MEASURES.values(), "groups", "items"]
    table = Table("main", "How well scores separate responses in character from those out of it.", columns)
    table.notes = [_HOW, "Without knowledge AUC and P-AUC are 0.5, G-Acc is 1 / the size of a group."]
    for one in scorings:
        numbers = one.numbers
        values = [number(numbers.get(key)) for key in MEASURES]
        table.rows.append([one.benchmark, one.model, one.label, one.seed, *values, numbers["groups"], numbers["items"]])
    return table


def dimensions(scorings: Sequence[Scoring]) -> Table:
    """The ablation: all dimensions, and each alone."""
    table = Table(
        "dimensions", "Each dimension alone.", ["benchmark", "model", "method", "dimension", *MEASURES.values()]
    )
    table.notes = [_HOW]
    for one in scorings:
        if "dimensions" not in one.numbers:
            continue
        for name in ("all", *DIMENSIONS):
            found = one.numbers if name == "all" else one.numbers["dimensions"][name]
            values = [number(found[key]) for key in MEASURES]
            table.rows.append([one.benchmark, one.model, one.label, name.replace("_", " "), *values])
    return table


def position(scorings: Sequence[Scoring]) -> Table:
    """Mean probability of each displayed place."""
    table = Table(
        "position", "Position bias of the evaluator.", ["benchmark", "model", "method", "first", "second", "third"]
    )
    table.notes = ["Mean probability of the label that stands at a place: 1/3 each without bias (all six orders)."]
    for one in scorings:
        if places := one.numbers.get("places"):
            values: list[Cell] = [Number(value, n=one.numbers["items"]) for value in places]
            table.rows.append([one.benchmark, one.model, one.label, *values])
    return table


def losses(scorings: Sequence[Scoring]) -> Table:
    """What was dropped or not scored in full."""
    table = Table(
        "losses", "What was left out or not scored in full.", ["benchmark", "model", "method", "reason", "count"]
    )
    for one in scorings:
        for reason, count in sorted({**one.losses, **one.numbers["dropped"]}.items()):
            table.rows.append([one.benchmark, one.model, one.label, reason, count])
    return table


def sensitivity(scorings: Sequence[Scoring], key: str, title: str) -> Table:
    """Mean and standard deviation over a setting's values (rubric, temperature) or over models."""
    name = {"model": "backbone"}.get(key, key)
    table = Table(name, f"Sensitivity to the {name}: mean and sd over its values.", ["benchmark", "method", title])
    table.columns += list(MEASURES.values())
    value: Callable[[Scoring], Any] = (lambda one: one.model) if key == "model" else (lambda one: one.settings[key])
    groups: dict[tuple[str, str], list[Scoring]] = {}
    for one in scorings:
        if key == "model" or one.method in {"vanilla", "cot"}:
            groups.setdefault((one.benchmark, one.label if key == "model" else one.method), []).append(one)
    for (benchmark, method), ones in groups.items():
        values = sorted({str(value(one)) for one in ones})
        if len(values) > 1:
            found = [_over([number(one.numbers.get(k)) for one in ones]) for k in MEASURES]
            table.rows.append([benchmark, method, ", ".join(values), *found])
    return table


def number(found: Mapping[str, Any] | None) -> Number:
    """A summary's estimate as tables show it; undefined where the method has no such number."""
    if found is None:
        return Number(math.nan)
    return Number(found["value"], found["low"], found["high"], n=found["n_items"], units=found["n_units"])


def _over(numbers: Sequence[Number]) -> Number:
    values = [one.value for one in numbers if not math.isnan(one.value)]
    if not values:
        return Number(math.nan)
    mean = math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)) if values[1:] else 0.0
    return Number(mean, n=len(values), units=len(values), sd=spread)
