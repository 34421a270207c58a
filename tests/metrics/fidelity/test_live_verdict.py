"""What the control says in words."""

from folkmoot.metrics.fidelity.swap import verdict
from folkmoot.metrics.uncertainty import Estimate


def test_few_people_give_no_verdict():
    """Law: an interval over two people is no evidence, however high it lies; over five it may be."""
    assert "at least 5 are needed" in verdict(Estimate(0.7, 0.67, 1.0, 2, 3, ""))
    assert "better than chance" in verdict(Estimate(0.7, 0.67, 1.0, 5, 12, ""))
