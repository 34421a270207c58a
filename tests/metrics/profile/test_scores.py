"""Scores of interests: bounds, boundaries, monotony, duplicates."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.metrics.profile.scores import DAY, Evidence, Span, Thresholds, bucket, month, score
from folkmoot.sim.errors import MetricError

YEAR = Span(0, 365 * DAY - 1)

items = st.builds(
    Evidence,
    st.integers(0, YEAR.last),
    st.floats(0, 1),
    st.sampled_from([1.0, 1 / 2, 1 / 3, 0.01]),
    st.none(),
)


def at(*days, confidence=0.0):
    """Evidence on these days."""
    return [Evidence(day * DAY, confidence) for day in days]


@given(st.lists(items, max_size=30))
def test_scores_are_bounded(evidence):
    """Both scores and both mean confidences lie in [0, 1], whatever the evidence."""
    found = score(evidence, YEAR)
    for value in (found.stable, found.recent, found.confidence, found.recent_confidence):
        assert 0 <= value <= 1 + 1e-12
    assert 0 <= found.recent_support <= found.support + 1e-12


@given(st.lists(items, min_size=1, max_size=12), st.integers(1, 5))
def test_more_support_never_lowers_a_score(evidence, times):
    """At a fixed mean confidence (all evidence there again, `times` times) neither score falls."""
    once, again = score(evidence, YEAR), score(evidence * (times + 1), YEAR)
    assert again.stable >= once.stable - 1e-9
    assert again.recent >= once.recent - 1e-9
    assert again.confidence == pytest.approx(once.confidence)


@given(st.lists(items, max_size=8), st.integers(0, YEAR.last), st.floats(0, 1), st.integers(1, 40))
def test_duplicates_do_not_inflate(evidence, time, confidence, copies):
    """A cluster of n near-duplicates scores as its first post alone, wherever the copies are in the window or out of it."""
    alone = score([*evidence, Evidence(time, confidence)], YEAR)
    cluster = [Evidence(time, confidence, 1 / copies, time)] * copies
    many = score([*evidence, *cluster], YEAR)
    assert many == pytest.approx(alone)
    assert bucket(many) == bucket(alone)


def test_copies_in_other_months_add_no_month():
    """A post repeated each month is evidence in the month of its first post only."""
    repeated = [Evidence(30 * k * DAY, 1.0, 1 / 6, 0) for k in range(6)]
    found = score(repeated, YEAR)
    assert (found.months, found.support) == (1, pytest.approx(1))
    assert bucket(found) is None


def test_support_of_three_is_enough():
    """Three posts in two months are stable at any confidence, 2.99 are not; the bounds do the work."""
    assert bucket(score(at(0, 1, 40), YEAR)) == "stable"
    assert bucket(score([*at(0, 40, confidence=1), Evidence(DAY, 1.0, 0.99)], YEAR)) is None
    thirds = [Evidence(day * DAY, 0.0, 1 / 3) for day in range(40, 49)]
    assert bucket(score([*thirds[:8], Evidence(0, 0.0, 1 / 3)], YEAR)) == "stable"


def test_two_months_are_needed():
    """Any number of posts in one month isn't stable; one in the next month makes it so."""
    full = Thresholds()
    assert bucket(score(at(*range(25), confidence=1), YEAR), full) is None
    assert bucket(score(at(*range(25), 31), YEAR), full) == "stable"


def test_the_recent_threshold():
    """One late post is recent from a confidence of (0.60 - 0.325) / 0.35 on, two late posts at any confidence."""
    bound = (0.60 - 0.325) / 0.35
    assert bucket(score(at(360, confidence=bound), YEAR)) == "recent"
    assert bucket(score(at(360, confidence=bound - 1e-6), YEAR)) is None
    assert bucket(score(at(360, 361), YEAR)) == "recent"


def test_the_window_ends_with_the_timeline():
    """Evidence of 90 days before the last post counts, a millisecond older doesn't."""
    edge = YEAR.last - 90 * DAY
    assert score([Evidence(edge, 1.0)], YEAR).recent_support == 1
    assert score([Evidence(edge - 1, 1.0)], YEAR).recent == 0


def test_recent_support_can_be_asked_for():
    """Half a post (one of two duplicates) isn't enough by default, and is where less is asked for."""
    evidence = [Evidence(360 * DAY, 1.0, 0.5)]
    low = Thresholds(recent=0.5, recent_support=0.5)
    assert bucket(score(evidence, YEAR), low) == "recent"
    assert bucket(score(evidence, YEAR), Thresholds(recent=0.5)) is None


def test_stable_wins_over_recent():
    """What fulfils both conditions is stable."""
    assert bucket(score(at(300, 340, 360, confidence=1), YEAR)) == "stable"


@given(st.integers(1, 30))
def test_short_timelines_need_fewer_months(months):
    """With m = max(2, min(6, B_span) - 1), full dispersion needs two months in a short timeline and five in a long one."""
    span = Span(0, int(datetime(1970 + (months - 1) // 12, (months - 1) % 12 + 1, 15, tzinfo=UTC).timestamp() * 1000))
    assert span.months == months
    needed = max(2, min(6, months) - 1)
    starts = [int(datetime(1970, k + 1, 2, tzinfo=UTC).timestamp() * 1000) for k in range(needed)]
    evidence = [Evidence(time, 1.0) for time in starts] * 2
    assert score(evidence, span).stable == pytest.approx(1)
    assert score(evidence[1:needed], span).stable < 1


def test_months_are_calendar_months():
    """The last second of a month and the first of the next stand in two bins."""
    end = int(datetime(2024, 1, 31, 23, 59, 59, tzinfo=UTC).timestamp() * 1000)
    assert month(end + 1000) == month(end) + 1


@pytest.mark.parametrize("wrong", [Evidence(0, 1.5), Evidence(0, -0.1), Evidence(0, 0.5, 0), Evidence(0, 0.5, 2)])
def test_values_out_of_bounds_are_refused(wrong):
    """Confidences out of [0, 1] and weights out of (0, 1] are errors that name the values."""
    with pytest.raises(MetricError, match=str(wrong.confidence)):
        score([wrong], YEAR)
