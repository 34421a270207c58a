"""Recovery over several runs: means, the margin over the control, and rows that don't compare."""

from dataclasses import replace

import pytest
import torch

from folkmoot.metrics.compare import RunData, compare, comparison_table
from folkmoot.metrics.profile.counting import SCOPES, score_of
from folkmoot.metrics.recovery.compared import MARGIN, RECOVERED, RecoveredRun, compared, last_profiles
from folkmoot.metrics.recovery.made import MadeProfile, measured
from folkmoot.metrics.target import Target
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.rng import stream


def made(user, hits, other, **facts):
    """A profile of ten tags of which so many are right, of the own persona and of others'."""
    given = {
        "counts": dict.fromkeys(SCOPES, (int(hits), 10, 12)), "swapped": dict.fromkeys(SCOPES, (int(other), 10, 12)),
        "others": ("z",), "side": "simulated", "posts": 5, "predicted": {}, "persona": {},
    }  # fmt: skip
    return MadeProfile(user=user, **(given | facts))


def run(seed, people=12, up=0, **facts):
    """A run's profiles; `up` makes more of the tags right."""
    rng = stream(seed, "compared")
    hits, others = rng.integers(2, 6, people) + up, rng.integers(0, 2, people)
    return RecoveredRun([made(f"u{k}", hits[k], others[k], **facts) for k in range(people)], {"evaluator": "x"})


def value(one, name="counts"):
    """Pooled F1."""
    return score_of(tuple(sum(getattr(p, name)["all"][k] for p in one.profiles) for k in range(3))).f1


def test_one_run_has_the_numbers_of_its_summary():
    """Law: nothing is averaged over one run: value and interval are the run's own."""
    one = replace(run(1), seed=5, draws=120, level=0.9)
    found = compared([one], Resampler(99, 700))
    assert found[RECOVERED] == measured([p.counts for p in one.profiles], Resampler(5, 120, 0.9, "percentile"))["f1"]
    assert found[MARGIN].value == pytest.approx(value(one) - value(one, "swapped"))


def test_several_runs_are_averaged_over_seeds_and_people():
    """The estimate is the mean over runs, n of runs and people; runs that differ widen the interval."""
    alike, apart = [run(k) for k in range(3)], [run(k, up=2 * k) for k in range(3)]
    near, wide = (compared(runs, Resampler(1, 400)) for runs in (alike, apart))
    for runs, found in ((alike, near), (apart, wide)):
        assert found[RECOVERED].value == pytest.approx(sum(map(value, runs)) / 3)
        margins = [value(one) - value(one, "swapped") for one in runs]
        assert found[MARGIN].value == pytest.approx(sum(margins) / 3)
        assert (found[RECOVERED].n_units, found[RECOVERED].n_items) == (3, 36)
        assert found[RECOVERED].low < found[RECOVERED].value < found[RECOVERED].high
    assert wide[RECOVERED].high - wide[RECOVERED].low > near[RECOVERED].high - near[RECOVERED].low


def test_what_a_run_lacks_is_left_out():
    """A run without profiles leaves the row without recovery; one without a control without its margin."""
    whole, bare = run(1), run(2, others=(), swapped={})
    assert compared([whole, RecoveredRun([], {"evaluator": "x"})], Resampler(1, 50)) == {}
    assert list(compared([whole, bare], Resampler(1, 50))) == [RECOVERED]
    assert list(compared([bare], Resampler(1, 50))) == [RECOVERED]
    assert torch.isfinite(torch.tensor(compared([whole, bare], Resampler(1, 50))[RECOVERED].low))


def test_the_last_line_of_a_person_counts():
    """Law: of a person's lines the last simulated one counts, unless it failed; people stand as they were asked about."""
    lines = [
        *(made(user, 1, 0, side="real") for user in "abc"), made("c", 1, 0), made("a", 2, 0), made("b", 3, 0),
        made("a", 4, 0), made("b", 5, 0, failed=True), made("c", 6, 0, side="same_size"),
    ]  # fmt: skip
    assert [(one.user, one.counts["all"][0]) for one in last_profiles(lines)] == [("a", 4), ("c", 1)]


def test_rows_of_two_evaluators_do_not_compare():
    """The table has recovery with its interval; of two evaluators it is left out and both are named; few people are told."""
    data = RunData("here", "a", [], {}, Target("", {}, {}, 0, 0), recovered=run(1, people=4))
    (row,) = compare([data], draws=50)
    assert list(row.numbers) == [RECOVERED, MARGIN]
    number = row.numbers[RECOVERED]
    assert f"{number.value:.3f} [{number.low:.3f}, {number.high:.3f}]" in comparison_table([row])
    assert "recovery of 4 people: under 10 its interval is too narrow" in row.warnings
    other = replace(data, group="there", name="b", recovered=replace(run(2), scorer={"evaluator": "y"}))
    for one in compare([data, other], draws=50):
        assert not one.numbers
        assert "recovery left out: scores don't compare of evaluator x and y" in one.warnings
    (mixed,) = compare([data, replace(data, name="b", recovered=None)], draws=50)
    assert not mixed.numbers
    assert "recovery left out: 1 of 2 runs has none" in mixed.warnings
