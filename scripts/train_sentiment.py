"""Train the sentiment head: python scripts/train_heads.py sentiment --data FOLDER [--features FILE].

On FOLDER/umsab/<lang>/train_* and val_* (three classes: intervals of the five points), FOLDER/vader-icwsm2014 (graded
English) and the talk-page exemplars (those of acts: intervals by act). The data is read, never kept. Ridge regression
of four cumulative targets; a language's own texts weigh `OWN` times as much in its own weights. Scored by five-fold
cross-validation: thresholds are set on outputs of heads that never saw a text's fold. `--features` keeps the encoder's
output between tries.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from train_heads_data import mood, read, umsab, vader

from folkmoot.metrics.annotators.base import SENTIMENTS
from folkmoot.metrics.annotators.embedded import points_of
from folkmoot.metrics.annotators.features import FEATURES, FeatureEncoder, matrix
from folkmoot.metrics.annotators.heads import Head
from folkmoot.metrics.annotators.spelling import SPELLING, hashed
from folkmoot.metrics.annotators.validation import macro_f1

LANGUAGES = ("de", "en", "es", "fr", "it")
FOLDS = 5
PENALTY, OWN = 6000.0, 4.0
WIDTH, DAMP, SHARE = 2**15, 1.0, 0.3
"""Of the hashed n-grams: columns, damping of their ridge, share in the sum with the encoder's outputs."""
VADER, TALK = 0.3, 3.0
"""Weights of a graded English text and of a talk-page exemplar beside a tweet."""
TOLERANCE = 0.001
"""Of the tweets' macro-F1: within it the thresholds are those that are best on talk-page exemplars."""

Array = NDArray[Any]


@dataclass(frozen=True)
class Texts:
    """What is trained on.

    Attributes:
        features: (texts, features).
        targets: above point 1, 2, 3, 4? -1 or 1; 0 where it isn't known, (texts, 4).
        mass: weight of each text, (texts,).
        languages, sources, folds: of each text.
        spelling: hashed n-grams, sparse, (texts, WIDTH).
    """

    features: Array
    targets: Array
    mass: Array
    languages: Array
    sources: Array
    folds: Array
    spelling: Any


def rows(data: Path, exemplars: Path) -> Iterator[tuple[str, list[float], float, str, str]]:
    """Text, known targets (NaN: not known), weight, language, source."""
    nan = float("nan")
    classes = {0: [nan, 0, 0, 0], 1: [1, 1, 0, 0], 2: [1, 1, 1, nan]}
    for language in LANGUAGES:
        for part in ("train", "val"):
            for text, label in umsab(data / "umsab" / language, part):
                yield text, classes[label], 1.0, language, "tweets"
        for row in read(exemplars / f"sentiment.{language}.jsonl"):
            yield row["text"], [row["sentiment"] > point for point in range(1, 5)], TALK, language, "talk"
        for row in read(exemplars / f"acts.{language}.jsonl"):
            if known := mood(row["acts"]):
                yield row["text"], known, 1.0, language, "acts"
    for text, rating in vader(data / "vader-icwsm2014"):
        yield text, [rating > -2, rating > -0.6, rating > 0.6, rating > 2], VADER, "en", "vader"  # noqa: PLR2004


def collect(encoder: FeatureEncoder, data: Path, exemplars: Path, keep: Path | None) -> Texts:
    """All texts with their features; three neighbours share a fold (translations stand side by side)."""
    texts, known, mass, languages, sources = zip(*rows(data, exemplars), strict=True)
    targets = np.nan_to_num(np.array(known, float) * 2 - 1)
    source = np.array(sources)
    folds = np.zeros(len(texts), int)
    for name in dict.fromkeys(zip(languages, sources, strict=True)):
        here = [k for k, pair in enumerate(zip(languages, sources, strict=True)) if pair == name]
        folds[here] = np.arange(len(here)) // 3 % FOLDS
    features, spelling = _features(encoder, texts, keep), spelled(texts)
    return Texts(features, targets, np.array(mass), np.array(languages), source, folds, spelling)


