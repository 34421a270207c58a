"""Scoring a benchmark by one method: one line an item, in batches that can be kept as they come."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from folkmoot.metrics.fidelity.benchmarks import Case
from folkmoot.metrics.fidelity.evaluator import Evaluator
from folkmoot.metrics.fidelity.judges import Judge, Preferred, prefer
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.sim.protocols import LanguageModel
from folkmoot.sim.together import together

Method = Literal["prism", "vanilla", "cot", "pairwise", "alignment"]

METHODS: Mapping[str, str] = {
    "prism": "label log-probabilities by dimension",
    "vanilla": "a holistic judge",
    "cot": "a holistic judge that reasons by dimension first",
    "pairwise": "a judge that compares two replies",
    "alignment": "a factual-consistency scorer",
}
"""Method -> what it is."""


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One scored item.

    Attributes:
        item, group, positive, kind: as in the benchmark.
        score: None where the method gave none (its reason is counted).
        q: dimension -> probabilities of A, B, C (prism).
        places: mean probability of each displayed place (prism).
        beats: of a positive, its outcomes against the group's negatives: over 1/2 is won (pairwise).
        censored: labels that got an upper bound (prism).
        sampled: scores are sampled frequencies (prism).
        cut: what was cut to fit the window.
        unreadable: answers without a readable score (judges).
        skipped: negatives that a comparison can't be made with (pairwise).
    """

    item: str
    group: str
    positive: bool
    kind: str
    score: float | None = None
    q: dict[str, tuple[float, float, float]] = {}
    places: tuple[float, float, float] | None = None
    beats: tuple[float, ...] = ()
    censored: int = 0
    sampled: bool = False
    cut: str = ""
    unreadable: int = 0
    skipped: int = 0


def losses(lines: Iterable[Line]) -> Counter[str]:
    """What was not scored, or not in full, by reason."""
    found: Counter[str] = Counter()
    for one in lines:
        found["unreadable answers"] += one.unreadable
        found["negatives with the positive's own reply"] += one.skipped
        found["items with censored labels"] += one.censored > 0
        if one.cut:
            found[f"{one.cut} cut to fit the window"] += 1
    return +found


class Scorer(Protocol):
    """A method at work."""

    async def lines(self, group: Sequence[Case]) -> list[Line]:
        """The lines of one group's items."""


class PrismScorer:
    """Structured inverse inference."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    async def lines(self, group: Sequence[Case]) -> list[Line]:
        """Score, distribution and audit facts of each item."""
        found = await self._evaluator.score([case.item for case in group])
        return [
            line(case)
            if evidence is None
            else line(
                case,
                score=evidence.score,
                q={dimension: evidence.q[dimension] for dimension in DIMENSIONS},
                places=evidence.places,
                censored=evidence.censored,
                sampled=evidence.sampled,
                cut=evidence.cut,
            )
            for case, evidence in zip(group, found, strict=True)
        ]


class JudgeScorer:
    """A holistic judge."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    async def lines(self, group: Sequence[Case]) -> list[Line]:
        """The judge's score of each item."""
        found = await self._judge.score([case.item for case in group])
        return [
            line(case, score=one.score, unreadable=one.unreadable, cut=one.cut)
            for case, one in zip(group, found, strict=True)
        ]


class PairwiseScorer:
    """A judge that compares the positive of a group with each of its negatives, in both orders."""

    def __init__(self, model: LanguageModel, seed: int) -> None:
        self._model = model
        self._seed = seed

    async def lines(self, group: Sequence[Case]) -> list[Line]:
        """Outcomes stand with the positive; a comparison shows the positive's persona.

        A negative that differs from its positive in the persona only can't be compared: both show the same reply.
        """
        positives = [case for case in group if case.positive]
        found: list[Preferred] = []
        skipped = 0
        if len(positives) == 1:
            mine = positives[0]
            others = [c for c in group if not c.positive and c.item.response != mine.item.response]
            skipped = len(group) - 1 - len(others)
            found = await together(prefer(self._model, mine.item, c.item, self._seed) for c in others)
        beats, cut = tuple(one.first for one in found), next((one.cut for one in found if one.cut), "")
        return [line(case, beats=beats, skipped=skipped, cut=cut) if case.positive else line(case) for case in group]


def line(case: Case, **found: Any) -> Line:
    """A case's line."""
    return Line(item=case.item.id, group=case.group, positive=case.positive, kind=case.kind, **found)


async def score_groups(scorer: Scorer, groups: Sequence[Sequence[Case]], batch: int = 8) -> AsyncIterator[list[Line]]:
    """Lines of all groups, `batch` groups at once, in their order."""
    for start in range(0, len(groups), batch):
        found = await together(scorer.lines(group) for group in groups[start : start + batch])
        yield [one for lines in found for one in lines]
