"""Laws of `folkmoot report structure`."""

import pytest

import folkmoot
from folkmoot.metrics.structure.spans import Span, equal
from folkmoot.sim.activity import DAY
from folkmoot.sim.commands.report_structure import report

QUICK = ("llm=scripted", "annotator=scripted", "tracking=none", "live=off", "monitor=[text]", "experiment.days=0.5")


@pytest.mark.parametrize(("real", "simulated"), [(30, 2), (2, 30)])
def test_the_longer_side_is_cut(real, simulated):
    """Law: both sides are as long as the shorter one, each from its own start; equal ones stay; undated ones are told."""
    theirs, ours = Span(0, real * DAY), Span(90 * DAY, (90 + simulated) * DAY)
    first, second, said = equal(theirs, ours, dated=True)
    assert (first, second) == (Span(0, 2 * DAY), Span(90 * DAY, 92 * DAY))
    assert f"real {real}.0 days, simulated {simulated}.0 days" in said
    assert equal(theirs, ours, dated=False)[:2] == (theirs, ours)
    assert "warning" in equal(theirs, ours, dated=False)[2]
    assert equal(theirs, theirs, dated=False)[2].startswith("both sides are whole")


def test_a_feed_is_compared_over_equal_days(tmp_path):
    """Law: of a feed's reference no act counts that is later after the instant than the run is long."""
    run = folkmoot.run(("corpus=demo_feed", *QUICK), tmp_path / "run").run
    report([run.path], tmp_path / "out", draws=20)
    page = (tmp_path / "out" / "report.md").read_text()
    assert "both sides are their first 0.5 days (real " in page


def test_a_reference_of_drawn_threads_is_told(tmp_path):
    """Law: threads drawn from a longer time aren't cut; the page warns with both lengths and the way out."""
    run = folkmoot.run(QUICK, tmp_path / "run").run
    report([run.path], tmp_path / "out", draws=20)
    page = (tmp_path / "out" / "report.md").read_text()
    assert "warning: unequal lengths, real " in page
    assert "simulated 0.5 days" in page
    assert "experiment.days=" in page
