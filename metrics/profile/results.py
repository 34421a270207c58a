"""Numbers of a run of `profile` or `dialogue`: values with intervals over users, and in words."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from folkmoot.metrics.profile.counting import MEASURES, SCOPES, bounds, drawn, rows
from folkmoot.metrics.profile.judging import DIMENSIONS
from folkmoot.metrics.uncertainty import FEW_UNITS, Estimate, Resampler, estimates

SCORED = (*DIMENSIONS, "avg")
"""What is told of a judge's points."""


def resampler(draws: int, seed: int) -> Resampler:
    """How users are drawn: plain percentiles, since F1 and points often lie at the end of their range."""
    return Resampler(seed, draws, method="percentile")


def profile_numbers(
    users: Sequence[Mapping[str, Sequence[int]]], *, draws: int = 1000, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """Scope -> measure -> estimate as a mapping; what isn't defined is left out.

    Args:
        users: scope -> (true positives, predicted, gold), of each user.
        draws: of the bootstrap over users.
        seed: of the draws.

    Raises:
        MetricError: no users.
    """
    counts = rows(users)
    drawing = resampler(draws, seed)
    values, low, high = bounds(drawn(counts, drawing), drawing)
    gold = counts.sum(0)[:, 2].tolist()
    found: dict[str, dict[str, Any]] = {}
    for s, scope in enumerate(SCOPES):
        one = {
            name: asdict(
                Estimate(
                    values[s, m].item(), low[s, m].item(), high[s, m].item(), len(users), int(gold[s]), drawing.label
                )
            )
            for m, name in enumerate(MEASURES)
            if not values[s, m].isnan()
        }
        found[scope] = one | {"counts": [int(n) for n in counts.sum(0)[s].tolist()]}
    return found


def dialogue_numbers(
    scores: Mapping[str, Sequence[Sequence[float]]], *, draws: int = 1000, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """Judge -> dimension (and `avg`) -> estimate as a mapping; empty for a judge that could be read nowhere."""
    drawing = resampler(draws, seed)
    return {name: _means(points, drawing) for name, points in scores.items()}


def _means(points: Sequence[Sequence[float]], drawing: Resampler) -> dict[str, Any]:
    if not points:
        return {}
    table = torch.tensor([list(one) for one in points], dtype=torch.float64)
    means = drawn_means(table, drawing)
    columns = {name: means[:, k] for k, name in enumerate(DIMENSIONS)} | {"avg": means.mean(1)}
    found = estimates(columns, drawing, len(points), len(points))
    return {name: asdict(one) for name, one in found.items()}


def drawn_means(table: Tensor, drawing: Resampler) -> Tensor:
    """Column means of the users as they are (row 0) and of each draw; (users, k) -> (1 + draws, k)."""
    weights = drawing.weights(len(table), "users").to(table)
    return weights @ table / weights.sum(1, keepdim=True)


def shown(one: Mapping[str, Any] | None) -> str:
    """An estimate in words.

    >>> shown({"value": 0.5, "low": 0.25, "high": 0.75}), shown(None)
    ('0.500 [0.250, 0.750]', 'not defined')
    """
    return "not defined" if one is None else f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"


def profile_sentences(
    what: str, matching: str, numbers: Mapping[str, Any], unread: Mapping[str, int], users: int
) -> list[str]:
    """What the numbers of profiles say."""
    f1 = {scope: shown(numbers[scope].get("f1")) for scope in SCOPES}
    said = [
        f"{what}: {users} users, tags matched by {matching}",
        f"active domains: F1 {f1['active']}",
        f"interest tags: F1 {f1['all']}, stable {f1['stable']}, recent {f1['recent']}",
    ]
    tags = numbers["all"]
    if "gold_per_domain" in tags:
        mine = tags["predicted_per_domain"]["value"] if "predicted_per_domain" in tags else 0.0
        said.append(f"tags per active domain: {mine:.2f} predicted, {tags['gold_per_domain']['value']:.2f} gold")
    said += [f"without a profile: {count} users, {reason}" for reason, count in unread.items()]
    return said + _few(users)


def dialogue_sentences(
    what: str,
    numbers: Mapping[str, Mapping[str, Any]],
    unread: Mapping[str, Mapping[str, int]],
    unanswered: Mapping[str, int],
) -> list[str]:
    """What the numbers of dialogues say."""
    said = [f"{what}: points from 0 to 5"]
    users = 0
    for name, found in numbers.items():
        told = ", ".join(f"{key} {shown(found[key])}" for key in SCORED) if found else "no readable answer"
        users = found["avg"]["n_units"] if found else users
        said.append(f"judge {name}: {told}" + (f" (n = {found['avg']['n_units']})" if found else ""))
        said += [f"judge {name}: {count} answers not read, {reason}" for reason, count in unread[name].items()]
    said += [f"not answered: {count} users, {reason}" for reason, count in unanswered.items()]
    return said + _few(users)


def _few(users: int) -> list[str]:
    return (
        [f"warning: {users} users are few; intervals of fewer than {FEW_UNITS} say little"] if users < FEW_UNITS else []
    )
