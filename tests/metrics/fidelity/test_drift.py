"""Drift charts: the documented false-alarm rate under a null by simulation, and falls that are found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.metrics.fidelity.drift import ALLOWANCE, Cusum, Drift, Ranks, threshold
from folkmoot.sim.rng import stream


@pytest.mark.parametrize(("rate", "horizon"), [(0.2, 50), (0.05, 100), (0.01, 300)])
def test_the_threshold_gives_its_rate(rate, horizon):
    """Independent simulation of normal steps, written without the Markov chain, passes the threshold at the rate."""
    steps = stream(3, "null", horizon).standard_normal((20_000, horizon))
    total, passed = np.zeros(20_000), np.zeros(20_000, bool)
    for column in steps.T:
        total = np.maximum(0, total - column - ALLOWANCE)
        passed |= total > threshold(rate, horizon)
    assert passed.mean() == pytest.approx(rate, abs=4 * (rate * (1 - rate) / 20_000) ** 0.5 + 0.02 * rate)


def scores(kind, rng, n):
    """Exchangeable scores: skewed, heavily tied, or of two humps."""
    if kind == "skewed":
        return rng.beta(0.4, 3, n)
    if kind == "tied":
        return rng.integers(0, 3, n) / 2
    return np.where(rng.random(n) < 0.5, 0.05, 0.9) + rng.normal(0, 0.01, n)


@pytest.mark.parametrize("kind", ["skewed", "tied", "humps"])
def test_runs_without_drift_rarely_alarm(kind):
    """Over all charts of a run, false alarms come at most at the documented rate, whatever the scores' distribution.

    Agents differ in level and in how often they speak, and start speaking at different times: that isn't drift.
    """
    runs, rate, agents = 200, 0.2, ["a", "b", "c"]
    alarmed = 0
    for k in range(runs):
        rng = stream(k, "null", kind)
        drift = Drift({"a": "x", "b": "x", "c": "y"}, ("score",), rate, 150)
        values = scores(kind, rng, 150)
        for t in range(150):
            who = agents[min(int(rng.exponential(0.5 + t / 75)), 2)]
            drift.read(who, {"score": float(values[t] + agents.index(who))}, t, t)
        alarmed += bool(drift.alarms)
    assert alarmed / runs <= rate + 3 * (rate * (1 - rate) / runs) ** 0.5
    assert kind == "tied" or alarmed > 0  # ties make the steps smaller, and the charts quieter than they need be


def fallen(who_falls, seed=1):
    """Two agents of a group and one of another, 80 texts each; from the 40th on some are two deviations lower."""
    drift = Drift({"a": "x", "b": "x", "c": "y"}, ("score", "style"), 0.05, 500)
    rng = stream(seed, "fall")
    for t in range(240):
        who = "abc"[t % 3]
        value = rng.normal() - 2 * (who in who_falls and t >= 120)
        drift.read(who, {"score": value, "style": rng.normal()}, t, 1000 * t)
    return drift.alarms


def test_a_fall_is_found_where_it_is():
    """One agent's fall raises that agent's chart of that measure, after the fall, and tells since when."""
    first = next(alarm for alarm in fallen("b") if alarm.scope == "agent")
    assert (first.name, first.measure) == ("b", "score")
    assert 120 <= first.seq < 180
    assert first.time == 1000 * first.seq
    assert abs(first.since - 120) <= 12
    assert first.total > first.threshold
    assert not any(alarm.name in {"a", "c", "y"} or alarm.measure == "style" for alarm in fallen("b"))


def test_a_fall_of_all_is_found_sooner_by_the_population():
    """What falls everywhere at once raises the population's chart before any agent's."""
    alarms = fallen("abc")
    assert alarms[0].scope in {"population", "group"}
    population = next(alarm for alarm in alarms if alarm.scope == "population")
    agent = next(alarm for alarm in alarms if alarm.scope == "agent")
    assert 120 <= population.seq < agent.seq


def test_a_steady_rise_never_alarms():
    """Charts look down only: better scores are no drift out of character."""
    drift = Drift({"a": ""}, ("score",), 0.5, 500)
    for t in range(300):
        drift.read("a", {"score": float(t)}, t, t)
    assert not drift.alarms


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40))
def test_steps_know_ranks_only(values):
    """Any increasing change of scale gives the same steps; ties share one; the first says nothing."""
    plain, bent = Ranks(), Ranks()
    steps = [plain.step(value) for value in values]
    assert steps == [bent.step(float(np.exp(value / 10))) for value in values]
    assert steps[0] == 0
    if len(set(values)) == 1:
        assert set(steps) == {0.0}


def test_a_chart_starts_again_after_its_alarm():
    """After an alarm the sum begins at 0: one long fall raises several alarms, not one a text."""
    chart = Cusum(threshold=3.0)
    raised = [seq for seq in range(20) if chart.add(-1.5, seq)]
    assert raised == [3, 7, 11, 15, 19]
    assert chart.since == 16
