"""A user's predicted profile against the gold one, as counts; counts of many users are added up, then made scores.

Scopes: `active` counts domains; `stable` and `recent` count tags matched within domain and bucket; `all` and the
domains count tags matched within the domain, whatever the bucket (SocialPersona, section on profile construction).
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from folkmoot.metrics.profile.matching import Likeness, distinct, match
from folkmoot.metrics.profile.scores import BUCKETS, Bucket
from folkmoot.metrics.uncertainty import Resampler, intervals
from folkmoot.sim.errors import MetricError
from folkmoot.sim.persona import DOMAINS, Domain, Interests

SCOPES = ("active", "all", *BUCKETS, *DOMAINS)
"""What is counted, in this order."""

Count = tuple[int, int, int]
"""True positives, predicted, gold."""


class Score(NamedTuple):
    """Precision, recall, F1; NaN where nothing was predicted, nothing is gold, or neither."""

    precision: float
    recall: float
    f1: float


def tags(profile: Interests, domain: Domain, buckets: Sequence[Bucket] = BUCKETS) -> list[str]:
    """Distinct tags of a domain in these buckets."""
    return distinct([tag for bucket in buckets for tag in getattr(profile, bucket).get(domain, ())])


def active(profile: Interests) -> set[Domain]:
    """Domains with any tag."""
    return {domain for domain in DOMAINS if tags(profile, domain)}


def count(predicted: Interests, gold: Interests, likeness: Likeness) -> dict[str, Count]:
    """Counts of one user by scope.

    >>> from folkmoot.metrics.profile.matching import nothing_alike
    >>> truth = Interests(stable={"pets": ("cats",)}, recent={"gaming": ("chess",)})
    >>> found = count(Interests(stable={"pets": ("Cats",), "gaming": ("chess",)}), truth, nothing_alike)
    >>> found["all"], found["stable"], found["recent"], found["active"]
    ((2, 2, 2), (1, 2, 1), (0, 0, 1), (2, 2, 2))
    """
    mine, real = active(predicted), active(gold)
    found: dict[str, Count] = {"active": (len(mine & real), len(mine), len(real))}
    by_domain = {domain: _matched(predicted, gold, domain, BUCKETS, likeness) for domain in DOMAINS}
    found["all"] = _sum(list(by_domain.values()))
    for bucket in BUCKETS:
        found[bucket] = _sum([_matched(predicted, gold, domain, (bucket,), likeness) for domain in DOMAINS])
    return found | by_domain


def _matched(
    predicted: Interests, gold: Interests, domain: Domain, buckets: Sequence[Bucket], likeness: Likeness
) -> Count:
    mine, real = tags(predicted, domain, buckets), tags(gold, domain, buckets)
    return len(match(mine, real, likeness)), len(mine), len(real)


def _sum(counts: Sequence[Count]) -> Count:
    hits, mine, real = (sum(one[k] for one in counts) for k in range(3))
    return hits, mine, real


def score_of(count: Count) -> Score:
    """Scores of (added up) counts.

    >>> score_of((1, 2, 4))
    Score(precision=0.5, recall=0.25, f1=0.3333333333333333)
    """
    hits, mine, real = count
    return Score(_ratio(hits, mine), _ratio(hits, real), _ratio(2 * hits, mine + real))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


# --- many users ----------------------------------------------------------------------------------


def rows(users: Sequence[Mapping[str, Sequence[int]]]) -> Tensor:
    """Counts of users as a tensor of shape (users, scopes, 3), scopes as in `SCOPES`.

    Raises:
        MetricError: no users, or a scope is missing.
    """
    if not users:
        raise MetricError("0 users to score; at least 1 is needed")
    try:
        return torch.tensor([[list(user[scope]) for scope in SCOPES] for user in users], dtype=torch.float64)
    except KeyError as error:
        raise MetricError(f"a user's counts lack the scope {error}; they hold {', '.join(SCOPES)}") from error


MEASURES = ("precision", "recall", "f1", "predicted_per_domain", "gold_per_domain", "narrowing")
"""What is made of counts: scores, tags per active domain on both sides, and their ratio (1: none lost)."""


def measures(sums: Tensor) -> Tensor:
    """Micro scores of every scope from added-up counts; shape (..., scopes, 3) -> (..., scopes, `MEASURES`).

    Tags per active domain stand in the scope `all` (and are NaN elsewhere). NaN where a number isn't defined.
    """
    hits, mine, real = sums.unbind(-1)
    out = torch.full((*sums.shape[:-1], len(MEASURES)), math.nan, dtype=sums.dtype)
    out[..., 0], out[..., 1], out[..., 2] = hits / mine, hits / real, 2 * hits / (mine + real)
    everything, domains = SCOPES.index("all"), SCOPES.index("active")
    out[..., everything, 3] = mine[..., everything] / mine[..., domains]
    out[..., everything, 4] = real[..., everything] / real[..., domains]
    out[..., everything, 5] = out[..., everything, 3] / out[..., everything, 4]
    return out


def drawn(counts: Tensor, resampler: Resampler) -> Tensor:
    """`measures` of the users as they are (row 0) and of each draw of users; (1 + draws, scopes, measures)."""
    weights = resampler.weights(len(counts), "users")
    return measures(torch.einsum("bu,usk->bsk", weights.to(counts), counts))


def bounds(draws: Tensor, resampler: Resampler) -> tuple[Tensor, Tensor, Tensor]:
    """Values, low and high bounds of drawn numbers, shape (1 + draws, ...) -> three of shape (...)."""
    flat = draws.reshape(len(draws), -1)
    low, high = intervals(flat[1:], flat[0], resampler.level, resampler.method)
    shape = draws.shape[1:]
    return draws[0], low.reshape(shape), high.reshape(shape)
