"""The figures of the paper for a study, as PNG and SVG; the same study gives the same bytes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from folkmoot.metrics.next_turn import figure_acts, figure_bars, figure_overview, figure_sentiment, figure_strata
from folkmoot.metrics.next_turn.study import Study
from folkmoot.metrics.panels import STYLE
from folkmoot.metrics.plots import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Make = Callable[[Study], "Figure | None"]

FIGURES: dict[str, Make] = {
    "overview": figure_overview.overview,
    "similarity": figure_bars.similarity,
    "divergence": figure_bars.divergence,
    "act_deltas": figure_acts.deltas,
    "gender_deltas": figure_acts.by_gender,
    "sentiment": figure_sentiment.histograms,
    "profile_length": figure_strata.profile_length,
}
"""Name of the files -> what draws; None where the study has nothing to show."""


def draw_all(study: Study, folder: Path) -> list[Path]:
    """Write every figure that the study has something for."""
    import matplotlib as mpl

    paths = []
    style: dict[str, Any] = {**STYLE, "font.size": 9, "axes.titlesize": 10}
    for name, make in FIGURES.items():
        with mpl.rc_context(style):
            made = make(study)
            if made is None:
                continue
            for suffix in (".png", ".svg"):
                paths.append(folder / f"{name}{suffix}")
                save(made, paths[-1])
    return paths
