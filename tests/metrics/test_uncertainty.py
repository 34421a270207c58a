"""Bootstrap, permutation test, Holm and noise floor: against SciPy and against their definitions."""

import numpy as np
import pytest
import torch
from scipy import stats

from folkmoot.metrics.divergence import js_of_shares, shares
from folkmoot.metrics.significance import holm, noise_floor, permutation_test
from folkmoot.metrics.uncertainty import (
    Resampler,
    Rows,
    cluster_bootstrap,
    hierarchical_bootstrap,
    intervals,
    multinomial,
)
from folkmoot.sim.errors import MetricError


def mean_ratio(real, simulated):
    """Mean of column 0 by column 1, simulated side."""
    return {"mean": simulated[..., 0] / simulated[..., 1]}


def js(real, simulated):
    """JS distance of the columns."""
    return {"js": js_of_shares(shares(real), shares(simulated)).sqrt()}


def test_weights_are_multinomial():
    """Rows sum to n; each unit is drawn n times in n draws on average, with binomial variance."""
    weights = multinomial(50, 4000, 7, "w")
    assert (weights.sum(1) == 50).all()
    assert weights.mean(0) == pytest.approx(np.ones(50), abs=0.1)
    assert weights.var(0).mean() == pytest.approx(1 - 1 / 50, rel=0.05)


def test_draws_are_a_function_of_the_seed():
    """Same seed, same draws, whatever was drawn before; another seed or side, other draws."""
    first, second = Resampler(3, 20), Resampler(3, 20)
    second.weights(9)
    assert torch.equal(first.weights(40), second.weights(40))
    assert not torch.equal(first.weights(40), Resampler(4, 20).weights(40))
    assert not torch.equal(first.weights(40), first.weights(40, "real"))


def test_percentile_interval_is_scipys():
    """The percentile interval of a mean agrees with SciPy's bootstrap up to Monte Carlo noise."""
    x = np.random.default_rng(0).normal(3, 1, 60)
    rows = np.stack([x, np.ones(60)], 1)
    mine = cluster_bootstrap(rows, rows, mean_ratio, Resampler(1, 4000, method="percentile"), 60)["mean"]
    theirs = stats.bootstrap((x,), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(1))
    assert mine.value == pytest.approx(x.mean())
    assert mine.low == pytest.approx(theirs.confidence_interval.low, abs=0.02)
    assert mine.high == pytest.approx(theirs.confidence_interval.high, abs=0.02)
    assert (mine.n_units, mine.n_items, mine.few) == (60, 60, False)


def test_percentile_quantiles_are_numpys():
    """Quantiles interpolate as NumPy's do, NaN draws left out."""
    draws = torch.from_numpy(np.random.default_rng(0).normal(size=(101, 2)))
    draws[5, 1] = torch.nan
    low, high = intervals(draws, torch.zeros(2, dtype=torch.float64), 0.9, "percentile")
    expected = [np.quantile(draws[:, 0], (0.05, 0.95)), np.nanquantile(draws[:, 1], (0.05, 0.95))]
    assert torch.stack([low, high], 1).numpy() == pytest.approx(np.array(expected))


def test_bias_corrected_is_efrons():
    """Bias-corrected bounds are the quantiles at Phi(2 z0 +- z), recomputed with SciPy."""
    draws = np.random.default_rng(0).normal(0.3, 1, 2000)
    z0 = stats.norm.ppf((draws < 0).mean())
    expected = np.quantile(draws, stats.norm.cdf(2 * z0 + stats.norm.ppf([0.025, 0.975])))
    low, high = intervals(torch.from_numpy(draws)[:, None], torch.zeros(1, dtype=torch.float64))
    assert [low.item(), high.item()] == pytest.approx(expected.tolist(), abs=1e-9)


def test_bounds_hold_the_value():
    """Where all draws lie over the value the interval still reaches down to it; no draws: NaN."""
    low, high = intervals(torch.full((9, 1), 2.0), torch.tensor([1.0]))
    assert (low.item(), high.item()) == (1.0, 2.0)
    low, high = intervals(torch.full((9, 1), torch.nan), torch.tensor([1.0]))
    assert low.isnan().item()


def test_intervals_cover():
    """A 90 % interval of a mean over clusters covers the truth in about 90 % of 300 samples."""
    rng = np.random.default_rng(5)
    covered = 0
    for trial in range(300):
        x = rng.normal(0, 1, 40)
        rows = np.stack([x, np.ones(40)], 1)
        found = cluster_bootstrap(rows, rows, mean_ratio, Resampler(trial, 300, 0.9), 40)["mean"]
        covered += found.low <= 0 <= found.high
    assert 0.84 <= covered / 300 <= 0.95


def test_clusters_widen_the_interval():
    """Ten comments that say the same in each thread are worth one: the interval doesn't shrink."""
    x = np.random.default_rng(2).normal(size=40)
    once = cluster_bootstrap(np.ones((1, 2)), np.stack([x, np.ones(40)], 1), mean_ratio, Resampler(0), 40)["mean"]
    tenfold = cluster_bootstrap(
        np.ones((1, 2)), np.stack([10 * x, np.full(40, 10.0)], 1), mean_ratio, Resampler(0), 400
    )
    assert (tenfold["mean"].low, tenfold["mean"].high) == pytest.approx((once.low, once.high))


