"""The live view where the output isn't a terminal."""

import io
from types import SimpleNamespace

from folkmoot.sim.experiments.live import LINE_S, LiveView


def lines(times, show="auto"):
    """What is printed where numbers are published at these times."""
    out, now = io.StringIO(), [0.0]
    usage = SimpleNamespace(in_flight=3, tokens=12)
    with LiveView("t", usage, show, out, clock=lambda: now[0]) as view:
        for number, moment in enumerate(times, 1):
            now[0] = moment
            view.published(number, {"acts.js_distance": number / 10})
    return out.getvalue().splitlines()


def test_a_burst_of_numbers_is_one_line():
    """Law: within a while only the newest numbers are printed; those that are left are printed at the end."""
    burst = lines([LINE_S + n / 100 for n in range(20)])
    assert [line.partition("after ")[2].split(":")[0] for line in burst] == ["1", "20"]
    assert burst[-1].endswith("acts.js_distance 2.000")


def test_numbers_that_come_slowly_are_all_printed():
    """Law: what comes after a while is printed at once, and nothing is printed twice."""
    assert len(lines([LINE_S * n for n in range(1, 6)])) == 5


def test_a_view_that_is_off_prints_nothing():
    """Law: live=off is silent."""
    assert lines([LINE_S, 2 * LINE_S], "off") == []
