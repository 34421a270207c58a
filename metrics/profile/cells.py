"""Runs of `profile` and `dialogue` as the reports see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch

from folkmoot.metrics.profile.counting import MEASURES, SCOPES, Count, bounds, drawn, rows
from folkmoot.metrics.profile.results import resampler
from folkmoot.metrics.table import Number

UserKey = tuple[str, str]
"""Community and user."""


@dataclass(frozen=True, slots=True)
class ProfileCell:
    """A run of `profile`.

    Attributes:
        matching: how tags were matched, in words.
        counts: user -> scope -> counts.
        losses: what was left out, dropped or not read, by reason.
    """

    model: str
    setting: str
    prompt: str
    input: str
    seed: int
    matching: str
    counts: Mapping[UserKey, Mapping[str, Count]]
    losses: Mapping[str, int] = field(default_factory=dict)

    @property
    def label(self) -> list[str]:
        """What sets it apart, for the first columns of a row."""
        return [self.model, self.setting, self.prompt, self.input, str(self.seed)]


LABELS = ("model", "setting", "prompt", "input", "seed")
"""Columns of `ProfileCell.label`."""


@dataclass(frozen=True, slots=True)
class DialogueCell:
    """A run of `dialogue`.

    Attributes:
        scores: judge -> user -> coverage, concreteness, fluency.
        counts: user -> scope -> counts of the profile that the answer rests on; empty for the timeline.
        losses: what was left out, dropped, not answered or not read, by reason.
    """

    model: str
    context: str
    intent: str
    seed: int
    scores: Mapping[str, Mapping[UserKey, tuple[float, float, float]]]
    counts: Mapping[UserKey, Mapping[str, Count]]
    losses: Mapping[str, int] = field(default_factory=dict)


Numbers = Mapping[tuple[str, str], Number]
"""(scope, measure) -> number."""


def numbers(cell: ProfileCell, draws: int, seed: int) -> Numbers:
    """All numbers of a run, each with its interval over users."""
    return _numbers([cell], draws, seed, list(cell.counts))


def differences(cell: ProfileCell, base: ProfileCell, draws: int, seed: int) -> Numbers:
    """Numbers of a run less those of another over the users of both, drawn together."""
    common = [user for user in cell.counts if user in base.counts]
    return _numbers([cell, base], draws, seed, common)


def _numbers(cells: Sequence[ProfileCell], draws: int, seed: int, users: Sequence[UserKey]) -> Numbers:
    if not users:
        return {(scope, measure): Number(float("nan")) for scope in SCOPES for measure in MEASURES}
    drawing = resampler(draws, seed)
    first, *others = (drawn(rows([cell.counts[user] for user in users]), drawing) for cell in cells)
    for other in others:
        first = first - other
    value, low, high = bounds(first, drawing)
    gold = torch.tensor([sum(cells[0].counts[user][scope][2] for user in users) for scope in SCOPES])
    return {
        (scope, measure): Number(
            value[s, m].item(), low[s, m].item(), high[s, m].item(), n=int(gold[s]), units=len(users)
        )
        for s, scope in enumerate(SCOPES)
        for m, measure in enumerate(MEASURES)
    }
