"""Counts and scores of profiles: against sets, known answers, intervals."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from folkmoot.metrics.profile.counting import MEASURES, SCOPES, active, bounds, count, drawn, measures, rows, score_of
from folkmoot.metrics.profile.matching import nothing_alike
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.errors import MetricError
from folkmoot.sim.persona import DOMAINS, Interests

VOCABULARY = ("a", "b", "c", "d")
buckets = st.dictionaries(
    st.sampled_from(DOMAINS), st.lists(st.sampled_from(VOCABULARY), max_size=3, unique=True).map(tuple)
)
profiles = st.builds(Interests, stable=buckets, recent=buckets)


def micro(users, scope):
    """Scores of all users together."""
    return measures(rows(users).sum(0))[SCOPES.index(scope)].tolist()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(profiles, profiles), min_size=1, max_size=4))
def test_micro_scores_equal_those_of_indicators(pairs):
    """With equal tags alone, micro scores are scikit-learn's over (user, domain, tag), and over (user, domain)."""
    found = [count(predicted, gold, nothing_alike) for predicted, gold in pairs]
    for bucket in ("stable", "recent"):
        cells = [
            [
                [tag in getattr(side, bucket).get(domain, ()) for domain in DOMAINS for tag in VOCABULARY]
                for side in pair
            ]
            for pair in pairs
        ]
        _agree(np.array([cell[0] for cell in cells]), np.array([cell[1] for cell in cells]), micro(found, bucket))
    told = [[[domain in active(side) for domain in DOMAINS] for side in pair] for pair in pairs]
    _agree(np.array([cell[0] for cell in told]), np.array([cell[1] for cell in told]), micro(found, "active"))


def _agree(predicted, gold, scores):
    mine, real = predicted.ravel(), gold.ravel()
    for value, oracle in zip(scores[:3], (precision_score, recall_score, f1_score), strict=True):
        expected = oracle(real, mine, zero_division=math.nan)
        assert value == pytest.approx(expected, nan_ok=True)


@given(profiles)
def test_the_truth_scores_one(gold):
    """A profile against itself has precision, recall and F1 of 1 in every scope that has anything."""
    for scope, one in count(gold, gold, nothing_alike).items():
        assert one[0] == one[1] == one[2], scope
        if one[2]:
            assert score_of(one) == (1, 1, 1)


@given(profiles, profiles)
def test_the_overall_count_is_the_sum_of_domains(predicted, gold):
    """`all` adds up the seven domains, and counts a tag that stands in both buckets once."""
    found = count(predicted, gold, nothing_alike)
    assert found["all"] == tuple(sum(found[domain][k] for domain in DOMAINS) for k in range(3))
    assert found["all"][1] <= found["stable"][1] + found["recent"][1]


def test_the_wrong_bucket_costs_the_bucket_only():
    """A right tag in the wrong bucket is a hit overall and a miss in both buckets."""
    gold = Interests(recent={"pets": ("cats",)})
    found = count(Interests(stable={"pets": ("cats",)}), gold, nothing_alike)
    assert (found["all"], found["stable"], found["recent"]) == ((1, 1, 1), (0, 1, 0), (0, 0, 1))


def test_tags_per_active_domain():
    """Over-generalization: 1 tag in 1 domain against 3 tags in 1 domain narrows to a third."""
    gold = Interests(stable={"pets": ("cats", "dogs", "birds")})
    sums = rows([count(Interests(stable={"pets": ("animals",)}), gold, nothing_alike)]).sum(0)
    found = dict(zip(MEASURES, measures(sums)[SCOPES.index("all")].tolist(), strict=True))
    assert found["predicted_per_domain"] == 1
    assert found["gold_per_domain"] == 3
    assert found["narrowing"] == pytest.approx(1 / 3)


def test_intervals_hold_their_values():
    """Bounds over draws of users enclose the value; with equal users they have no width."""
    one = count(Interests(stable={"pets": ("cats",)}), Interests(stable={"pets": ("cats", "dogs")}), nothing_alike)
    none = count(Interests(), Interests(stable={"pets": ("cats", "dogs")}), nothing_alike)
    place = SCOPES.index("all"), MEASURES.index("f1")
    value, low, high = (
        x[place].item() for x in bounds(drawn(rows([one, none] * 5), Resampler(1, 200)), Resampler(1, 200))
    )
    assert low < value < high
    value, low, high = (x[place].item() for x in bounds(drawn(rows([one] * 9), Resampler(1, 200)), Resampler(1, 200)))
    assert low == value == high


def test_nobody_to_score():
    """No users, or counts without a scope, are errors."""
    with pytest.raises(MetricError, match="0 users"):
        rows([])
    with pytest.raises(MetricError, match="active"):
        rows([{}])
