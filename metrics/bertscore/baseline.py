"""Baselines: what BERTScore gives for texts that have nothing to do with one another, by encoder, layer and language.

Published ones (for hub models) are tables of `LAYER,P,R,F`; `read_baseline` reads them. None is published for the
embedded encoder: `random_pairs` and `baseline_of` make one, and those of five languages ship in baselines.json (how
they were made stands there and in docs/metrics.md).
"""

import csv
from collections.abc import Hashable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.metrics.bertscore.scores import BertScores
from folkmoot.sim.errors import MetricError
from folkmoot.sim.rng import stream


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mean scores of random pairs.

    Attributes:
        encoder: name of the encoder; its scores alone can be rescaled.
        layer: of the encoder.
        language: of the texts.
        precision, recall, f: means, each under 1.
        pairs: number of random pairs; 0: not known.
        source: what the texts were.
    """

    encoder: str
    layer: int
    language: str
    precision: float
    recall: float
    f: float
    pairs: int = 0
    source: str = ""

    @property
    def label(self) -> str:
        """The baseline in words."""
        return f"the {self.language} baseline of {self.source or 'unnamed texts'}, F {self.f:.4f}"

    def check(self, scores: BertScores) -> None:
        """Refuse scores that this baseline wasn't made for.

        Raises:
            MetricError: naming both sides.
        """
        if scores.baseline:
            raise MetricError(f"scores that are rescaled already, with {scores.baseline}; rescale the raw ones")
        if (scores.encoder, scores.layer) != (self.encoder, self.layer):
            raise MetricError(
                f"scores of {scores.encoder}, layer {scores.layer}, against a baseline of {self.encoder}, layer"
                f" {self.layer}: a baseline fits one encoder and layer; make one with `folkmoot bertscore baseline`"
            )
        if not max(self.precision, self.recall, self.f) < 1:
            raise MetricError(f"a baseline of P {self.precision}, R {self.recall}, F {self.f}; each has to be under 1")


def read_baseline(path: Path, layer: int, encoder: str, language: str) -> Baseline:
    """A published table: comma-separated, a header, then `LAYER,P,R,F` from layer 0 (the embeddings) on.

    Raises:
        MetricError: no such file, another form, or no line for the layer.
    """
    try:
        lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
        rows = {int(line[0]): [float(number) for number in line[1:4]] for line in lines[1:] if line}
    except (OSError, ValueError, IndexError, csv.Error) as error:
        raise MetricError(f"baseline {path}: {error}; wanted lines of LAYER,P,R,F after a header") from error
    if layer not in rows or len(rows[layer]) != 3:  # noqa: PLR2004 -- P, R, F
        raise MetricError(f"baseline {path} has no P,R,F for layer {layer}; its layers: {', '.join(map(str, rows))}")
    precision, recall, f = rows[layer]
    return Baseline(encoder, layer, language, precision, recall, f, source=path.name)


def read_baselines(path: Path | Any) -> list[Baseline]:
    """Baselines as `write_baselines` stores them.

    Raises:
        MetricError: no such file, or another form.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Baseline])
    except (OSError, msgspec.MsgspecError) as error:
        raise MetricError(f"baselines {path}: {error}; make them with `folkmoot bertscore baseline`") from error


def write_baselines(path: Path, baselines: Sequence[Baseline]) -> None:
    """Store baselines as JSON, one a line, sorted; those of the same encoder, layer and language are replaced."""
    known = {(one.encoder, one.language, one.layer): one for one in (read_baselines(path) if path.exists() else [])}
    known |= {(one.encoder, one.language, one.layer): one for one in baselines}
    lines = [msgspec.json.encode(known[key]).decode() for key in sorted(known)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def shipped_baseline(encoder: str, layer: int, language: str) -> Baseline:
    """A baseline that ships with the package.

    Raises:
        MetricError: there is none for this encoder, layer and language; the message says what there is.
    """
    known = read_baselines(files("folkmoot.metrics.bertscore") / "baselines.json")
    for one in known:
        if (one.encoder, one.layer, one.language) == (encoder, layer, language):
            return one
    names = sorted({f"{one.encoder} layer {one.layer} {one.language}" for one in known})
    raise MetricError(
        f"no baseline for {encoder}, layer {layer}, {language!r} ships; there are: {'; '.join(names)}. Make one from"
        " texts of your own with `folkmoot bertscore baseline`"
    )


def random_pairs(texts: Sequence[tuple[Hashable, str]], count: int, seed: int) -> list[tuple[str, str]]:
    """At most `count` random ordered pairs of different texts of different groups (threads), none twice.

    Args:
        texts: group and text of each.
        count: number of pairs wanted; all that there are where they are fewer.
        seed: of the draw.

    Raises:
        MetricError: no two texts of different groups.
    """
    size = len(texts)
    allowed = [k for k in _order(size, count, seed) if texts[k // size][0] != texts[k % size][0]]
    pairs = [(texts[k // size][1], texts[k % size][1]) for k in allowed if texts[k // size][1] != texts[k % size][1]]
    if not pairs:
        raise MetricError(f"{size} texts in one group give no random pair; two of different threads at least")
    return pairs[:count]


def _order(size: int, count: int, seed: int) -> list[int]:
    """Numbers of pairs in random order: more than enough where only some are wanted."""
    rng = stream(seed, "baseline", size)
    if size * size <= 16 * count:
        return [int(k) for k in rng.permutation(size * size)]
    return list(dict.fromkeys(int(k) for k in rng.integers(0, size * size, 4 * count)))


def baseline_of(scores: BertScores, language: str, source: str) -> Baseline:
    """The mean scores of random pairs, rounded to 6 digits.

    Raises:
        MetricError: no pairs, or rescaled scores.
    """
    if not len(scores) or scores.baseline:
        raise MetricError(f"{len(scores)} scores, rescaled with {scores.baseline!r}; a baseline is made of raw scores")
    precision, recall, f = (round(x.mean().item(), 6) for x in (scores.precision, scores.recall, scores.f))
    return Baseline(scores.encoder, scores.layer, language, precision, recall, f, len(scores), source)
