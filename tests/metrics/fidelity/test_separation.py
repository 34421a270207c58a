"""AUC, pair-AUC, group accuracy and agreement against independent oracles."""

import json

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, roc_auc_score

from folkmoot.metrics.agreement import krippendorff_alpha, macro_f1, majority, top_k
from folkmoot.metrics.fidelity.separation import Scored, auc, separation
from folkmoot.sim.errors import MetricError

SCORES = st.lists(st.integers(0, 6).map(lambda x: x / 6), min_size=1, max_size=12)


def scored(*groups):
    """Items of groups given as (positive, [negatives])."""
    return [
        Scored(f"{g}/{k}", str(g), k == 0, score)
        for g, (positive, negatives) in enumerate(groups)
        for k, score in enumerate([positive, *negatives])
    ]


@given(SCORES, SCORES)
def test_auc_is_scikit_learns(positives, negatives):
    """AUC equals scikit-learn's, ties included."""
    truth = [1] * len(positives) + [0] * len(negatives)
    assert auc(positives, negatives) == pytest.approx(roc_auc_score(truth, positives + negatives))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.lists(st.integers(0, 4), min_size=1, max_size=3)), min_size=1, max_size=8)
)
def test_pairs_and_groups_by_hand(groups):
    """Pair-AUC counts won pairs, half the ties; a group is right only where its positive is over every negative."""
    found = separation(scored(*groups), draws=20)
    pairs = [(p > n) + (p == n) / 2 for p, negatives in groups for n in negatives]
    assert found.pair_auc.value == pytest.approx(np.mean(pairs))
    means = [np.mean([(p > n) + (p == n) / 2 for n in negatives]) for p, negatives in groups]
    assert found.pair_auc_groups.value == pytest.approx(np.mean(means))
    assert found.group_accuracy.value == pytest.approx(np.mean([all(p > n for n in ns) for p, ns in groups]))
    assert found.group_accuracy.n_units == len(groups)


def test_interval_covers_and_repeats():
    """The interval holds the value, is the same at every run, and is a point where all groups are alike."""
    rng = np.random.default_rng(3)
    groups = [(rng.normal(0.3), rng.normal(size=2).tolist()) for _ in range(60)]
    first, again = separation(scored(*groups), draws=300), separation(scored(*groups), draws=300)
    assert first == again
    assert first.auc.low < first.auc.value < first.auc.high
    sure = separation(scored(*[(1.0, [0.0])] * 5), draws=50)
    assert (sure.auc.low, sure.auc.high, sure.group_accuracy.low) == (1, 1, 1)


def test_bad_groups_are_counted_never_half():
    """Groups without a positive, without a negative or with two positives, and duplicate items, are dropped by reason."""
    items = [
        *scored((1.0, [0.0])),
        Scored("0/0", "0", positive=True, score=0.1),
        Scored("a", "no positive", positive=False, score=0.5),
        Scored("b", "no negative", positive=True, score=0.5),
        Scored("c", "two", positive=True, score=0.5),
        Scored("d", "two", positive=True, score=0.5),
    ]
    found = separation(items, draws=10)
    assert found.dropped == {
        "duplicate items": 1,
        "groups without a positive": 1,
        "groups without a negative": 1,
        "groups with several positives": 1,
    }
    assert (found.groups, found.items) == (1, 2)


def test_one_class_benchmark_is_an_error():
    """A benchmark of one class has no AUC: the error says how many of each there are."""
    with pytest.raises(MetricError, match="1 positive, 0 negative"):
        separation([Scored("a", "g", positive=True, score=1)])
    with pytest.raises(MetricError, match="0 positives and 2 negatives"):
        auc([], [1, 2])


@given(
    st.lists(st.lists(st.sampled_from([1, 2, 3, 4, 5, np.nan]), min_size=6, max_size=6), min_size=2, max_size=4),
    st.sampled_from(["nominal", "ordinal", "interval", "ratio"]),
)
def test_alpha_is_the_packages(table, level):
    """Krippendorff's alpha equals the krippendorff package's at every level of measurement, gaps included."""
    try:
        ours = krippendorff_alpha(table, level)
    except MetricError:
        rated = np.array(table)[:, (~np.isnan(table)).sum(0) > 1]
        assert len(np.unique(rated[~np.isnan(rated)])) < 2
        return
    assert ours == pytest.approx(krippendorff.alpha(table, level_of_measurement=level), abs=1e-9)


@pytest.mark.shared
def test_alpha_is_the_published(shared):
    """Published examples of alpha come out to their printed digits."""
    cases = json.loads((shared / "expected/krippendorff.json").read_text())
    checked = 0
    for case in cases.values():
        if "coders_x_units" not in case:
            continue
        table = np.array(case["coders_x_units"], np.float64)
        for level in ("nominal", "ordinal", "interval", "ratio"):
            if level in case:
                checked += 1
                assert krippendorff_alpha(table, level) == pytest.approx(case[level], abs=1e-9)
    assert checked >= 6


@given(st.lists(st.tuples(*[st.booleans()] * 6), min_size=1, max_size=20))
def test_macro_f1_is_scikit_learns(rows):
    """Macro-F1 over dimensions equals scikit-learn's; a dimension that nobody calls violated counts 0."""
    truth, said = [row[:3] for row in rows], [row[3:] for row in rows]
    expected = f1_score(np.array(truth), np.array(said), average="macro", zero_division=0)
    assert macro_f1(truth, said) == pytest.approx(expected)


def test_top_k_needs_a_violation():
    """Items without a violation don't count; with none at all there is no number."""
    ranked = [("a", "b", "c"), ("b", "a", "c"), ("c", "a", "b")]
    assert top_k([{"a"}, {"a"}, set()], ranked, 1) == 0.5
    assert top_k([{"a"}, {"a"}, set()], ranked, 2) == 1
    with pytest.raises(MetricError, match="0 of them with a violation"):
        top_k([set()], ranked[:1], 1)
    assert (majority(["A", "A", "C"]), majority(["A", "B", "C"])) == ("A", None)