def _features(encoder: FeatureEncoder, texts: Sequence[str], keep: Path | None) -> Array:
    """The encoder's features, kept in a file between tries."""
    keys = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() for text in texts]
    kept: dict[str, Array] = {}
    if keep is not None and keep.exists():
        with np.load(keep) as file:
            kept = dict(zip(map(str, file["keys"]), file["rows"], strict=True))
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in kept}
    kept |= dict(zip(missing, matrix(encoder, list(missing.values())), strict=True)) if missing else {}
    if keep is not None and missing:
        np.savez(keep, keys=np.array(list(kept)), rows=np.stack(list(kept.values())))
    return np.stack([kept[key] for key in keys])


def spelled(texts: Sequence[str]) -> Any:
    """Hashed character n-grams as a sparse matrix, (texts, WIDTH)."""
    from scipy.sparse import csr_array

    cells = [hashed(text, WIDTH) for text in texts]
    starts = np.cumsum([0, *(len(places) for places, _ in cells)])
    data, columns = (np.concatenate([cell[side] for cell in cells]) for side in (1, 0))
    return csr_array((data, columns, starts), shape=(len(texts), WIDTH))


def fit_spelling(texts: Texts, train: Array) -> Array:
    """Ridge weights (WIDTH, 4) of the n-grams alone, times their share in the sum."""
    from scipy.sparse.linalg import lsqr

    weights = np.zeros((WIDTH, 4), np.float32)
    for output in range(4):
        here = train & (texts.targets[:, output] != 0)
        root = np.sqrt(texts.mass[here])
        left = texts.spelling[here].multiply(root[:, None]).tocsr()
        weights[:, output] = lsqr(left, root * texts.targets[here, output], damp=DAMP, iter_lim=60)[0]
    return _half(SHARE * weights)


class Sums:
    """Products of the ridge's normal equations by fold, language and output: any head is a sum of them."""

    def __init__(self, texts: Texts, inputs: Array) -> None:
        self.products: dict[tuple[int, str, int], tuple[Array, Array]] = {}
        for fold in range(FOLDS):
            for language in LANGUAGES:
                here = (texts.folds == fold) & (texts.languages == language)
                for output in range(4):
                    mass = texts.mass[here] * (texts.targets[here, output] != 0)
                    weighted = inputs[here].T * mass.astype(np.float32)
                    self.products[fold, language, output] = (
                        weighted @ inputs[here],
                        weighted @ texts.targets[here, output].astype(np.float32),
                    )

    def solve(self, without: int | None, own: str | None) -> Array:
        """Weights (features + 1, 4) of a head that never saw a fold; `own`: whose texts count more."""
        return np.stack([self._solved(without, own, output) for output in range(4)], 1)

    def _solved(self, without: int | None, own: str | None, output: int) -> Array:
        left: Any = 0.0
        right: Any = 0.0
        for (fold, language, place), (square, side) in self.products.items():
            if place == output and fold != without:
                times = OWN if language == own else 1.0
                left, right = left + times * square.astype(np.float64), right + times * side.astype(np.float64)
        return np.asarray(np.linalg.solve(left + PENALTY * np.eye(len(left)), right), np.float32)


