"""Sentiment histograms, humans against agents (Wiki-Talkie, figures 5 and 19)."""

from typing import TYPE_CHECKING

from folkmoot.metrics.annotators.base import SENTIMENTS
from folkmoot.metrics.next_turn.drawn import Key
from folkmoot.metrics.next_turn.figure_parts import (
    AGENT,
    HUMAN,
    any_number,
    bars,
    caption,
    figure,
    legend,
    missing,
    model_name,
    whiskers,
)
from folkmoot.metrics.next_turn.study import Study
from folkmoot.metrics.shown import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TICKS = ("\u2212\u2212", "\u2212", "0", "+", "++")
"""The five points, short: very negative to very positive."""


def histograms(study: Study) -> "Figure | None":
    """A row a community and model, a column a condition."""
    rows = list(dict.fromkeys((cell.community, cell.model) for cell in study.cells))
    keys = [Key(*row, condition) for row in rows for condition in study.conditions]
    if not any(any_number([study.drawn.number(key, f"human.{SENTIMENTS[0]}")]) for key in keys):
        return None
    made = figure(1.1 + 1.75 * len(study.conditions), 0.9 + 1.6 * len(rows))
    panels = made.subplots(len(rows), len(study.conditions), squeeze=False, sharex=True, sharey=True)
    for number, (line, row) in enumerate(zip(panels, rows, strict=True)):
        for axes, condition in zip(line, study.conditions, strict=True):
            panel(axes, study, Key(*row, condition))
            axes.set_title(condition if number == 0 else "")
        names = [shown(row[0], 24), *([model_name(row[1])] if len(study.models) > 1 else [])]
        line[0].set_ylabel("\n".join(names), fontsize=8)
    legend(made, panels[0][0])
    caption(made, f"Share of comments by sentiment, very negative to very positive. {whiskers(study)}.")
    return made


def panel(axes: "Axes", study: Study, key: Key) -> None:
    """Five pairs of bars."""
    from matplotlib.ticker import PercentFormatter

    found = {side: [study.drawn.number(key, f"{side}.{label}") for label in SENTIMENTS] for side in ("human", "agent")}
    for side, tint, shift in (("human", HUMAN, -0.2), ("agent", AGENT, 0.2)):
        bars(axes, [at + shift for at in range(len(SENTIMENTS))], found[side], 0.38, color=tint, label=side)
    axes.set_xticks(range(len(SENTIMENTS)), TICKS)
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.7)
    if not any_number(found["human"]):
        why = missing(study, [key])
        axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color="#888888", fontsize=8)
