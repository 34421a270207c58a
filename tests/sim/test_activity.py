"""Activity: quantiles are those of the named distributions, time rescaling keeps rates, fits find what was drawn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from folkmoot.environments.talk_page.events import CommentPosted
from folkmoot.sim.activity import DAY, FLAT, HOUR, Activity, Clock, Delay, Empirical, Exponential, LogNormal, PowerLaw
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.fit import fit_activity, fit_gaps, fit_profile
from folkmoot.sim.rng import stream, uniform

U = st.floats(1e-9, 1 - 1e-9)


@given(U)
def test_exponential_quantile_is_scipys(u):
    """The exponential's quantile agrees with scipy."""
    assert Exponential().quantile(u) == pytest.approx(stats.expon.ppf(u), rel=1e-9)


@given(U, st.floats(0.1, 3))
def test_lognormal_quantile_is_scipys(u, sigma):
    """The log-normal of mean 1 agrees with scipy."""
    expected = stats.lognorm.ppf(u, s=sigma, scale=np.exp(-(sigma**2) / 2))
    assert LogNormal(sigma=sigma).quantile(u) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    "gaps", [Exponential(), LogNormal(sigma=1.2), PowerLaw(alpha=1.5, cutoff=200.0), Empirical(values=(0.1, 0.5, 4.0))]
)
def test_every_family_has_mean_one_and_is_monotone(gaps):
    """Gaps have mean 1, so a rate means what it says; quantiles grow with u."""
    u = (np.arange(40000) + 0.5) / 40000
    draws = np.asarray([gaps.quantile(x) for x in u])
    assert draws.mean() == pytest.approx(1, rel=0.03)
    assert (np.diff(draws) >= 0).all()
    assert (draws >= 0).all()


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=120).filter(lambda values: sum(values) > 1e-300), U)
def test_resampling_is_numpys_interpolation_to_the_last_bit(values, u):
    """Law: logs were written with numpy.interp; the same draw gives the same gap."""
    ordered = np.sort(values)
    mean = float((ordered[1:] + ordered[:-1]).mean() / 2)
    expected = float(np.interp(u * (len(values) - 1), np.arange(len(values)), ordered)) / mean
    assert Empirical(values=tuple(values)).quantile(u) == expected


@pytest.mark.parametrize("values", [(0.0, 0.0), (0.0, 5e-324), (1e308, 1e308), (1.0, float("nan")), (-1.0, 3.0)])
def test_values_that_no_mean_can_scale_are_refused(values):
    """Gaps and profiles are divided by their mean: zero, subnormal, infinite and NaN ones are told, never divided by."""
    with pytest.raises(ValidationError, match="values must be >= 0 with a finite mean"):
        Empirical(values=values)
    if min(values) >= 0 and max(values) < 1e308:
        with pytest.raises(ValidationError, match="profile must be 168 values >= 0 with a finite mean"):
            Activity(profile=(*values, *[0.0] * 166))


def test_power_law_has_its_shape():
    """Well under the cut-off the density falls as x^-alpha: ratio of two masses against numerical integration."""
    law = PowerLaw(alpha=2.0, cutoff=1e4)
    draws = np.asarray([law.quantile((i + 0.5) / 200000) for i in range(200000)])
    draws = draws / draws.min()
    ratio = ((draws >= 1) & (draws < 2)).mean() / ((draws >= 2) & (draws < 4)).mean()
    assert ratio == pytest.approx(2.0, rel=0.02)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 4 * 10**12), st.floats(0.001, 40), st.floats(0.001, 40))
