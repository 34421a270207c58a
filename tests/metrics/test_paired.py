"""Paired intervals, sign flips and effect sizes: against SciPy and against their definitions."""

import itertools

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.spatial.distance import jensenshannon

from folkmoot.metrics.paired import (
    _product,
    bootstrap_cells,
    compare,
    corrected,
    draw_cells,
    effect_size,
    js_score,
    mean_score,
    pair_weights,
    paired_bootstrap,
    paired_cluster_bootstrap,
    paired_permutation,
    unit_sums,
    wasserstein_score,
)
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.errors import MetricError


def rows(values):
    """Units of one item each."""
    return np.stack([values, np.ones(len(values))], 1)


def two(n, shift, seed=0):
    """Two methods' values over the same n units, the first better by `shift` on average."""
    rng = np.random.default_rng(seed)
    second = rng.normal(0, 1, n)
    return second + shift + rng.normal(0, 0.5, n), second


def test_pair_weights_are_multinomial():
    """Row 0 takes each unit once; the others sum to n with binomial variance, a function of seed and n; any n."""
    weights = pair_weights(Resampler(7, 4000), 50)
    assert (weights[0] == 1).all()
    assert (weights.sum(1) == 50).all()
    assert weights[1:].mean(0).numpy() == pytest.approx(np.ones(50), abs=0.1)
    assert weights[1:].var(0).mean().item() == pytest.approx(1 - 1 / 50, rel=0.05)
    assert torch.equal(weights, pair_weights(Resampler(7, 4000), 50))
    assert not torch.equal(weights, pair_weights(Resampler(8, 4000), 50))
    assert (pair_weights(Resampler(7, 2), 70_000).sum(1) == 70_000).all()


def test_whole_numbers_lose_nothing():
    """Sums of whole numbers in single precision are exactly those in double."""
    counts = torch.randint(0, 9, (40, 6), generator=torch.Generator().manual_seed(1)).double()
    weights = pair_weights(Resampler(1, 100), 40)
    assert torch.equal(_product(weights, counts), weights.double() @ counts)


def test_unit_sums_are_a_group_by():
    """Sums by unit are those of a plain loop, units in the order of their first item."""
    rng = np.random.default_rng(0)
    values, units = rng.normal(size=(50, 3)), [f"t{k}" for k in rng.integers(0, 7, 50)]
    order = list(dict.fromkeys(units))
    expected = [values[[unit == one for unit in units]].sum(0) for one in order]
    assert unit_sums(values, units).numpy() == pytest.approx(np.array(expected))
    with pytest.raises(MetricError, match="3 units"):
        unit_sums(values, ["a", "b", "c"])


def test_the_paired_interval_is_scipys():
    """The interval of a difference of means is SciPy's bootstrap of the differences, up to Monte Carlo noise."""
    first, second = two(80, 0.4)
    mine = paired_bootstrap(rows(first), rows(second), mean_score, Resampler(1, 4000, method="percentile"))
    theirs = stats.bootstrap(
        (first - second,), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(1)
    )
    assert mine.value == pytest.approx((first - second).mean())
    assert mine.low == pytest.approx(theirs.confidence_interval.low, abs=0.02)
    assert mine.high == pytest.approx(theirs.confidence_interval.high, abs=0.02)
    assert mine.n_units == 80


def test_pairs_stay_together():
    """What both sides share cancels: two methods that differ by a constant have an interval of no width."""
    _, second = two(40, 0)
    mine = paired_bootstrap(rows(second + 0.25), rows(second), mean_score, Resampler(1, 200))
    assert (mine.low, mine.value, mine.high) == pytest.approx((0.25, 0.25, 0.25))


def test_the_exact_test_is_scipys():
    """With few units all swaps are tried: the p-value is SciPy's exact paired permutation test's."""
    first, second = two(10, 0.5)
    theirs = stats.permutation_test(
        (first, second), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=np.inf
    )
    assert paired_permutation(rows(first), rows(second), mean_score, seed=1) == pytest.approx(theirs.pvalue)


def test_random_swaps_come_near_the_exact_test():
    """With draws fewer than the swaps, p is near the exact one and never 0."""
    first, second = two(14, 0.2, seed=3)
    exact = paired_permutation(rows(first), rows(second), mean_score, seed=1, draws=2**14)
    assert paired_permutation(rows(first), rows(second), mean_score, seed=1, draws=4000) == pytest.approx(
        exact, abs=0.03
    )
    far = np.ones(40) + np.arange(40) / 100
    assert paired_permutation(rows(far), rows(far * 0), mean_score, seed=1, draws=99) == 0.01


