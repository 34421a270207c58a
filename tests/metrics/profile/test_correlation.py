"""Rank correlation: against scipy and by hand; what isn't defined."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, rankdata, spearmanr

from folkmoot.metrics.profile.correlation import spearman

values = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=20)


@settings(deadline=None)  # the first call imports scipy
@given(values)
def test_rho_is_the_correlation_of_ranks(pairs):
    """Rho is Pearson's r of the ranks; the interval holds it; without spread on a side it isn't defined."""
    x, y = [float(a) for a, _ in pairs], [float(b) for _, b in pairs]
    found = spearman(x, y, draws=50)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert math.isnan(found.rho)
        return
    assert found.rho == pytest.approx(pearsonr(rankdata(x), rankdata(y)).statistic)
    assert found.low <= found.rho <= found.high
    assert found.low >= -1 - 1e-12
    assert found.high <= 1 + 1e-12


@given(st.permutations(range(8)), st.permutations([0, 0, 1, 2, 3, 4, 5, 5]))
def test_significance_is_scipys(x, y):
    """P of rho is scipy's, and 0 where both orders are one."""
    assert spearman(x, y, draws=10).p == pytest.approx(spearmanr(x, y).pvalue)
    assert spearman(x, x, draws=10).p == 0


def test_missing_values_are_left_out():
    """Pairs with a NaN don't count."""
    found = spearman([1, 2, 3, 4, math.nan], [1, 2, 3, 4, 0])
    assert (found.rho, found.n) == (pytest.approx(1), 4)


def test_too_few_pairs():
    """Of three pairs there is no correlation, but their number is told."""
    found = spearman([1, 2, 3], [1, 2, 3])
    assert math.isnan(found.rho)
    assert found.n == 3
