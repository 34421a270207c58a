"""Persona fidelity over several runs: means, the control's AUC, and rows that don't compare."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from folkmoot.metrics.compare import RunData, compare, comparison_table
from folkmoot.metrics.fidelity.compared import CONTROL, SCORE, ScoredRun, compared
from folkmoot.metrics.fidelity.scored import ScoredText, means
from folkmoot.metrics.fidelity.swap import contest, swap_auc
from folkmoot.metrics.target import Target
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.rng import stream


def texts(seed, n=60, authors=12, *, up=0.0, other=True):
    """Scored texts; `up` lifts the authors' own scores."""
    rng = stream(seed, "compared")
    q = lambda s: dict.fromkeys(("task_framing", "interpersonal_stance", "linguistic_style"), (s, 1 - s, 0.0))  # noqa: E731
    own, others = np.round(np.clip(rng.random(n) + up, 0, 1), 2), np.round(rng.random(n), 2)
    return [
        ScoredText(seq=k, time=k, agent=f"a{k % authors}", q=q(own[k]), other_q=q(others[k]) if other else None)
        for k in range(n)
    ]


def test_a_draw_of_authors_is_scikit_learns_auc_of_their_texts():
    """Law: the AUC under weights is that of the texts repeated so often, ties half."""
    some = texts(3, n=40, authors=7)
    weights = stream(1, "weights").integers(0, 3, size=(20, 7))
    for row, found in zip(weights, contest(some).auc(weights), strict=True):
        repeated = [one for one in some for _ in range(row[int(one.agent[1:])])]
        scores = [one.values[0] for one in repeated] + [one.other_values[0] for one in repeated]
        truth = [1] * len(repeated) + [0] * len(repeated)
        assert found == pytest.approx(roc_auc_score(truth, scores))


def test_one_run_has_the_numbers_of_its_summary():
    """Law: nothing is averaged over one run: value and interval are the run's own."""
    run = ScoredRun(texts(1), {"evaluator": "x"}, seed=5, draws=120, level=0.9)
    found = compared([run], Resampler(99, 700))
    own = [one.values for one in run.texts], [one.agent for one in run.texts]
    assert found[SCORE] == means(*own, seed=5, draws=120, level=0.9)["score"]
    assert found[CONTROL] == swap_auc(run.texts, seed=5, draws=120, level=0.9)


def test_several_runs_are_averaged_over_seeds_and_authors():
    """The estimate is the mean over runs with n of runs and texts; runs that differ widen the interval."""
    alike = [ScoredRun(texts(k), {"evaluator": "x"}) for k in range(3)]
    apart = [ScoredRun(texts(k, up=k / 4), {"evaluator": "x"}) for k in range(3)]
    near, wide = (compared(runs, Resampler(1, 400)) for runs in (alike, apart))
    for runs, found in ((alike, near), (apart, wide)):
        each = [np.mean([one.values[0] for one in run.texts]) for run in runs]
        assert found[SCORE].value == pytest.approx(np.mean(each))
        assert (found[SCORE].n_units, found[SCORE].n_items) == (3, 180)
        assert found[SCORE].low < found[SCORE].value < found[SCORE].high
        assert found[CONTROL].value == pytest.approx(np.mean([swap_auc(r.texts, seed=1, draws=1).value for r in runs]))
    assert wide[SCORE].high - wide[SCORE].low > near[SCORE].high - near[SCORE].low


def test_what_a_run_lacks_is_left_out():
    """A run without scored texts leaves the row without fidelity; one without a control without its AUC."""
    whole, bare = ScoredRun(texts(1), {"evaluator": "x"}), ScoredRun(texts(2, other=False), {"evaluator": "x"})
    assert compared([whole, ScoredRun([], {"evaluator": "x"})], Resampler(1, 50)) == {}
    assert list(compared([whole, bare], Resampler(1, 50))) == [SCORE]
    one = compared([ScoredRun(texts(1, authors=1), {"evaluator": "x"})], Resampler(1, 50))
    assert np.isnan(one[SCORE].low)


def test_rows_of_two_evaluators_do_not_compare():
    """The table has fidelity with its interval; of two evaluators it is left out and both are named; few people are told."""
    run = RunData(
        "here", "a", [], {}, Target("", {}, {}, 0, 0), scored=ScoredRun(texts(1, authors=4), {"evaluator": "small"})
    )
    (row,) = compare([run], draws=50)
    assert list(row.numbers) == [SCORE, CONTROL]
    number = row.numbers[SCORE]
    assert f"{number.value:.3f} [{number.low:.3f}, {number.high:.3f}]" in comparison_table([row])
    assert "persona fidelity of 4 people: under 10 its interval is too narrow" in row.warnings
    other = replace(run, group="there", name="b", scored=ScoredRun(texts(2), {"evaluator": "large"}))
    for one in compare([run, other], draws=50):
        assert not one.numbers
        assert "persona fidelity left out: scores don't compare of evaluator small and large" in one.warnings
    mixed = compare([run, replace(run, name="b", scored=None)], draws=50)
    assert not mixed[0].numbers
    assert "persona fidelity left out: 1 of 2 runs has none" in mixed[0].warnings
    gone = compare([run, replace(run, name="b", scored=replace(run.scored, texts=[]))], draws=50)
    assert "persona fidelity left out: 1 of 2 runs has none" in gone[0].warnings
    bare = replace(run, name="b", scored=replace(run.scored, texts=texts(2, other=False)))
    (found,) = compare([run, bare], draws=50)
    assert list(found.numbers) == [SCORE]
    assert "persona fidelity: its control left out: 1 of 2 runs has none" in found.warnings
    assert not compare([replace(run, scored=None)], draws=50)[0].warnings[2:]
