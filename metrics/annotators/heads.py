"""Classifier heads: a few hundred kilobytes of weights over the encoder's features, run with numpy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from folkmoot.sim.errors import AnnotationError

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Head:
    """Standardise, then one linear layer, or one hidden layer (ReLU) and a linear one.

    Attributes:
        labels: one an output.
        mean, scale: of the features, (features,).
        layers: (weights (in, out), bias (out,)) in order.
        thresholds: for acts, a label holds at or above this logit, (labels,); for ordered points, the cuts.
        facts: what it was trained for (encoder, layers of the encoder, features).
        own: language -> (weights (in, out), bias (out,)) that take the place of `layers` for texts in that language;
            only beside a single linear layer.
        spelling: weights (width, outputs) of the hashed character n-grams, added where there are any.
        digest: hash of all of these.
    """

    labels: tuple[str, ...]
    mean: Array
    scale: Array
    layers: tuple[tuple[Array, Array], ...]
    thresholds: Array
    facts: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    spelling: Array | None = None
    digest: str = ""

    def scores(self, features: Array, languages: Sequence[str] = ()) -> Array:
        """Outputs, shape (n, outputs). `languages`: one a row, or none: then every row is judged alike.

        Raises:
            AnnotationError: the encoder's features don't fit the head.
        """
        if features.shape[1] != len(self.mean):
            raise AnnotationError(
                f"the encoder gives {features.shape[1]} features, the head wants {len(self.mean)}: use the encoder"
                f" {self.facts.get('encoder', 'that it was trained on')!r}, or train heads for yours with"
                " scripts/train_heads.py"
            )
        values = (features - self.mean) / self.scale
        for number, (weights, bias) in enumerate(self.layers):
            inputs = np.maximum(values, 0) if number else values
            values = inputs @ weights + bias
        for language in set(languages) & set(self.own):
            rows = np.array([one == language for one in languages])
            weights, bias = self.own[language]
            values[rows] = inputs[rows] @ weights + bias
        return np.asarray(values, np.float32)


def save(head: Head, file: Any) -> None:
    """Write a head as .npz: weights in half precision, the rest in single."""
    arrays: dict[str, Any] = {"mean": head.mean, "scale": head.scale, "thresholds": head.thresholds}
    for number, (weights, bias) in enumerate(head.layers):
        arrays |= {f"weights{number}": weights.astype(np.float16), f"bias{number}": bias}
    if head.spelling is not None:
        arrays["spelling"] = head.spelling.astype(np.float16)
    for language, (weights, bias) in head.own.items():
        arrays |= {f"own_{language}": weights.astype(np.float16), f"ownbias_{language}": bias}
    facts = np.array([f"{key}={value}" for key, value in sorted(head.facts.items())])
    np.savez_compressed(file, labels=np.array(head.labels), facts=facts, **arrays)


@cache
def load(name: str) -> Head:
    """A head that ships with the package: `acts` or `sentiment`.

    Raises:
        AnnotationError: there is none of that name.
    """
    path = files("folkmoot.metrics.annotators") / "heads" / f"{name}.npz"
    if not path.is_file():
        raise AnnotationError(f"no head {name!r} in {path}; train it with scripts/train_heads.py")
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as data:
        return _read(data)


def _read(data: Mapping[str, NDArray[Any]]) -> Head:
    depth = sum(key.startswith("weights") for key in data)
    layers = tuple((data[f"weights{n}"].astype(np.float32), data[f"bias{n}"]) for n in range(depth))
    own = {
        key.removeprefix("own_"): (data[key].astype(np.float32), data[key.replace("own_", "ownbias_", 1)])
        for key in data
        if key.startswith("own_")
    }
    digest = blake2b(digest_size=6)
    for key in sorted(data):
        digest.update(key.encode() + data[key].tobytes())
    return Head(
        labels=tuple(map(str, data["labels"])),
        mean=data["mean"],
        scale=data["scale"],
        layers=layers,
        thresholds=data["thresholds"],
        facts=dict(str(fact).split("=", 1) for fact in data["facts"]),
        own=own,
        spelling=data["spelling"].astype(np.float32) if "spelling" in data else None,
        digest=digest.hexdigest(),
    )
