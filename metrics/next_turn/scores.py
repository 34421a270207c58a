"""The numbers of a cell, each a function of column sums: one matrix product serves values, draws and tests.

A row is a pair; rows are summed by sampled unit (thread or user), and scores take sums of shape (..., `WIDTH`).
Definitions: Wiki-Talkie, section 4; the human side comes first everywhere.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS
from folkmoot.metrics.divergence import js_of_shares, shares, wasserstein_of_shares
from folkmoot.metrics.next_turn.pairs import Labels, Pair
from folkmoot.metrics.text import count_sentences, count_words

Score = Callable[[Tensor], Tensor]

N, WORDS, TEXT, BERT, LABELLED, SENTENCES = 0, slice(1, 5), 5, slice(6, 8), 8, slice(9, 11)
_ACTS_REAL, _ACTS_AGENT = slice(11, 21), slice(21, 31)
FELT, _FELT_REAL, _FELT_AGENT = 31, slice(32, 37), slice(37, 42)
WIDTH = 42


class Texts(NamedTuple):
    """Text similarity of pairs, in their order; NaN where it wasn't measured. Shapes (pairs,)."""

    rouge: NDArray[np.float64]
    bert: NDArray[np.float64]
    rbert: NDArray[np.float64]


def rows(pairs: Sequence[Pair], texts: Texts) -> Tensor:
    """One row a pair, shape (pairs, `WIDTH`), float64."""
    table = np.zeros((len(pairs), WIDTH))
    for row, pair in zip(table, pairs, strict=True):
        real, agent = count_words(pair.real), count_words(pair.text)
        row[N] = 1
        row[WORDS] = real, real * real, agent, agent * agent
        _label(row, pair.acts, ACTS, (LABELLED, _ACTS_REAL, _ACTS_AGENT))
        _label(row, pair.sentiment, SENTIMENTS, (FELT, _FELT_REAL, _FELT_AGENT))
        if row[LABELLED]:
            row[SENTENCES] = count_sentences(pair.real), count_sentences(pair.text)
    table[:, TEXT] = texts.rouge
    table[:, BERT] = np.stack([texts.bert, texts.rbert], 1)
    return torch.from_numpy(table)


def _label(
    row: NDArray[np.float64], sides: tuple[Labels, Labels], known: Sequence[str], where: tuple[int, slice, slice]
) -> None:
    """Count the labels of a pair that is labelled on both sides."""
    real, agent = sides
    if real is None or agent is None:
        return
    row[where[0]] = 1
    for labels, columns in ((real, where[1]), (agent, where[2])):
        row[columns] = [label in labels for label in known]


def mean(column: int, count: int = N) -> Score:
    """Mean of a column over pairs."""
    return lambda sums: sums[..., column] / sums[..., count]


def _sd(first: int) -> Score:
    def spread(sums: Tensor) -> Tensor:
        n, total, squares = sums[..., N], sums[..., first], sums[..., first + 1]
        variance = (squares - total**2 / n).clamp(min=0) / (n - 1)
        return variance.sqrt().where(n > 1, torch.nan)

    return spread


def _acts(sums: Tensor) -> tuple[Tensor, Tensor]:
    return shares(sums[..., _ACTS_REAL]), shares(sums[..., _ACTS_AGENT])


def _felt(sums: Tensor) -> tuple[Tensor, Tensor]:
    return shares(sums[..., _FELT_REAL]), shares(sums[..., _FELT_AGENT])


def acts_js(sums: Tensor) -> Tensor:
    """JS distance (base 2) of act proportions."""
    return acts_jsd(sums).sqrt()


def acts_jsd(sums: Tensor) -> Tensor:
    """JS divergence (base 2) of act proportions."""
    return js_of_shares(*_acts(sums))


def sentiment_js(sums: Tensor) -> Tensor:
    """JS distance (base 2) of sentiment."""
    return js_of_shares(*_felt(sums)).sqrt()


def sentiment_wd(sums: Tensor) -> Tensor:
    """Wasserstein-1 of sentiment on the points 1 to 5."""
    real, agent = _felt(sums)
    points = torch.arange(1.0, len(SENTIMENTS) + 1, dtype=sums.dtype, device=sums.device)
    return wasserstein_of_shares(real, agent, points)


def density_ratio(sums: Tensor) -> Tensor:
    """Human labels a sentence / agent labels a sentence; below 1 agents pack more acts into a sentence."""
    labels = sums[..., _ACTS_REAL].sum(-1), sums[..., _ACTS_AGENT].sum(-1)
    sentences = sums[..., SENTENCES]
    return (labels[0] / sentences[..., 0]) / (labels[1] / sentences[..., 1])


def _delta(place: int) -> Score:
    def delta(sums: Tensor) -> Tensor:
        real, agent = _acts(sums)
        return real[..., place] - agent[..., place]

    return delta


def _share(place: int, side: int) -> Score:
    return lambda sums: _felt(sums)[side][..., place]


DELTAS: Mapping[str, Score] = {f"delta.{act}": _delta(place) for place, act in enumerate(ACTS)}
"""Human - agent proportion of each act; positive: agents under-produce it."""

SHARES: Mapping[str, Score] = {
    f"{side}.{label}": _share(place, number)
    for place, label in enumerate(SENTIMENTS)
    for number, side in enumerate(("human", "agent"))
}
"""Share of each sentiment point on each side."""

SCORES: Mapping[str, Score] = {
    "human_words": mean(1),
    "human_words_sd": _sd(1),
    "agent_words": mean(3),
    "agent_words_sd": _sd(3),
    "bert": mean(6),
    "rbert": mean(7),
    "rouge": mean(TEXT),
    "sentiment_wd": sentiment_wd,
    "sentiment_js": sentiment_js,
    "acts_js": acts_js,
    "acts_jsd": acts_jsd,
    "density_ratio": density_ratio,
    **DELTAS,
    **SHARES,
}
"""All numbers of a cell."""

BETTER: Mapping[str, int] = {"rouge": 1, "rbert": 1, "acts_js": -1, "sentiment_wd": -1}
"""The scores that methods are compared by -> 1 where higher is nearer to people, -1 where lower is."""
