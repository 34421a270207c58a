"""Metrics with a memory: batches add up to the whole."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.metrics import base, divergence
from folkmoot.sim.errors import MetricError

LABELS = ("A", "B", "C")
labels = st.lists(st.sampled_from(LABELS), min_size=1, max_size=30)

PAIRS = [
    (base.JSDistance, divergence.js_distance),
    (base.JSDivergence, divergence.js_divergence),
    (base.TotalVariation, divergence.total_variation),
    (base.Wasserstein, divergence.wasserstein),
    (base.Deltas, divergence.deltas),
]


@pytest.mark.parametrize(("state", "function"), PAIRS)
@given(real=labels, simulated=labels, cut=st.integers(0, 30))
def test_batches_add_up(state, function, real, simulated, cut):
    """Two updates give what one gives, and what the pure function gives on the counts."""
    metric = state(LABELS)
    metric.update(real[:cut], simulated[:cut])
    metric.update(real[cut:], simulated[cut:])
    counts = [[side.count(label) for label in LABELS] for side in (real, simulated)]
    assert metric.compute().tolist() == function(*counts).tolist()


@pytest.mark.parametrize(("state", "function"), PAIRS)
def test_states_are_documented_and_forget(state, function):
    """Each states shape, range and direction; after reset nothing is defined."""
    assert state.shape
    assert state.range
    assert state.direction in {"lower is closer", "nearer 0 is closer"}
    metric = state(LABELS)
    metric.update(["A"], ["B"])
    metric.reset()
    with pytest.raises(MetricError, match="mass 0"):
        metric.compute()


def test_wrong_labels():
    """Unknown labels get a hint; none and double labels are refused."""
    with pytest.raises(MetricError, match="did you mean 'ASK'"):
        base.JSDistance(["ASK"]).update(["ASKS"])
    for bad in ([], ["A", "A"]):
        with pytest.raises(MetricError, match="one at least, and none twice"):
            base.JSDistance(bad)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.integers(0, 30))
def test_mean_sd_in_batches(values, cut):
    """Running mean and sd equal the standard library's on the whole."""
    metric = base.MeanSd()
    metric.update(values[:cut])
    metric.update(values[cut:])
    mean, sd = metric.compute().tolist()
    assert mean == pytest.approx(statistics.fmean(values), rel=1e-9, abs=1e-6)
    assert sd == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-4)
    metric.reset()
    with pytest.raises(MetricError, match="0 values"):
        metric.compute()
