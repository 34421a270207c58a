"""Train the annotators' heads: python scripts/train_heads.py acts, or: sentiment --data FOLDER.

acts: on the exemplars written for this project (metrics/annotators/exemplars/acts.*.jsonl), nothing else.
sentiment: see train_sentiment.py.
Thresholds are set on held-out folds of the training side. Exemplars that are alike in the five languages are always
in the same fold. Settings were chosen by the same cross-validation.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import train_sentiment
from numpy.typing import NDArray
from train_heads_data import read

from folkmoot.agents.llm.encoder import SentenceEncoder
from folkmoot.metrics.annotators.base import ACTS
from folkmoot.metrics.annotators.features import FEATURES, FeatureEncoder, matrix, pieces
from folkmoot.metrics.annotators.heads import Head, save
from folkmoot.metrics.annotators.validation import micro_f1
from folkmoot.sim.rng import stream

HERE = Path(__file__).resolve().parents[1] / "metrics" / "annotators"
LANGUAGES = ("de", "en", "es", "fr", "it")
FOLDS = 5
WHOLE = 3.0
"""Weight of an exemplar that is a whole comment of several sentences."""

Array = NDArray[Any]


@dataclass(frozen=True)
class Recipe:
    """How to train: hidden units, L2 penalty, steps of Adam, dropout, learning rate."""

    hidden: int
    penalty: float
    steps: int
    dropout: float
    rate: float = 0.002


RECIPES = {"acts": Recipe(64, 1e-3, 250, 0.0)}


@dataclass(frozen=True)
class Sample:
    """Texts as bags of rows: a bag's output is the largest of its rows'.

    Attributes:
        features: (rows, features).
        sizes: rows of each bag, (bags,).
        targets: 0 or 1, (bags, outputs).
        mass: weight of each target; 0 where it isn't known, (bags, outputs).
        folds: (bags,); -1: always trained on, never held out.
        source: language or data set of each bag.
    """

    features: Array
    sizes: Array
    targets: Array
    mass: Array
    folds: Array
    source: Array

    def part(self, bags: Array) -> "Sample":
        """Some of the bags (a mask)."""
        rows = np.repeat(bags, self.sizes)
        fields = (self.sizes, self.targets, self.mass, self.folds, self.source)
        return Sample(self.features[rows], *(field[bags] for field in fields))


def fit(sample: Sample, recipe: Recipe, labels: Sequence[str]) -> Head:
    """One hidden layer, each output's two sides of equal mass; thresholds are 0. Rounded, so that it repeats."""
    mean, scale = rounded(sample.features.mean(0)), rounded(sample.features.std(0) + 1e-4)
    inputs = torch.tensor((sample.features - mean) / scale)
    bags = torch.tensor(np.repeat(np.arange(len(sample.sizes)), sample.sizes))[:, None].expand(-1, len(labels))
    targets = torch.tensor(sample.targets, dtype=torch.float32)
    mass = torch.tensor(balanced(sample), dtype=torch.float32)
    generator = torch.Generator().manual_seed(int(stream(1, "heads").integers(2**31)))
    weights = start(inputs.shape[1], recipe.hidden, len(labels), generator)
    optimiser = torch.optim.Adam(weights, lr=recipe.rate)
    for _ in range(recipe.steps):
        inner = torch.relu(inputs @ weights[0] + weights[1])
        if recipe.dropout:
            inner = inner * (torch.rand(inner.shape, generator=generator) > recipe.dropout) / (1 - recipe.dropout)
        outputs = inner @ weights[2] + weights[3]
        largest = torch.full(targets.shape, -1e9).scatter_reduce(0, bags, outputs, "amax")
        loss = torch.nn.functional.binary_cross_entropy_with_logits(largest, targets, weight=mass)
        loss = loss + recipe.penalty / 2 * ((weights[0] ** 2).sum() + (weights[2] ** 2).sum())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    first, second = ((rounded(w.detach().numpy()), rounded(b.detach().numpy())) for w, b in (weights[:2], weights[2:]))
    return Head(tuple(labels), mean, scale, (first, second), np.zeros(len(labels), np.float32))


def start(inputs: int, hidden: int, outputs: int, generator: torch.Generator) -> list[torch.Tensor]:
    """Weights and biases to start from."""
    first = torch.randn(inputs, hidden, generator=generator) * 0.5 / inputs**0.5
    second = torch.randn(hidden, outputs, generator=generator) / hidden**0.5
    return [tensor.requires_grad_() for tensor in (first, torch.zeros(hidden), second, torch.zeros(outputs))]


def rounded(values: Array) -> Array:
    """To half precision, as stored."""
    return np.asarray(values, np.float16).astype(np.float32)