def test_blocks_keep_the_standard_error():
    """Drawing 256 blocks of 1,000 threads gives the same width within its noise, and the same n."""
    x = np.random.default_rng(2).normal(size=1000)
    rows = np.stack([x, np.ones(1000)], 1)
    exact, blocked = (
        cluster_bootstrap(rows, rows, mean_ratio, Resampler(0, 1000, blocks=blocks), 1000)["mean"]
        for blocks in (0, 256)
    )
    assert blocked.high - blocked.low == pytest.approx(exact.high - exact.low, rel=0.2)
    assert (blocked.n_units, blocked.value) == (1000, pytest.approx(exact.value))
    assert len(Rows(torch.zeros(1000, 2), 256)) == 256


def test_an_empty_side_is_an_error():
    """Bootstrap, permutation test and floor refuse sides without threads; a floor needs two."""
    empty, some = np.zeros((0, 2)), np.ones((3, 2))
    with pytest.raises(MetricError, match="0 threads"):
        cluster_bootstrap(empty, some, js, Resampler(0), 0)
    with pytest.raises(MetricError, match="0 real"):
        permutation_test(empty, some, js, seed=0)
    with pytest.raises(MetricError, match="can't be halved"):
        noise_floor(some[:1], [1.0], js, size=10, seed=0)
    with pytest.raises(MetricError, match="two dimensions"):
        cluster_bootstrap([1, 2], some, js, Resampler(0), 0)


def test_few_units_are_flagged():
    """Fewer than ten threads: the estimate says so."""
    found = cluster_bootstrap(np.ones((4, 2)), np.ones((9, 2)), js, Resampler(0, 10), 9)["js"]
    assert found.few
    assert found.n_units == 9


def test_permutation_p_is_scipys():
    """The p of a difference of means agrees with SciPy's permutation test up to Monte Carlo noise."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(0, 1, 15), rng.normal(0.8, 1, 15)

    def difference(real, simulated):
        return {"d": real[..., 0] / real[..., 1] - simulated[..., 0] / simulated[..., 1]}

    mine = permutation_test(
        np.stack([a, np.ones(15)], 1), np.stack([b, np.ones(15)], 1), difference, seed=1, draws=4000
    )
    theirs = stats.permutation_test(
        (a, b), lambda x, y, axis: x.mean(axis) - y.mean(axis), vectorized=True, n_resamples=4000,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    assert mine["d"] == pytest.approx(theirs.pvalue, abs=0.02)


def test_permutation_p_is_uniform_under_the_null():
    """Two samples of one population: p under 0.1 in about a tenth of 200 trials, and never 0."""
    rng = np.random.default_rng(4)
    ps = [
        permutation_test(rng.multinomial(4, [0.3, 0.7], 20), rng.multinomial(4, [0.3, 0.7], 20), js, seed=t, draws=99)[
            "js"
        ]
        for t in range(200)
    ]
    assert 0.04 <= np.mean([p <= 0.1 for p in ps]) <= 0.18
    assert min(ps) >= 1 / 100


def test_holm_is_the_step_down():
    """Adjusted p-values of a worked example; order kept; never over 1; SciPy's Benjamini stays below Holm."""
    assert holm([0.01, 0.02, 0.03, 0.04]).tolist() == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([0.9, 0.001, 0.9]).tolist() == pytest.approx([1.0, 0.003, 1.0])
    p = np.random.default_rng(0).uniform(size=12)
    assert (stats.false_discovery_control(p) <= holm(p).numpy() + 1e-12).all()
    assert holm([]).tolist() == []
    with pytest.raises(MetricError, match="between 0 and 1"):
        holm([1.5])


def test_floor_is_what_two_halves_differ_by():
    """With no cut the floor is the mean over splits, recomputed by hand with another generator."""
    rng = np.random.default_rng(6)
    rows = rng.multinomial(5, [0.2, 0.3, 0.5], 60).astype(float)
    floor = noise_floor(rows, rows.sum(1), js, size=1e9, seed=0, draws=400)["js"]
    values = []
    for _ in range(400):
        order = rng.permutation(60)
        values.append(
            js(torch.from_numpy(rows[order[:30]].sum(0)), torch.from_numpy(rows[order[30:]].sum(0)))["js"].item()
        )
    assert floor.mean == pytest.approx(np.mean(values), rel=0.1)
    assert floor.low < floor.mean < floor.high
    assert floor.n_items == 150


def test_floor_stands_at_the_simulations_size():
    """A smaller simulation gets a higher floor, from a half cut after the thread that reaches its size."""
    rows = np.random.default_rng(6).multinomial(5, [0.2, 0.3, 0.5], 60).astype(float)
    small, large = (noise_floor(rows, rows.sum(1), js, size=size, seed=0)["js"] for size in (12, 1e9))
    assert small.n_items == 15
    assert small.mean > 1.5 * large.mean


def test_hierarchical_bootstrap_sees_both_levels():
    """Over runs that agree the interval is the threads' own; runs that differ widen it."""
    resampler = Resampler(0, 2000, method="percentile")

    def run(value, spread):
        rng = np.random.default_rng(0)
        table = torch.from_numpy(value + spread * rng.normal(size=(8, 2000)))
        return lambda slot: table[slot]

    alike = hierarchical_bootstrap([run(1.0, 0.1)] * 5, [1.0] * 5, resampler, 500)
    apart = hierarchical_bootstrap(
        [run(v, 0.1) for v in (0.5, 0.8, 1.0, 1.2, 1.5)], [0.5, 0.8, 1, 1.2, 1.5], resampler, 500
    )
    assert alike.value == pytest.approx(apart.value)
    assert apart.high - apart.low > 3 * (alike.high - alike.low)
    assert (apart.n_units, apart.few) == (5, True)
    with pytest.raises(MetricError, match="0 runs"):
        hierarchical_bootstrap([], [], resampler, 0)
