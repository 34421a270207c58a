"""The monitor's panels in a run's figure: S over simulated time beside the control, and S agent by agent."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.metrics.panels import FLOOR, INK, SIMULATED, empty, timescale
from folkmoot.metrics.records import AlarmRaised, Point, Record
from folkmoot.metrics.shown import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_AGENTS = 14
_COLOURS = ("#009E73", "#CC79A7", "#E69F00")
_STYLES = ((0, (4, 2)), (0, (1, 1.5)), (0, (5, 1, 1, 1)))


def fidelity_panel(axes: "Axes", records: Sequence[Record]) -> None:
    """S with its band and each e over simulated time; grey: the same texts against another's persona."""
    axes.set_title("Persona fidelity over simulated time")
    points = [one for one in records if isinstance(one, Point) and "fidelity.score" in one.values]
    if not points:
        empty(axes, "no text was scored")
        return
    since, unit = timescale(points)
    x = [since(point.time) for point in points]

    def line(name: str) -> list[float]:
        return [point.values.get(name, float("nan")) for point in points]

    axes.fill_between(x, line("fidelity.score.low"), line("fidelity.score.high"), color=SIMULATED, alpha=0.22, lw=0)
    axes.plot(x, line("fidelity.score"), color=SIMULATED, lw=2, marker="o", ms=3.5, label="S, author's persona")
    control = "fidelity.swap.score"
    axes.fill_between(x, line(f"{control}.low"), line(f"{control}.high"), color=FLOOR, alpha=0.3, lw=0)
    axes.plot(x, line(control), color=FLOOR, lw=1.4, marker="s", ms=3, label="S, another's persona")
    for dimension, colour, style in zip(DIMENSIONS, _COLOURS, _STYLES, strict=True):
        named = dimension.replace("_", " ")
        axes.plot(x, line(f"fidelity.{dimension}"), color=colour, lw=1, ls=style, label=named)
    for alarm in (one for one in records if isinstance(one, AlarmRaised) and one.metric.endswith(".cusum")):
        axes.axvline(since(alarm.time), color=INK, lw=0.8, ls=":")
    axes.set_xlabel(f"simulated {unit} since the first point")
    axes.set_ylabel("probability of the aligned label")
    axes.set_ylim(0, 1)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.legend(loc="upper right", fontsize=8, ncols=2)
    axes.margins(x=0.02)


def agents_panel(axes: "Axes", found: Mapping[str, Any]) -> None:
    """Mean S of the agents, the lowest on top, with intervals; grey squares: others' texts against their personas."""
    axes.set_title("In character?")
    agents = sorted(found["agents"].items(), key=lambda one: (one[1]["score"]["value"], one[0]))[:MOST_AGENTS]
    if not agents:
        empty(axes, "no text was scored")
        return
    for place, (name, numbers) in enumerate(agents):
        score = numbers["score"]
        if score["low"] is not None:
            axes.plot([score["low"], score["high"]], [place, place], color=INK, lw=0.9)
        axes.plot([score["value"]], [place], "o", color=SIMULATED, ms=5)
        if other := found["others"].get(name, {}).get("score"):
            axes.plot([other["value"]], [place], "s", color=FLOOR, ms=4)
    named = [shown(f"{name} ({numbers['score']['n_items']})", 24) for name, numbers in agents]
    axes.set_yticks(range(len(agents)), named, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("mean S (scored texts in brackets)")
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.8)
    auc = found["swap"].get("auc")
    if auc is not None:
        bounds = "" if auc["low"] is None else f" [{auc['low']:.2f}, {auc['high']:.2f}]"
        separates = auc["low"] is not None and auc["low"] > 0.5  # noqa: PLR2004 -- chance
        note = f"control: AUC {auc['value']:.2f}{bounds}" + ("" if separates else ", doesn't separate")
        axes.text(1, 1.03, note, transform=axes.transAxes, ha="right", va="bottom", fontsize=9, color="#555555")