def balanced(sample: Sample) -> Array:
    """Weights with mean 1 that give the two sides of each output the same mass."""
    positive = (sample.mass * sample.targets).sum(0) / sample.mass.sum(0)
    mass = sample.mass * np.where(sample.targets > 0, 0.5 / positive, 0.5 / (1 - positive))
    return np.asarray(mass / mass.mean())


def held_out(sample: Sample, recipe: Recipe, labels: Sequence[str]) -> Array:
    """Outputs of each bag by a head that never saw its fold; 0 where it is in none."""
    outputs = np.zeros(sample.targets.shape, np.float32)
    for fold in range(FOLDS):
        test = sample.folds == fold
        head, part = fit(sample.part(~test), recipe, labels), sample.part(test)
        starts = np.cumsum([0, *part.sizes[:-1]])
        outputs[test] = np.maximum.reduceat(head.scores(part.features), starts, axis=0)
    return outputs


def with_facts(head: Head, thresholds: Array, encoder: FeatureEncoder) -> Head:
    """The head with its thresholds, and what it was trained for."""
    facts = {"encoder": encoder.name, "layers": ",".join(map(str, encoder.layers)), "features": FEATURES}
    return replace(head, thresholds=np.round(thresholds, 3).astype(np.float32), facts=facts)


# --- acts ----------------------------------------------------------------------------------------


def acts_sample(encoder: FeatureEncoder) -> Sample:
    """The exemplars of all languages, cut into sentences."""
    rows = [(lang, row) for lang in LANGUAGES for row in read(HERE / "exemplars" / f"acts.{lang}.jsonl")]
    cut = [pieces(row["text"]) for _, row in rows]
    targets = np.array([[act in row["acts"] for act in ACTS] for _, row in rows], np.float32)
    weight = np.array([WHOLE if row.get("whole") else 1.0 for _, row in rows])
    features = matrix(encoder, [piece for one in cut for piece in one])
    sizes = np.array([len(one) for one in cut])
    return Sample(features, sizes, targets, np.repeat(weight[:, None], len(ACTS), 1), act_folds(rows), weight)


def act_folds(rows: Sequence[tuple[str, dict[str, Any]]]) -> Array:
    """Translations stand at the same place among their kind, whole comments by kind alone."""
    places: Counter[tuple[str, ...]] = Counter()
    folds = []
    for language, row in rows:
        key = (language, *row["acts"])
        folds.append((sum(map(ord, "".join(row["acts"]))) + (0 if row.get("whole") else places[key])) % FOLDS)
        places[key] += not row.get("whole")
    return np.array(folds)


def train_acts(encoder: FeatureEncoder) -> Head:
    """Thresholds: each label is found as often as it holds in held-out exemplars, whole comments counted more."""
    sample = acts_sample(encoder)
    outputs = held_out(sample, RECIPES["acts"], ACTS)
    whole, truth = sample.source == WHOLE, sample.targets > 0
    thresholds = np.array([even(s, t, sample.source) for s, t in zip(outputs.T, truth.T, strict=True)])
    for name, bags in (("whole comments", whole), ("short exemplars", ~whole)):
        found = outputs[bags] >= thresholds
        each = {act: round(micro_f1(f, t), 2) for act, f, t in zip(ACTS, found.T, truth[bags].T, strict=True)}
        print(f"held-out {name} ({bags.sum()}): micro-F1 {micro_f1(found, truth[bags]):.3f} {each}")
    return with_facts(fit(sample, RECIPES["acts"], ACTS), thresholds, encoder)


def even(scores: Array, truth: Array, weight: Array) -> float:
    """The threshold that as much weight reaches as the label holds for."""
    order = np.argsort(-scores, kind="stable")
    place = int(np.searchsorted(np.cumsum(weight[order]), (weight * truth).sum()))
    return float(scores[order][min(place, len(order) - 1)])


def main() -> None:
    """Train one head and write it where the package finds it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("head", choices=("acts", "sentiment"))
    parser.add_argument("--data", type=Path, help="folder with umsab/ and vader-icwsm2014/ (sentiment)")
    parser.add_argument("--features", type=Path, help="file that keeps the encoder's output between tries (sentiment)")
    given = parser.parse_args()
    if given.head == "sentiment" and given.data is None:
        parser.error("sentiment needs --data FOLDER")
    encoder = SentenceEncoder()
    if given.head == "acts":
        head = train_acts(encoder)
    else:
        head = train_sentiment.train(encoder, given.data, HERE / "exemplars", given.features)
    with (HERE / "heads" / f"{given.head}.npz").open("wb") as file:
        save(head, file)


if __name__ == "__main__":
    main()