def train(encoder: FeatureEncoder, data: Path, exemplars: Path, keep: Path | None) -> Head:
    """The head, its thresholds set on held-out outputs; prints the cross-validated scores."""
    texts = collect(encoder, data, exemplars, keep)
    mean, scale = _half(texts.features.mean(0)), _half(texts.features.std(0) + 1e-4)
    inputs = np.concatenate([(texts.features - mean) / scale, np.ones((len(texts.mass), 1), np.float32)], 1)
    sums = Sums(texts, inputs)
    held_out = np.zeros(texts.targets.shape, np.float32)
    for fold in range(FOLDS):
        for language in LANGUAGES:
            here = (texts.folds == fold) & (texts.languages == language)
            held_out[here] = inputs[here] @ sums.solve(fold, language)
        held_out[texts.folds == fold] += texts.spelling[texts.folds == fold] @ fit_spelling(texts, texts.folds != fold)
    thresholds = choose(texts, held_out)
    report(texts, points_of(held_out, thresholds))
    facts = {"encoder": encoder.name, "layers": ",".join(map(str, encoder.layers)), "features": FEATURES}
    facts["spelling"] = SPELLING
    layers = {language: _layer(sums.solve(None, language)) for language in LANGUAGES}
    everything = fit_spelling(texts, texts.folds >= 0)
    alike = (_layer(sums.solve(None, None)),)
    return Head(SENTIMENTS[:-1], mean, scale, alike, thresholds, facts, layers, everything)


def _layer(weights: Array) -> tuple[Array, Array]:
    return _half(weights[:-1]), _half(weights[-1])


def _half(values: Array) -> Array:
    """To half precision, as stored."""
    return np.asarray(values, np.float16).astype(np.float32)


def sides(texts: Texts) -> Array:
    """0 negative, 1 neutral, 2 positive."""
    return np.asarray((texts.targets[:, 1:3] > 0).sum(1))


def merged(points: Array) -> Array:
    """Five points as three classes."""
    return np.asarray([0, 0, 1, 2, 2])[points - 1]


def choose(texts: Texts, outputs: Array) -> Array:
    """Inner thresholds: best on held-out talk among those near the best on tweets; outer: even on talk exemplars."""
    tweets, truth = texts.sources == "tweets", sides(texts)
    quiet = np.isin(texts.sources, ("talk", "acts")) & (texts.targets[:, 1:3] != 0).all(1)
    grid = [np.array([-9, a, b, 9]) for a in np.arange(-0.3, 0.31, 0.05) for b in np.arange(-0.3, 0.31, 0.05)]

    def scored(part: Array, cut: Array) -> float:
        return macro_f1(merged(points_of(outputs[part], cut)), truth[part], 3)

    loud = np.array([scored(tweets, cut) for cut in grid])
    calm = np.array([scored(quiet, cut) for cut in grid])
    best = int(np.argmax(np.where(loud >= loud.max() - TOLERANCE, calm, 0)))
    print(f"held-out: tweets {loud[best]:.3f} (best {loud.max():.3f}), talk {calm[best]:.3f} (best {calm.max():.3f})")
    talk, cuts = texts.sources == "talk", grid[best].copy()
    points = points_of(outputs, cuts)
    for place, side, quantile in ((0, 2, True), (3, 4, False)):
        here = talk & (points == side)
        outer = texts.targets[here, place] < 0 if quantile else texts.targets[here, place] > 0
        share = outer.mean() if quantile else 1 - outer.mean()
        cuts[place] = np.quantile(outputs[here, place], share)
    return np.round(cuts, 3).astype(np.float32)


def report(texts: Texts, points: Array) -> None:
    """Cross-validated macro-F1 of three classes by language; the five points on talk exemplars."""
    truth, tweets = sides(texts), texts.sources == "tweets"
    scores = {}
    for language in LANGUAGES:
        here = tweets & (texts.languages == language)
        scores[language] = macro_f1(merged(points[here]), truth[here], 3)
    each = ", ".join(f"{language} {score:.3f}" for language, score in scores.items())
    print(f"umsab train and val, cross-validated: macro-F1 {each}; mean {np.mean(list(scores.values())):.3f}")
    talk = texts.sources == "talk"
    gold = 1 + (texts.targets[talk] > 0).sum(1)
    error = np.abs(points[talk] - gold)
    print(f"held-out talk exemplars: exact {np.mean(error == 0):.2f}, mean error {error.mean():.2f}")
