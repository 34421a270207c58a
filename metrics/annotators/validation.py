"""How good an annotator is: F1 against a labelled set, by context width.

A labelled set is a JSON lines file, UTF-8, one comment a line:
    {"text": "...", "language": "en", "title": "...", "context": ["...", "..."], "acts": ["ASK"], "sentiment": 3}
`title`, `context` (preceding comments, oldest first), `acts` and `sentiment` (1..5) may be missing; a line without
the labels asked for is passed over, and counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS, in_order
from folkmoot.sim.errors import AnnotationError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.protocols import Annotator, Utterance

Mask = NDArray[np.bool_]


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a labelled set."""

    text: str
    language: str
    title: str = ""
    context: tuple[str, ...] = ()
    acts: tuple[str, ...] | None = None
    sentiment: int | None = None


@dataclass(frozen=True, slots=True)
class Validation:
    """Agreement of an annotator with a labelled set.

    Attributes:
        n: comments compared.
        failures: comments for which the annotator gave no label; they count as empty.
        passed_over: lines of the set without the label asked for.
        micro_f1, macro_f1: pooled over labels, and averaged over labels that occur on either side.
        by_label: label -> F1, NaN where it occurs on neither side.
        confusion: (gold, found) -> comments; for acts, pairs count once in each comment where gold lacks what was
            found and the annotator lacks what is gold; a hit counts on the diagonal.
    """

    n: int
    failures: int
    passed_over: int
    micro_f1: float
    macro_f1: float
    by_label: Mapping[str, float]
    confusion: NDArray[np.int64] = field(repr=False)


def read_labelled(path: Path) -> list[Example]:
    """Read a labelled set.

    Raises:
        AnnotationError: a line isn't as documented; it is named.
    """
    decoder, examples = msgspec.json.Decoder(Example), []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            example = decoder.decode(line)
        except msgspec.MsgspecError as error:
            raise AnnotationError(f"{path}, line {number}: {error}; the format stands in docs/annotators.md") from error
        in_order(example.acts or (), ACTS)
        if example.sentiment is not None and not 1 <= example.sentiment <= len(SENTIMENTS):
            raise AnnotationError(f"{path}, line {number}: sentiment {example.sentiment} isn't one of 1 to 5")
        examples.append(example)
    return examples


async def validate(annotator: Annotator, examples: Sequence[Example], context: int | None = None) -> Validation:
    """Compare an annotator with a labelled set.

    Args:
        annotator: of acts or sentiment, told apart by its labels.
        examples: the set.
        context: at most so many preceding comments; None: all that there are.
    """
    of_acts = tuple(annotator.labels) == ACTS
    chosen = [one for one in examples if (one.acts if of_acts else one.sentiment) is not None]
    answers = await annotator.annotate([_utterance(one, number, context) for number, one in enumerate(chosen)])
    gold = [one.acts if of_acts else (SENTIMENTS[(one.sentiment or 0) - 1],) for one in chosen]
    truth, found = _mask(gold, annotator.labels), _mask(answers, annotator.labels)
    each = [f1(f, t) for f, t in zip(found.T, truth.T, strict=True)]
    return Validation(
        n=len(chosen),
        failures=sum(answer is None for answer in answers),
        passed_over=len(examples) - len(chosen),
        micro_f1=micro_f1(found, truth),
        macro_f1=float(np.nanmean(each)) if not np.isnan(each).all() else float("nan"),
        by_label=dict(zip(annotator.labels, each, strict=True)),
        confusion=_confusion(found, truth),
    )


async def by_context(
    annotator: Annotator, examples: Sequence[Example], widths: Sequence[int | None] = (None, 3, 2, 1, 0)
) -> dict[int | None, Validation]:
    """The same for several context widths; None: all that there is."""
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
