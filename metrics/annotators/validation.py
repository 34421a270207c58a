"""How good an annotator is: F1 against a labelled set, by context width. Sets: `folkmoot.metrics.annotators.sets`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray

from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS
from folkmoot.metrics.annotators.sets import Example, read_labelled
from folkmoot.metrics.paired import unit_sums
from folkmoot.metrics.uncertainty import Estimate, Resampler, estimates
from folkmoot.sim.errors import AnnotationError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.protocols import Annotator, Utterance

__all__ = ["WIDTHS", "Example", "Validation", "by_context", "f1", "macro_f1", "micro_f1", "read_labelled", "validate"]

Mask = NDArray[np.bool_]

WIDTHS: tuple[int | None, ...] = (None, 3, 2, 1, 0)
"""Context widths of a validation: all comments before, three, two, one, none."""


@runtime_checkable
class Widening(Protocol):
    """An annotator that can read another number of preceding comments."""

    def reading(self, width: int | None) -> Annotator:
        """The same annotator with that context; None: all that there is."""


@dataclass(frozen=True, slots=True)
class Validation:
    """Agreement of an annotator with a labelled set.

    Attributes:
        n: comments compared.
        failures: comments for which the annotator gave no label; they count as empty.
        passed_over: lines of the set without the label asked for, or where no label was judged.
        micro_f1: pooled over labels, with its interval over threads.
        macro_f1: averaged over labels that occur on either side.
        by_label: label -> F1, NaN where it occurs on neither side.
        precision: label -> share of its finds that are gold; NaN where it wasn't found.
        recall: label -> share of its gold that was found; NaN where it isn't gold.
        gold: label -> comments that have it.
        found: label -> comments that got it.
        confusion: (gold, found) -> comments; for acts, pairs count once in each comment where gold lacks what was
            found and the annotator lacks what is gold; a hit counts on the diagonal.
    """

    n: int
    failures: int
    passed_over: int
    micro: Estimate
    macro_f1: float
    by_label: Mapping[str, float]
    precision: Mapping[str, float]
    recall: Mapping[str, float]
    gold: Mapping[str, int]
    found: Mapping[str, int]
    confusion: NDArray[np.int64] = field(repr=False)

    @property
    def micro_f1(self) -> float:
        """F1 pooled over labels."""
        return self.micro.value


async def validate(annotator: Annotator, examples: Sequence[Example], context: int | None = None) -> Validation:
    """Compare an annotator with a labelled set.

    Args:
        annotator: of acts or sentiment, told apart by its labels.
        examples: the set.
        context: at most so many preceding comments; None: all that there are.

    Raises:
        AnnotationError: no line of the set has the labels asked for.
    """
    of_acts = tuple(annotator.labels) == ACTS
    chosen = [one for one in examples if _judged(one, of_acts)]
    if not chosen:
        wanted = "acts" if of_acts else "sentiment"
        raise AnnotationError(f"none of the set's {len(examples)} comments has {wanted} that were judged; add some")
    reader = annotator.reading(context) if isinstance(annotator, Widening) else annotator
    answers = await reader.annotate([_utterance(one, number, context) for number, one in enumerate(chosen)])
    gold = [one.acts if of_acts else (SENTIMENTS[(one.sentiment or 0) - 1],) for one in chosen]
    scope = [one.scope if of_acts and one.scope is not None else annotator.labels for one in chosen]
    known = _mask(scope, annotator.labels)
    truth, found = _mask(gold, annotator.labels) & known, _mask(answers, annotator.labels) & known
    threads = [one.thread or f"\n{number}" for number, one in enumerate(chosen)]
    each = [f1(f, t) for f, t in zip(found.T, truth.T, strict=True)]

    def by_label(values: Sequence[Any]) -> dict[str, Any]:
        return dict(zip(annotator.labels, values, strict=True))

    hits, finds, golds = (truth & found).sum(0), found.sum(0), truth.sum(0)
    return Validation(
        n=len(chosen),
        failures=sum(answer is None for answer in answers),
        passed_over=len(examples) - len(chosen),
        micro=_micro(found, truth, threads),
        macro_f1=float(np.nanmean(each)) if not np.isnan(each).all() else float("nan"),
        by_label=by_label(each),
        precision=by_label([float(h / n) if n else float("nan") for h, n in zip(hits, finds, strict=True)]),
        recall=by_label([float(h / n) if n else float("nan") for h, n in zip(hits, golds, strict=True)]),
        gold=by_label(golds.tolist()),
        found=by_label(finds.tolist()),
        confusion=_confusion(found, truth),
    )


async def by_context(
    annotator: Annotator, examples: Sequence[Example], widths: Sequence[int | None] = WIDTHS
) -> dict[int | None, Validation]:
    """The same for several context widths; None: all that there is. One that reads no context is asked once."""
    if annotator.context == 0 and not isinstance(annotator, Widening):
        return dict.fromkeys(widths, await validate(annotator, examples, 0))
    return {width: await validate(annotator, examples, width) for width in widths}


def f1(found: NDArray[Any], truth: NDArray[Any]) -> float:
    """2 TP / (2 TP + FP + FN) over all cells of two masks; NaN where both are empty.

    >>> f1(np.array([True, True, False]), np.array([True, False, True]))
    0.5
    """
    cells = int(np.sum(found)) + int(np.sum(truth))
    return float(2 * np.sum(np.logical_and(found, truth)) / cells) if cells else float("nan")


micro_f1 = f1


def macro_f1(found: NDArray[Any], truth: NDArray[Any], classes: int) -> float:
    """Mean F1 of the classes 0..classes-1 that occur on either side."""
    return float(np.nanmean([f1(found == one, truth == one) for one in range(classes)]))


def _judged(example: Example, of_acts: bool) -> bool:
    if not of_acts:
        return example.sentiment is not None
    return example.acts is not None and example.scope != ()


def _micro(found: Mask, truth: Mask, threads: Sequence[str]) -> Estimate:
    """F1 over all labels with its interval over threads."""
    cells = np.stack([2.0 * (found & truth).sum(1), found.sum(1) + truth.sum(1)], 1)
    rows, resampler = unit_sums(cells, threads), Resampler(1)
    sums = resampler.weights(len(rows), "validation") @ rows
    scores = torch.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], torch.nan)
    return estimates({"micro": scores}, resampler, len(rows), len(found))["micro"]


def _utterance(example: Example, number: int, width: int | None) -> Utterance:
    context = example.context if width is None else example.context[max(0, len(example.context) - width) :]
    event = TextEvent(
        seq=number, time=0, actor="", community=example.language, origin="simulated", thread="labelled",
        text=example.text, language=example.language,
    )  # fmt: skip
    return Utterance(example.title, context, example.text, example.language, event)


def _mask(rows: Sequence[Sequence[str] | None], labels: Sequence[str]) -> Mask:
    return np.array([[label in (row or ()) for label in labels] for row in rows], bool).reshape(len(rows), len(labels))


def _confusion(found: Mask, truth: Mask) -> NDArray[np.int64]:
    """Hits on the diagonal; missed label x label found instead beside it."""
    missed, extra = (truth & ~found).astype(np.int64), (found & ~truth).astype(np.int64)
    hits = np.diag((truth & found).sum(0)).astype(np.int64)
    return hits + missed.T @ extra
