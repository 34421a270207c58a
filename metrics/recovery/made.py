"""What is kept of a profile that was made, and the numbers of many of them."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from torch import Tensor

from folkmoot.metrics.profile.counting import MEASURES, SCOPES, Count, drawn, rows
from folkmoot.metrics.recovery.names import NAMES
from folkmoot.metrics.uncertainty import Estimate, Resampler, estimates

Side = Literal["simulated", "real", "same_size"]
"""What a profile was made of: a user's posts of the run, the real timeline, as many of the latest real posts."""

SIDES: tuple[Side, ...] = ("simulated", "real", "same_size")

Counts = Mapping[str, Count]
"""Scope -> true positives, predicted, of the persona."""


class MadeProfile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One profile that was made; a line of recovery/COMMUNITY.jsonl. A user's last line of a side is what counts.

    Attributes:
        posts: that it was made of.
        n, seq, time: of a simulated side: posts of the run so far, the last event and its time; else 0.
        predicted, persona: bucket -> domain -> tags.
        counts: scope -> (true positives, predicted, of the persona).
        others: whose personas it was held against too.
        swapped: the counts against those, added up.
        reason: why no profile could be made; it counts as an empty one. "" where one was made.
        failed: a call failed for good on the way; then it doesn't count at all.
        notes: what was left out or dropped on the way, by reason.
    """

    side: Side
    user: str
    posts: int
    predicted: dict[str, dict[str, tuple[str, ...]]]
    persona: dict[str, dict[str, tuple[str, ...]]]
    counts: dict[str, Count]
    n: int = 0
    seq: int = 0
    time: int = 0
    others: tuple[str, ...] = ()
    swapped: dict[str, Count] = {}
    reason: str = ""
    failed: bool = False
    notes: dict[str, int] = {}


def added(counts: Sequence[Counts]) -> dict[str, Count]:
    """Counts against several personas, added up.

    >>> added([{"all": (1, 2, 3)}, {"all": (0, 2, 1)}])
    {'all': (1, 4, 4)}
    """
    if not counts:
        return {}
    return {scope: _sum([one[scope] for one in counts]) for scope in counts[0]}


def _sum(counts: Sequence[Count]) -> Count:
    hits, mine, real = (sum(one[k] for one in counts) for k in range(3))
    return hits, mine, real


def measured(users: Sequence[Counts], drawing: Resampler) -> dict[str, Estimate]:
    """`NAMES` -> micro scores with intervals over users; {} of no users. NaN where a score isn't defined."""
    return estimates(_columns(users, drawing), drawing, len(users), len(users)) if users else {}


def differences(users: Sequence[Counts], others: Sequence[Counts], drawing: Resampler) -> dict[str, Estimate]:
    """Numbers of the first counts less those of the second, of the same users in the same order: drawn together."""
    if not users:
        return {}
    first, second = _columns(users, drawing), _columns(others, drawing)
    return estimates({name: first[name] - second[name] for name in NAMES}, drawing, len(users), len(users))


def _columns(users: Sequence[Counts], drawing: Resampler) -> dict[str, Tensor]:
    """Name -> the number of the users as they are, then of each draw; shape (1 + draws,)."""
    table = drawn(rows(users), drawing)
    return {name: table[:, SCOPES.index(scope), MEASURES.index(measure)] for name, (scope, measure) in NAMES.items()}