def test_p_is_uniform_where_methods_are_alike():
    """Under the null p-values are spread evenly."""
    p = [paired_permutation(*map(rows, two(30, 0, seed)), mean_score, seed=seed, draws=99) for seed in range(100)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_a_distance_is_tested_too():
    """Swapping counts of whole units: the exact p of a JS difference is that of a loop with SciPy's distance."""
    rng = np.random.default_rng(5)
    real, first, second = (rng.integers(0, 6, size=(7, 4)) + 1.0 for _ in range(3))
    first[:, 0] += 3

    def gap(a, b):
        return jensenshannon(real.sum(0), a.sum(0), 2) - jensenshannon(real.sum(0), b.sum(0), 2)

    swaps = [np.array(s)[:, None] for s in itertools.product([False, True], repeat=7)]
    dealt = [gap(np.where(s, second, first), np.where(s, first, second)) for s in swaps]
    expected = np.mean(np.abs(dealt) >= abs(gap(first, second)) - 1e-12)
    sides = np.hstack([real, first]), np.hstack([real, second])
    assert paired_permutation(*sides, js_score, seed=1) == pytest.approx(expected)


def test_the_effect_is_cohens():
    """Of a mean over units of one item the effect is mean / sd of the differences."""
    first, second = two(50, 0.3)
    expected = (first - second).mean() / (first - second).std(ddof=1)
    assert effect_size(rows(first), rows(second), mean_score) == pytest.approx(expected)


def test_the_effect_of_a_distance_is_its_jackknife():
    """Of any score it is the difference's pseudo-values' mean by their sd, recomputed by leaving out unit by unit."""
    rng = np.random.default_rng(6)
    sides = [rng.integers(1, 9, size=(12, 8)).astype(float) for _ in range(2)]
    score = lambda s: jensenshannon(s[:4], s[4:], 2)  # noqa: E731
    whole = score(sides[0].sum(0)) - score(sides[1].sum(0))
    left = [score(np.delete(sides[0], i, 0).sum(0)) - score(np.delete(sides[1], i, 0).sum(0)) for i in range(12)]
    pseudo = 12 * whole - 11 * np.array(left)
    assert effect_size(*sides, js_score) == pytest.approx(pseudo.mean() / pseudo.std(ddof=1))


def test_no_effect_where_nothing_differs():
    """Equal methods: difference 0, p 1, no effect size; one unit has none either."""
    first, _ = two(20, 0)
    same = compare(rows(first), rows(first), mean_score, Resampler(1, 100))
    assert (same.difference.value, same.p) == (0, 1)
    assert np.isnan(same.effect)
    assert np.isnan(effect_size(rows(first[:1]), rows(first[:1] + 1), mean_score))


def test_holm_over_a_family():
    """Holm's factors by rank over those that have a p-value; a comparison without one keeps none."""
    pairs = [two(9, shift) for shift in (2.0, 0.1, 0.6)]
    family = [compare(rows(a), rows(b), mean_score, Resampler(1, 50)) for a, b in pairs]
    nothing = compare(np.zeros((9, 2)), np.zeros((9, 2)), mean_score, Resampler(1, 50))
    done = corrected([*family, nothing])
    ranked = sorted(one.p for one in family)
    assert sorted(one.p_holm for one in done[:3]) == pytest.approx(
        [3 * ranked[0], max(3 * ranked[0], 2 * ranked[1]), max(3 * ranked[0], 2 * ranked[1], ranked[2])]
    )
    assert np.isnan(done[3].p_holm)


def test_cells_are_what_each_is_alone():
    """All cells at once give the numbers that each gives by itself, for JS and Wasserstein."""
    rng = np.random.default_rng(7)
    cells = rng.integers(0, 5, size=(3, 30, 10)).astype(float)
    resampler = Resampler(2, 300)
    together = bootstrap_cells(cells, {"js": js_score, "w1": wasserstein_score}, resampler)
    for cell in range(3):
        alone = paired_cluster_bootstrap(
            cells[cell, :, :5], cells[cell, :, 5:],
            lambda r, s: {"js": js_score(torch.cat([r, s], -1)), "w1": wasserstein_score(torch.cat([r, s], -1))},
            resampler, 30,
        )  # fmt: skip
        for name, one in alone.items():
            found = together[name]
            assert (found.values[cell], found.lows[cell], found.highs[cell]) == pytest.approx(
                (one.value, one.low, one.high)
            )


def test_draws_of_a_cell_are_its_score_on_the_drawn_units():
    """Row 0 is the data; each other row is the score of the units as often as they are drawn; names have own draws."""
    cells = np.random.default_rng(5).normal(2, 1, size=(2, 12, 2))
    resampler = Resampler(4, 50)
    found = draw_cells(cells, {"mean": mean_score}, resampler, "en")["mean"]
    weights = pair_weights(resampler, 12, "en").numpy().astype(float)
    assert found.shape == (51, 2)
    assert (weights.sum(1) == 12).all()
    expected = np.einsum("du,cuw->dcw", weights, cells)
    assert found.numpy() == pytest.approx(expected[..., 0] / expected[..., 1])
    assert found[0].numpy() == pytest.approx(cells[..., 0].sum(1) / cells[..., 1].sum(1))
    other = draw_cells(cells, {"mean": mean_score}, resampler, "de")["mean"]
    assert not torch.equal(found[1:], other[1:])
    assert torch.equal(found[0], other[0])


@pytest.mark.parametrize("shapes", [((3, 2), (4, 2)), ((0, 2), (0, 2)), ((3,), (3,))])
def test_unpaired_sides_are_refused(shapes):
    """Sides of unequal or no units name their shapes."""
    with pytest.raises(MetricError, match="same units"):
        paired_bootstrap(np.ones(shapes[0]), np.ones(shapes[1]), mean_score, Resampler(1, 10))


def test_empty_cells_are_refused():
    """No cells, no units or no width name the shape."""
    with pytest.raises(MetricError, match=r"\(2, 0, 4\)"):
        bootstrap_cells(np.ones((2, 0, 4)), {"js": js_score}, Resampler(1, 10))
