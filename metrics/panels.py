"""The panels of the figure; each draws into the axes that it is given."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from folkmoot.metrics.records import Point
from folkmoot.metrics.shown import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REAL, SIMULATED, FLOOR, INK = "#0072B2", "#D55E00", "#999999", "#222222"
"""Okabe and Ito's blue and vermilion: told apart by colour-blind readers, and in grey."""

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#888888",
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlepad": 10,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "text.parse_math": False,
    "axes.axisbelow": True,
}
_MS_PER_HOUR = 3_600_000
_DAY_HOURS = 24


def acts_panel(axes: "Axes", summary: Mapping[str, Any]) -> None:
    """Share of each act, real against simulated, with intervals."""
    axes.set_title("Dialog acts")
    family = summary["families"].get("acts")
    if not _drawable(axes, family):
        return
    labels = sorted(family["labels"], key=lambda label: -(_value(family["real"], f"share.{label}") or 0))
    _pairs(axes, family, [f"share.{label}" for label in labels], horizontal=True)
    axes.set_yticks(range(len(labels)), [shown(label.capitalize(), 18) for label in labels])
    axes.invert_yaxis()
    axes.set_xlabel("share of all acts")
    _percent(axes, "x")
    axes.legend(loc="lower right")
    _note(axes, family, "js_distance", "JS distance")


def sentiment_panel(axes: "Axes", summary: Mapping[str, Any]) -> None:
    """Share of each sentiment point, with intervals."""
    axes.set_title("Sentiment")
    family = summary["families"].get("sentiment")
    if not _drawable(axes, family):
        return
    labels = family["labels"]
    _pairs(axes, family, [f"share.{label}" for label in labels], horizontal=False)
    axes.set_xticks(range(len(labels)), [shown(label, 20).replace(" ", "\n") for label in labels])
    axes.set_ylabel("share of comments")
    _percent(axes, "y")
    axes.legend(loc="upper left")
    _note(axes, family, "wasserstein", "Wasserstein")


def time_panel(axes: "Axes", points: Sequence[Point], key: str = "acts.js_distance") -> None:
    """A divergence over simulated time with its band, and the noise floor."""
    axes.set_title("Divergence of dialog acts over simulated time")
    points = [point for point in points if f"{key}.low" in point.values]
    if not points:
        empty(axes, "no publish points")
        return
    since, unit = timescale(points)
    x = [since(point.time) for point in points]
    line = {name: [point.values.get(f"{key}{name}", float("nan")) for point in points] for name in _LINES}
    axes.fill_between(x, line[".floor.low"], line[".floor.high"], color=FLOOR, alpha=0.3, lw=0, label="two real halves")
    axes.plot(x, line[".floor"], color=FLOOR, linewidth=1, linestyle=(0, (2, 2)))
    axes.fill_between(x, line[".low"], line[".high"], color=SIMULATED, alpha=0.22, lw=0)
    axes.plot(x, line[""], color=SIMULATED, linewidth=2, marker="o", markersize=3.5, label="simulated to real")
    recent = [point.values.get(f"window.{key}", float("nan")) for point in points]
    axes.plot(x, recent, color=SIMULATED, linewidth=1, linestyle=(0, (4, 2)), alpha=0.8, label="last comments alone")
    axes.set_xlabel(f"simulated {unit} since the first point")
    axes.set_ylabel("JS distance (base 2)")
    axes.set_ylim(0, axes.get_ylim()[1] * 1.35)  # room for the legend
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.legend(loc="upper right", fontsize=9)
    axes.margins(x=0.02)


def timescale(points: Sequence[Point]) -> tuple[Callable[[int], float], str]:
    """Simulated ms -> hours, or days of a longer run, since the first point; and the unit's name."""
    first, last = points[0].time, points[-1].time
    days = last - first > 2 * _DAY_HOURS * _MS_PER_HOUR
    size = _MS_PER_HOUR * (_DAY_HOURS if days else 1)
    return lambda time: (time - first) / size, "days" if days else "hours"


_LINES = ("", ".low", ".high", ".floor", ".floor.low", ".floor.high")


def words_panel(axes: "Axes", summary: Mapping[str, Any]) -> None:
    """Words per comment: shares by length, and the means."""
    axes.set_title("Words per comment")
    counts = summary["histograms"].get("words")
    family = summary["families"].get("text")
    if counts is None or not _drawable(axes, family):
        return
    edges = [0, *counts["edges"]]
    names = [f"{low}\u2013{high - 1}" for low, high in pairwise(edges)] + [f"{edges[-1]}+"]
    for side, colour, shift in (("real", REAL, -0.2), ("simulated", SIMULATED, 0.2)):
        total = sum(counts[side]) or 1
        mean = _value(family["real"] if side == "real" else family["numbers"], "words_mean")
        label = f"{side}, mean {mean:.0f}" if mean is not None else side
        where = [i + shift for i in range(len(names))]
        axes.bar(where, [count / total for count in counts[side]], 0.38, color=colour, label=label)
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor", fontsize=9)
    axes.set_ylabel("share of comments")
    _percent(axes, "y")
    axes.legend(loc="upper right")


def _pairs(axes: "Axes", family: Mapping[str, Any], keys: Sequence[str], *, horizontal: bool) -> None:
    """A bar for each side of each number, with its interval as a whisker."""
    bar: Any = axes.barh if horizontal else axes.bar
    for side, colour, shift in (("real", REAL, -0.2), ("simulated", SIMULATED, 0.2)):
        numbers = family["real" if side == "real" else "numbers"]
        values = [_value(numbers, key) or 0.0 for key in keys]
        low = [value - (_value(numbers, key, "low") or 0.0) for key, value in zip(keys, values, strict=True)]
        high = [(_value(numbers, key, "high") or 0.0) - value for key, value in zip(keys, values, strict=True)]
        spread = [[max(0.0, x) for x in low], [max(0.0, x) for x in high]]
        where = [i + shift for i in range(len(keys))]
        whisker = {"ecolor": INK, "elinewidth": 0.9, "capsize": 2}
        bar(
            where,
            values,
            0.38,
            color=colour,
            label=side,
            **{"xerr" if horizontal else "yerr": spread},
            error_kw=whisker,
        )


def _percent(axes: "Axes", which: Literal["x", "y"]) -> None:
    """Round percentages on an axis, with a light grid."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.grid(axis=which, color="#e6e6e6", linewidth=0.8)


def _note(axes: "Axes", family: Mapping[str, Any], key: str, name: str) -> None:
    """The headline beside the panel's title, and the noise floor."""
    number, floor = family["numbers"].get(key), family["floors"].get(key)
    if not number or number["value"] is None:
        return
    text = f"{name} {number['value']:.2f}"
    if number["low"] is not None:
        text += f" [{number['low']:.2f}, {number['high']:.2f}]"
    if floor and floor["mean"] is not None:
        text += f", two real halves {floor['mean']:.2f}"
    axes.text(1, 1.03, text, transform=axes.transAxes, ha="right", va="bottom", fontsize=9, color="#555555")


def _drawable(axes: "Axes", family: Mapping[str, Any] | None) -> bool:
    if family is None or not family["numbers"]:
        empty(axes, "not measured" if family is None else "no simulated comments")
        return False
    return True


def empty(axes: "Axes", why: str) -> None:
    """An empty panel that says why."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color="#777777")


def _value(numbers: Mapping[str, Any], key: str, part: str = "value") -> float | None:
    value: float | None = numbers.get(key, {}).get(part)
    return value
