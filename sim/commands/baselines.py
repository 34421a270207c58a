"""The work behind `folkmoot bertscore baseline`."""

import json
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

from folkmoot.agents.llm.encoder import SentenceEncoder
from folkmoot.metrics.bertscore import Baseline, BertScorer
from folkmoot.metrics.bertscore.baseline import baseline_of, random_pairs, write_baselines
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.experiments.places import load
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.protocols import TokenEncoder

Texts = list[tuple[Hashable, str]]


def make_baselines(
    overrides: Sequence[str],
    files: Sequence[Path],
    language: str | None,
    *,
    layers: str,
    pairs: int,
    seed: int,
    out: Path,
) -> str:
    """Write the baselines; a table of them.

    Raises:
        ConfigError: a layer that isn't there, or files without their language.
        MetricError: too few texts.
    """
    if files and language is None:
        raise ConfigError(f"--texts {files[0]} needs --language: a baseline is of one language")
    config = check(RunConfig, compose(["tracking=none", *overrides]))
    encoder = SentenceEncoder(config.annotator.encoder)
    wanted = _layers(layers, encoder.depth)
    done = [
        one
        for name, texts, source in _sources(config, overrides, files, language)
        for one in _measured(encoder, wanted, name, random_pairs(texts, pairs, seed), source)
    ]
    write_baselines(out, done)
    return "\n".join([f"{out}: {len(done)} baselines of {encoder.name}", *map(_line, done)])


def _layers(text: str, depth: int) -> list[int]:
    if text == "all":
        return list(range(depth + 1))
    numbers = [int(part) if part.strip().isdecimal() else -1 for part in text.split(",")]
    if not all(0 <= number <= depth for number in numbers):
        raise ConfigError(f"layers {text!r}; numbers from 0 to {depth}, comma-separated, or all")
    return numbers


def _sources(
    config: RunConfig, overrides: Sequence[str], files: Sequence[Path], language: str | None
) -> Iterator[tuple[str, Texts, str]]:
    """(language, texts with their threads, what they are); files are added to the corpora of their language."""
    corpora = load(config.corpus) if not files or any(one.startswith("corpus") for one in overrides) else []
    for corpus in corpora:
        own: Texts = [(event.thread, event.text) for event in corpus.utterances()]
        extra = list(_lines(files)) if corpus.language == language else []
        source = f"random comments of {corpus.name} {corpus.digest[:8]}" + (f" and {len(extra)} texts" if extra else "")
        yield corpus.language, [*own, *extra], source
    if language is not None and language not in {corpus.language for corpus in corpora}:
        yield language, list(_lines(files)), f"random texts of {', '.join(path.name for path in files)}"


def _lines(files: Sequence[Path]) -> Iterator[tuple[Hashable, str]]:
    """Each line a group of its own."""
    for path in files:
        try:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
                yield f"{path.name}:{number}", str(json.loads(line)["text"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"texts {path}: {error}; wanted JSON lines with a `text` each") from error


def _measured(
    encoder: TokenEncoder, layers: Sequence[int], language: str, pairs: Sequence[tuple[str, str]], source: str
) -> Iterator[Baseline]:
    for layer in layers:
        yield baseline_of(BertScorer(encoder, layer).score(pairs), language, source)


def _line(one: Baseline) -> str:
    numbers = f"P {one.precision:.4f}  R {one.recall:.4f}  F {one.f:.4f}"
    return f"  {one.language}  layer {one.layer:2}  {numbers}  ({one.pairs} pairs; {one.source})"