def test_time_rescaling_is_additive_and_forward(now, first, second):
    """Two gaps in a row lead where their sum leads, whatever the profile (UTC: no clock changes)."""
    profile = tuple(0.2 + (h % 24) / 12 + (h // 24) / 5 for h in range(168))
    clock = Clock(profile, "UTC")
    step = clock.after(clock.after(now, first), second)
    assert step > now
    assert step == pytest.approx(clock.after(now, first + second), abs=4000)


def test_a_silent_hour_stays_silent():
    """No activation falls in hours of zero intensity, and the long-run rate is kept."""
    profile = tuple(0.0 if h % 24 < 7 else 1.0 for h in range(168))
    clock, now, hits = Clock(profile, "UTC"), 0, []
    for i in range(3000):
        now = clock.after(now, Exponential().quantile(uniform(3, i)))
        hits.append(now)
    hours = np.asarray(hits) // HOUR % 24
    assert (hours >= 7).all()
    assert len(hits) / (now / DAY) == pytest.approx(1, rel=0.06)


def test_an_unknown_zone_says_what_to_give():
    """A wrong zone is a ConfigError with an example."""
    with pytest.raises(ConfigError, match="Europe/Berlin"):
        Clock(FLAT, "Mars/Olympus")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate_per_day": -1}, "greater than or equal to 0"),
        ({"profile": (1.0,)}, "168"),
        ({"react": {"reply": 2}}, "between 0 and 1"),
    ],
)
def test_senseless_values_are_refused(change, message):
    """Negative rates, short profiles and impossible probabilities are named with their bound."""
    with pytest.raises(ValidationError, match=message):
        Activity(**change)


def test_zero_delay_is_allowed():
    """A think time of zero gives 0 ms."""
    assert Delay(mean_s=0).sample_ms(0.7) == 0


def test_fit_finds_the_family_and_its_parameters():
    """From 4,000 draws the family is recognised and its parameter found."""
    draws = stream(1, "gaps").lognormal(0, 1.3, 4000)
    gaps, facts = fit_gaps(list(draws))
    assert isinstance(gaps, LogNormal)
    assert gaps.sigma == pytest.approx(1.3, rel=0.05)
    assert facts["gaps_family"] == "lognormal"
    assert isinstance(fit_gaps(list(stream(1, "e").exponential(1, 4000)))[0], Exponential)
    assert isinstance(fit_gaps(list(draws), "empirical")[0], Empirical)


def test_too_few_gaps_leave_the_default():
    """Under ten gaps nothing is fitted, and the manifest says so."""
    gaps, facts = fit_gaps([1.0, 2.0])
    assert gaps == Exponential()
    assert "too few" in str(facts["gaps_family"])


def test_profile_is_read_in_local_time():
    """Events at 22:30 UTC in winter count in the hour 23 of Berlin."""
    times = [i * 7 * DAY + 22 * HOUR + HOUR // 2 for i in range(8)]
    profile = fit_profile(times, "Europe/Berlin")
    assert int(np.argmax(np.asarray(profile).reshape(7, 24).sum(0))) == 23
    assert np.mean(profile) == pytest.approx(1, abs=1e-6)


def test_activity_of_a_hand_made_community():
    """Rates, reply delays and the chance of coming back are those counted by hand."""

    def say(seq, actor, time, parent):
        return CommentPosted(
            seq=seq,
            time=time,
            actor=actor,
            community="en",
            origin="recorded",
            thread="t",
            parent=parent,
            text="x",
            language="en",
            page="P",
        )

    thread = [say(0, "a", 0, None), say(1, "b", HOUR, 0), say(2, "a", 3 * HOUR, 1), say(3, "c", 2 * DAY, 0)]
    activity = fit_activity([thread], "UTC")
    assert activity.rate_per_day == pytest.approx(4 / 2 / 3, abs=1e-5)
    # answered: a (by b; comes back), b (by a; doesn't), a (by c; doesn't)
    assert activity.react["reply"] == pytest.approx(1 / 3, abs=1e-5)
    # one opening, two who join (b, c), one who returns (a); the opening could call two others, half of two came so
    assert activity.react["watch"] == pytest.approx(0.5 * 2 / 2)
    assert activity.exogenous_share == pytest.approx((1 + 0.5 * 2) / 4)
    mean = (1 + 2 + 48) / 3 * 3600
    assert activity.think.mean_s + activity.reaction.mean_s == pytest.approx(mean, rel=1e-6)
    assert Activity.model_validate(activity.model_dump()) == activity
