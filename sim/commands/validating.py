"""The work behind `folkmoot annotators validate`."""

import asyncio
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.agents.llm.build import build_pool
from folkmoot.metrics.annotators.build import AnnotatorConfig, build_annotators, kinds_of
from folkmoot.metrics.annotators.sets import Example, read_set
from folkmoot.metrics.annotators.validation import Validation, by_context
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError, did_you_mean
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.protocols import Annotator

ROLES = ("acts", "sentiment")
Results = Mapping[int | None, Validation]


def validate_set(labelled: str, overrides: Sequence[str], *, role: str, widths: str, out: Path | None) -> str:
    """A report in Markdown; with `out`, the numbers as JSON too.

    Raises:
        ConfigError: an unknown role or width, or an annotator that only knows its own texts.
        AnnotationError: the set can't be read, or has none of the labels.
    """
    if role not in ROLES:
        raise ConfigError(f"role {role!r}; {did_you_mean(role, ROLES)}")
    wanted = [_width(one) for one in widths.split(",")]
    config = check(RunConfig, compose(["tracking=none", *overrides]))
    examples = read_set(labelled)
    name, results = asyncio.run(_results(config, role, examples, wanted))
    if out is not None:
        out.write_bytes(msgspec.json.format(msgspec.json.encode(_numbers(name, labelled, results)), indent=2) + b"\n")
    return "\n".join(report(name, labelled, results))


def _width(text: str) -> int | None:
    text = text.strip()
    if text == "all":
        return None
    if not text.isdecimal():
        raise ConfigError(f"context width {text!r}; all, or a number of comments, 0 at least")
    return int(text)


async def _results(
    config: RunConfig, role: str, examples: Sequence[Example], widths: Sequence[int | None]
) -> tuple[str, Results]:
    """The annotator's name with its version, and its results."""
    kind = kinds_of(config.annotator)[role]
    if kind == "scripted":
        raise ConfigError(f"annotator.{role}=scripted knows its own texts alone; validate embedded, llm or hub")
    pool = build_pool(config.llm, config.seed) if kind == "llm" else None
    try:
        annotator = _only(config.annotator, role, pool)
        return f"{annotator.name} {annotator.version}", await by_context(annotator, examples, widths)
    finally:
        if pool is not None:
            await pool.close()


def _only(config: AnnotatorConfig, role: str, model: Any) -> Annotator:
    """The annotator of one role; the other is never loaded, and no answer is kept."""
    kind = kinds_of(config)[role]
    other = {"acts": "sentiment", "sentiment": "acts"}[role]
    alone = config.model_copy(update={role: kind, other: "scripted", "keep": False})
    return build_annotators(alone, model=model)[role]


# --- what is shown -------------------------------------------------------------------------------


def report(name: str, labelled: str, results: Results) -> Iterator[str]:
    """Tables in Markdown: micro-F1 and per label by width; counts, precision, recall and confusion of each width."""
    first = next(iter(results.values()))
    widths = list(results)
    alone = len(widths) > 1 and len(list(_distinct(results))) == 1
    yield f"# {name} on {labelled}\n"
    yield f"{first.n} comments; {first.passed_over} passed over (no judged label); {first.failures} without answer"
    yield f"Interval: {first.micro.method}, {first.micro.n_units} threads{' (few)' if first.micro.few else ''}\n"
    yield from _table(["", *map(_shown, widths)], _rows(results))
    if alone:
        yield "\nThis annotator reads the comment alone: its context makes no difference."
    for width, one in _distinct(results):
        yield f"\n## {'The comment alone' if alone else f'Context: {_shown(width)}'}\n"
        yield from _table(["", "gold", "found", "precision", "recall", "F1"], _counts(one))
        yield "\nRows: gold; columns: found instead (a hit on the diagonal)\n"
        short = [label[:5] for label in one.by_label]
        named = zip(one.by_label, one.confusion.tolist(), strict=True)
        yield from _table(["", *short], [[label, *map(str, row)] for label, row in named if any(row)])


def _rows(results: Results) -> Iterator[list[str]]:
    yield [
        "micro-F1",
        *(f"{_number(v.micro_f1)} [{_number(v.micro.low)}, {_number(v.micro.high)}]" for v in results.values()),
    ]
    yield ["macro-F1", *(_number(v.macro_f1) for v in results.values())]
    for label in next(iter(results.values())).by_label:
        if any(not math.isnan(v.by_label[label]) for v in results.values()):
            yield [label, *(_number(v.by_label[label]) for v in results.values())]


def _counts(one: Validation) -> Iterator[list[str]]:
    for label, score in one.by_label.items():
        if not math.isnan(score):
            yield [
                label, str(one.gold[label]), str(one.found[label]), _number(one.precision[label]),
                _number(one.recall[label]), _number(score),
            ]  # fmt: skip


def _distinct(results: Results) -> Iterator[tuple[int | None, Validation]]:
    """Each result once: an annotator without context has one for all widths."""
    seen: list[Validation] = []
    for width, one in results.items():
        if not any(one is other for other in seen):
            seen.append(one)
            yield width, one


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(row)} |"


def _shown(width: int | None) -> str:
    return "all before" if width is None else f"{width} before"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def _numbers(name: str, labelled: str, results: Results) -> dict[str, Any]:
    return {
        "annotator": name,
        "set": labelled,
        "widths": {_shown(width): _of(one) for width, one in results.items()},
    }


def _of(one: Validation) -> dict[str, Any]:
    labels = {
        label: {
            "gold": one.gold[label], "found": one.found[label], "precision": _plain(one.precision[label]),
            "recall": _plain(one.recall[label]), "f1": _plain(score),
        }
        for label, score in one.by_label.items()
    }  # fmt: skip
    micro = {
        "value": _plain(one.micro_f1),
        "low": _plain(one.micro.low),
        "high": _plain(one.micro.high),
        "threads": one.micro.n_units,
    }
    return {
        "n": one.n, "passed_over": one.passed_over, "failures": one.failures, "micro_f1": micro,
        "macro_f1": _plain(one.macro_f1), "labels": labels, "confusion": one.confusion.tolist(),
    }  # fmt: skip


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 6)
