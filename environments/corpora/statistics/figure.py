"""The figure of a corpus's statistics: its distributions, and the traits that aren't available."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from folkmoot.environments.corpora.statistics.counts import CorpusStatistics
from folkmoot.environments.corpora.statistics.spread import Spread
from folkmoot.environments.corpora.statistics.tables import distributions
from folkmoot.sim.persona import TRAITS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 40
SHOWN = 0.99
"""Share of the values that a histogram's axis reaches; the tail is in its last bin."""

COLORS = ("#3b6fb6", "#c8553d", "#4d9a6a", "#8a63a8", "#b58a2a", "#5f6b73")


def figure(corpora: Sequence[CorpusStatistics]) -> "Figure":
    """Six histograms (share of the values), and a bar chart of traits; one colour a corpus."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(12, 8), layout="constrained")
    axes = made.subplots(2, 4).ravel()
    for axis, name in zip(axes, distributions(corpora[0]), strict=False):
        _histogram(axis, name, [distributions(corpus)[name] for corpus in corpora])
    _trait_bars(axes[6], corpora)
    axes[7].axis("off")
    handles = [axes[7].plot([], [], color=_color(n), lw=6, label=_label(c))[0] for n, c in enumerate(corpora)]
    axes[7].legend(handles=handles, loc="center", frameon=False)
    return made


def _label(corpus: CorpusStatistics) -> str:
    name = corpus.name.replace("$", r"\$")[:40]
    return f"{name}: {corpus.thread_turns.n:,} threads, {len(corpus.user_turns):,} users"


def _color(place: int) -> str:
    return COLORS[place % len(COLORS)]


def _histogram(axis: Any, name: str, spreads: Sequence[Spread]) -> None:
    top = max((spread.quantile(SHOWN) for spread in spreads), default=0)
    width = max(1, -(-(top + 1) // BINS))
    for place, spread in enumerate(spreads):
        bins = [0] * (top // width + 1)
        for value, count in spread.counts.items():
            bins[min(value, top) // width] += count
        total = max(spread.n, 1)
        edges = [width * k for k in range(len(bins) + 1)]
        axis.stairs([count / total for count in bins], edges, color=_color(place), fill=len(spreads) == 1, lw=1.4)
    axis.set_title(name, fontsize=10)
    axis.set_ylabel("share" if spreads and any(s.n for s in spreads) else "no values", fontsize=8)
    axis.tick_params(labelsize=8)


def _trait_bars(axis: Any, corpora: Sequence[CorpusStatistics]) -> None:
    names = list(TRAITS)
    height = 0.8 / max(len(corpora), 1)
    for place, corpus in enumerate(corpora):
        shares = [(corpus.unavailable[n] + corpus.malformed[n]) / max(corpus.read, 1) for n in names]
        axis.barh([k + place * height for k in range(len(names))], shares, height, color=_color(place))
    axis.set_yticks([k + 0.4 - height / 2 for k in range(len(names))], [n.replace("_", " ") for n in names], fontsize=7)
    axis.set_xlim(0, 1)
    axis.invert_yaxis()
    axis.set_title("not deducible or malformed", fontsize=10)
    axis.tick_params(labelsize=8)
