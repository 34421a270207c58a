"""Train the annotators' heads: python scripts/train_heads.py acts, or: sentiment --data FOLDER.

acts: on the exemplars written for this project (metrics/annotators/exemplars/acts.*.jsonl), nothing else.
sentiment: on FOLDER/umsab/<lang>/train_* (three classes: intervals of the five points), on
FOLDER/vader-icwsm2014 (graded English), and on the talk-page exemplars. The data is read, never kept.

Settings and thresholds are chosen by cross-validation on the training side. Exemplars that are alike in the five
languages are always in the same fold.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from folkmoot.agents.llm.encoder import SentenceEncoder
from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS
from folkmoot.metrics.annotators.features import FEATURES, matrix
from folkmoot.metrics.annotators.heads import Head, save
from folkmoot.sim.rng import stream
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parents[1] / "metrics" / "annotators"
LANGUAGES = ("de", "en", "es", "fr", "it")
FOLDS = 5
PENALTIES = (1e-2, 3e-2, 1e-1, 3e-1)
COMPOSED = 6000
"""Comments put together from held-out exemplars, to set thresholds for comments of several sentences."""

Array = NDArray[Any]


@dataclass(frozen=True)
class Sample:
    """Texts with targets in [0, 1] (n, outputs), which targets are known, weights and folds."""

    texts: list[str]
    targets: Array
    known: Array
    weights: Array
    folds: Array
    source: list[str]


def fit(features: Array, sample: Sample, penalty: float, rows: Array) -> tuple[Array, Array, Array, Array]:
    """Logistic regressions side by side (L-BFGS, L2), each target balanced: (mean, scale, weights, bias)."""
    x = features[rows]
    mean, scale = x.mean(0), x.std(0) + 1e-4
    inputs = torch.tensor((x - mean) / scale)
    targets = torch.tensor(sample.targets[rows], dtype=torch.float32)
    mass = torch.tensor(sample.known[rows] * balanced(sample, rows), dtype=torch.float32)
    weights = torch.zeros(x.shape[1], targets.shape[1], requires_grad=True)
    bias = torch.zeros(targets.shape[1], requires_grad=True)
    optimiser = torch.optim.LBFGS([weights, bias], max_iter=60, history_size=10, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        logits = inputs @ weights + bias
        each = torch.nn.functional.binary_cross_entropy_with_logits(logits, targets, weight=mass, reduction="sum")
        total = each / mass.sum() * targets.shape[1] + penalty / 2 * (weights**2).sum()
        total.backward()
        return total

    optimiser.step(loss)
    return mean, scale, weights.detach().numpy(), bias.detach().numpy()


def balanced(sample: Sample, rows: Array) -> Array:
    """Weights that give the two sides of each target the same mass."""
    targets, mass = sample.targets[rows] > 0.5, sample.known[rows] * sample.weights[rows, None]  # noqa: PLR2004
    positive = (mass * targets).sum(0) / mass.sum(0)
    return np.where(targets, 0.5 / positive, 0.5 / (1 - positive)) * sample.weights[rows, None]


def held_out(features: Array, sample: Sample, penalty: float) -> Array:
    """Logits of each row by a head that never saw its fold."""
    logits = np.zeros(sample.targets.shape, np.float32)
    for fold in range(FOLDS):
        test = sample.folds == fold
        mean, scale, weights, bias = fit(features, sample, penalty, ~test)
        logits[test] = ((features[test] - mean) / scale) @ weights + bias
    return logits


def head(features: Array, sample: Sample, penalty: float, thresholds: Array, facts: dict[str, str]) -> Head:
    """The head of all rows; its weights and thresholds rounded, so that it repeats on other machines."""
    mean, scale, weights, bias = fit(features, sample, penalty, np.ones(len(sample.texts), bool))
    rounded = [np.asarray(values, np.float16).astype(np.float32) for values in (mean, scale, weights, bias)]
    mean, scale, weights, bias = rounded
    labels = ACTS if sample.targets.shape[1] == len(ACTS) else SENTIMENTS[:-1]
    return Head(labels, mean, scale, ((weights, bias),), np.round(thresholds, 3).astype(np.float32), facts)


# --- acts ----------------------------------------------------------------------------------------


def acts_sample() -> Sample:
    """The exemplars of all languages."""
    texts, acts, folds, source = [], [], [], []
    for language in LANGUAGES:
        places: Counter[tuple[str, ...]] = Counter()
        for row in read(HERE / "exemplars" / f"acts.{language}.jsonl"):
            kind = tuple(row["acts"])
            texts.append(row["text"])
            acts.append([act in kind for act in ACTS])
            folds.append((len("".join(kind)) + places[kind]) % FOLDS)
            source.append(language)
            places[kind] += 1
    targets = np.array(acts, np.float32)
    return Sample(texts, targets, np.ones_like(targets), np.ones(len(texts)), np.array(folds), source)


def composed(logits: Array, sample: Sample) -> tuple[Array, Array]:
    """Comments of one to five held-out exemplars of one language and fold: largest logits, union of acts."""
    rng, pools = stream(1, "composed"), {}
    for row, key in enumerate(zip(sample.source, sample.folds, strict=True)):
        pools.setdefault(key, []).append(row)
    keys = sorted(pools)
    scores, truths = [], []
    for _ in range(COMPOSED):
        pool = pools[keys[rng.integers(len(keys))]]
        rows = rng.choice(pool, size=1 + rng.binomial(4, 0.35), replace=False)
        scores.append(logits[rows].max(0))
        truths.append(sample.targets[rows].max(0) > 0.5)  # noqa: PLR2004
    return np.array(scores), np.array(truths)


def best_thresholds(scores: Array, truths: Array) -> Array:
    """For each label the threshold of the largest F1."""
    chosen = []
    for score, truth in zip(scores.T, truths.T, strict=True):
        candidates = np.quantile(score, np.linspace(0.02, 0.995, 200))
        chosen.append(candidates[int(np.argmax([f1(score >= cut, truth) for cut in candidates]))])
    return np.array(chosen)


def f1(found: Array, truth: Array) -> float:
    """Harmonic mean of precision and recall, pooled over all cells."""
    return float(2 * (found & truth).sum() / max(1, found.sum() + truth.sum()))


def train_acts(encoder: SentenceEncoder) -> Head:
    """Choose the penalty by cross-validation, then train on everything."""
    sample = acts_sample()
    features = matrix(encoder, sample.texts)
    trials = {}
    for penalty in PENALTIES:
        scores, truths = composed(held_out(features, sample, penalty), sample)
        thresholds = best_thresholds(scores, truths)
        trials[penalty] = (f1(scores >= thresholds, truths), thresholds)
        each = {act: round(f1(s >= t, y), 2) for act, s, t, y in zip(ACTS, scores.T, thresholds, truths.T, strict=True)}
        print(f"penalty {penalty}: micro-F1 {trials[penalty][0]:.3f} by cross-validation, composed comments; {each}")
    penalty = max(trials, key=lambda p: trials[p][0])
    return head(features, sample, penalty, trials[penalty][1], facts(encoder))


def facts(encoder: SentenceEncoder) -> dict[str, str]:
    """What the head was trained for."""
    return {"encoder": encoder.name, "layers": ",".join(map(str, encoder.layers)), "features": FEATURES}


def read(path: Path) -> Iterable[dict[str, Any]]:
    """Rows of a JSON lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
