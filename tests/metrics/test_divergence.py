"""Divergences against SciPy, their laws, and their edges."""

import json
import math
import statistics

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from folkmoot.metrics import divergence as d
from folkmoot.sim.errors import MetricError

counts = st.integers(2, 12).flatmap(
    lambda k: st.tuples(*[st.lists(st.integers(0, 50), min_size=k, max_size=k).filter(any) for _ in range(3)])
)


@given(counts)
def test_js_distance_is_scipys(sides):
    """The distance equals SciPy's on any counts, in base 2 and in base e."""
    p, q, _ = sides
    assert d.js_distance(p, q).item() == pytest.approx(jensenshannon(p, q, base=2), abs=1e-7)
    assert d.js_distance(p, q, base=math.e).item() == pytest.approx(jensenshannon(p, q), abs=1e-7)


@given(counts)
def test_js_distance_is_a_metric(sides):
    """Symmetric, 0 on itself, within [0, 1], and the triangle inequality holds."""
    p, q, r = sides
    pq, qr, pr = (d.js_distance(a, b).item() for a, b in ((p, q), (q, r), (p, r)))
    assert pq == pytest.approx(d.js_distance(q, p).item(), abs=1e-12)
    assert d.js_distance(p, [2 * x for x in p]).item() == pytest.approx(0, abs=1e-7)
    assert 0 <= pq <= 1 + 1e-12
    assert pr <= pq + qr + 1e-7


@given(counts)
def test_total_variation_bounds_js(sides):
    """JS divergence (bits) is at most the total variation (Lin 1991, theorem 3), which is at most 1."""
    p, q, _ = sides
    assert d.js_divergence(p, q).item() <= d.total_variation(p, q).item() + 1e-9
    assert 0 <= d.total_variation(p, q).item() <= 1


@given(counts)
def test_wasserstein_is_scipys(sides):
    """Wasserstein-1 on the points 1..k equals SciPy's, and so with points of one's own."""
    p, q, _ = sides
    points = list(range(1, len(p) + 1))
    assert d.wasserstein(p, q).item() == pytest.approx(wasserstein_distance(points, points, p, q), abs=1e-9)
    squares = [x**2 for x in points]
    assert d.wasserstein(p, q, squares).item() == pytest.approx(wasserstein_distance(squares, squares, p, q), abs=1e-9)


@given(
    st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=1, max_size=20),
    st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=1, max_size=20),
)
def test_wasserstein_between_point_sets_is_scipys(u, v):
    """Unequal supports of any sizes: the same as SciPy's."""
    assert d.wasserstein_points(u, v).item() == pytest.approx(wasserstein_distance(u, v), abs=1e-9)


@pytest.mark.shared
def test_published_examples(shared):
    """SciPy's own documented examples come out."""
    tables = json.loads((shared / "expected" / "scipy_distances.json").read_text())
    for case in tables["wasserstein_distance"]:
        value = d.wasserstein_points(case["u"], case["v"], case.get("u_weights"), case.get("v_weights"))
        assert value.item() == pytest.approx(case["expected"], abs=1e-12)
    for case in tables["jensenshannon_distance"]:
        base = math.e if case["base"] == "e" else case["base"]
        assert d.js_distance(case["p"], case["q"], base).item() == pytest.approx(case["expected"], abs=1e-12)


def test_batches_are_rows():
    """A batch gives what its rows give one by one, and broadcasts against a single side."""
    rng = np.random.default_rng(0)
    p, q = rng.integers(1, 9, (3, 4, 5)), rng.integers(1, 9, 5)
    for measure in (d.js_distance, d.total_variation, d.wasserstein):
        batch = measure(p, q)
        assert batch.shape == (3, 4)
        assert batch[1, 2].item() == pytest.approx(measure(p[1, 2], q).item(), abs=1e-14)


def test_array_likes_are_alike():
    """Lists, NumPy arrays and tensors give the same number in float64."""
    p, q = [1, 2, 3], [3, 2, 1]
    values = {
        d.js_distance(a(p), b(q)).item() for a in (list, np.array, torch.tensor) for b in (list, np.array, torch.tensor)
    }
    assert len(values) == 1
    assert d.js_distance(torch.tensor(p, dtype=torch.float16), q).dtype == torch.float64


@pytest.mark.parametrize("measure", [d.js_divergence, d.js_distance, d.total_variation, d.wasserstein, d.deltas])
@pytest.mark.parametrize(
    ("p", "q", "says"),
    [
        ([0, 0], [1, 1], "mass 0"),
        ([1, 1], [0, 0], "mass 0"),
        ([1, 1], [1, 1, 1], "unequal support: 2 against 3"),
        ([], [1], "at least one number"),
        ([-1, 2], [1, 1], "holds -1.0"),
        ([math.nan, 2], [1, 1], "holds nan"),
        ([math.inf, 2], [1, 1], "holds inf"),
    ],
)
def test_edges_are_named(measure, p, q, says):
    """Empty side, zero mass, unequal support, negative and not finite counts: an error with the value."""
    with pytest.raises(MetricError, match=says):
        measure(p, q)


def test_one_label():
    """A single label on both sides is no divergence at all."""
    for measure in (d.js_divergence, d.js_distance, d.total_variation, d.wasserstein):
        assert measure([3], [8]).item() == 0


def test_disjoint_sides_are_as_far_as_can_be():
    """No common label: 1 in base 2, ln 2 nats, total variation 1."""
    assert d.js_divergence([1, 0], [0, 5]).item() == 1
    assert d.js_divergence([1, 0], [0, 5], math.e).item() == pytest.approx(math.log(2))
    assert d.total_variation([1, 0], [0, 5]).item() == 1


def test_bad_base_and_positions():
    """A base of 1 or less, and positions that don't increase or don't fit, are refused."""
    with pytest.raises(MetricError, match="base 1"):
        d.js_divergence([1], [1], base=1)
    with pytest.raises(MetricError, match="increase"):
        d.wasserstein([1, 1], [1, 1], [2, 1])
    with pytest.raises(MetricError, match="3 positions for 2"):
        d.wasserstein([1, 1], [1, 1], [1, 2, 3])


def test_deltas_and_density():
    """Positive delta: under-produced. Density ratio under 1: the simulation is denser. No sentence: an error."""
    assert d.deltas([3, 1], [1, 3]).tolist() == [0.5, -0.5]
    assert d.density_ratio(71, 100, 100, 100) == pytest.approx(0.71)
    with pytest.raises(MetricError, match="0 simulated sentences"):
        d.density_ratio(1, 1, 1, 0)


def test_align_fills_absent_labels():
    """Two tables over their union, absent labels 0; a label outside those given is an error."""
    names, p, q = d.align({"A": 2, "B": 1}, {"C": 4})
    assert (names, p.tolist(), q.tolist()) == (("A", "B", "C"), [2, 1, 0], [0, 0, 4])
    with pytest.raises(MetricError, match="'C'"):
        d.align({"A": 1}, {"C": 1}, ["A"])


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_mean_sd_is_the_standard_librarys(values):
    """Mean and sample standard deviation equal those of `statistics`."""
    mean, sd = d.mean_sd(values)
    assert mean == pytest.approx(statistics.fmean(values), rel=1e-9, abs=1e-6)
    assert sd == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-4)
