"""The monitor's panels in a run's figure: tag F1 over simulated time, and the scores of all sides at the end."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from folkmoot.metrics.panels import FLOOR, REAL, SIMULATED, empty, timescale
from folkmoot.metrics.records import Point, Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINES = (
    ("recovery", "simulated posts", SIMULATED, "o"),
    ("recovery.real", "real timelines", REAL, "s"),
    ("recovery.swap", "simulated, others' personas", FLOOR, "^"),
)
_SCORES = (("active", "active\ndomains"), ("f1", "tags"), ("stable", "stable\ntags"), ("recent", "recent\ntags"))
_SAME_SIZE = "#56B4E9"
"""Okabe and Ito's sky blue: the real side's relative."""


def recovery_panel(axes: "Axes", records: Sequence[Record]) -> None:
    """Tag F1 with its band over simulated time; blue: of the real timelines, grey: against other people's personas."""
    axes.set_title("Interests recovered from posts")
    points = [one for one in records if isinstance(one, Point) and "recovery.f1" in one.values]
    if not points:
        empty(axes, "no profile was made")
        return
    since, unit = timescale(points)
    x = [since(point.time) for point in points]
    for key, label, colour, marker in _LINES:
        low, value, high = (
            [point.values.get(f"{key}.f1{part}", float("nan")) for point in points] for part in (".low", "", ".high")
        )
        axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
        axes.plot(x, value, color=colour, lw=1.6, marker=marker, ms=3.5, label=label)
    axes.set_xlabel(f"simulated {unit} since the first point")
    axes.set_ylabel("tag F1 against the persona")
    _room(axes)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.legend(loc="upper right", fontsize=8)
    axes.margins(x=0.02)


def scores_panel(axes: "Axes", found: Mapping[str, Any]) -> None:
    """F1 of domains and tags at the end, by what the profiles were made of, with intervals over people."""
    axes.set_title("Recovery at the end")
    sides = found["sides"]
    if not sides["simulated"]["numbers"]:
        empty(axes, "no profile was made")
        return
    series = (
        (sides["simulated"]["numbers"], SIMULATED, f"simulated (n = {sides['simulated']['n']})"),
        (sides["same_size"]["numbers"], _SAME_SIZE, "as many real posts"),
        (sides["real"]["numbers"], REAL, "real timelines"),
        (sides["simulated"]["swap"], FLOOR, "simulated, others' personas"),
    )
    for place, (numbers, colour, label) in enumerate(series):
        _bars(axes, numbers, colour, label, (place - 1.5) * 0.2)
    axes.set_xticks(range(len(_SCORES)), [title for _, title in _SCORES])
    axes.set_ylabel("F1")
    _room(axes)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.legend(loc="upper right", fontsize=8)


def _room(axes: "Axes") -> None:
    """From 0 to 1, with room for the legend."""
    axes.set_ylim(0, 1.35)
    axes.set_yticks([k / 5 for k in range(6)])


def _bars(axes: "Axes", numbers: Mapping[str, Any], colour: str, label: str, shift: float) -> None:
    known = [
        (at, one) for at, (name, _) in enumerate(_SCORES) if (one := numbers.get(name)) and one["value"] is not None
    ]
    if not known:
        return
    x, values = [at + shift for at, _ in known], [one["value"] for _, one in known]
    bounds = [
        [0.0 if one["low"] is None else sign * (one[end] - one["value"]) for _, one in known]
        for end, sign in (("low", -1), ("high", 1))
    ]
    axes.bar(x, values, 0.18, color=colour, label=label, yerr=bounds, error_kw={"lw": 0.9, "ecolor": "#222222"})
