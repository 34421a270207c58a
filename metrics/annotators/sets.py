"""Labelled sets: how they are exchanged, and those that are read from elsewhere.

The interchange format is JSON lines, UTF-8, one comment a line:
    {"text": "Done.", "language": "en", "title": "Map", "context": ["Could you crop it?"], "acts": ["REPORT"],
     "sentiment": 4, "scope": ["REPORT", "ASK"], "thread": "7"}
All but `text` and `language` may be missing. `context`: preceding comments, oldest first. `acts`: of the ten; [] says
that none holds. `sewd`: instead of `acts`, labels of the SEWD corpus, mapped as `sewd.py` says. `sentiment`: 1 (very
negative) to 5. `scope`: the labels that were judged; others count neither as right nor as wrong (default: all).
`thread`: what was sampled together, for intervals (default: each comment by itself).
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.demo import demo_languages, load_demo
from folkmoot.environments.talk_page.events import ThreadOpened
from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS, in_order
from folkmoot.metrics.annotators.sewd import from_sewd
from folkmoot.sim.errors import AnnotationError


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One line of a labelled set; fields as the module says."""

    text: str
    language: str
    title: str = ""
    context: tuple[str, ...] = ()
    acts: tuple[str, ...] | None = None
    sentiment: int | None = None
    scope: tuple[str, ...] | None = None
    thread: str = ""
    sewd: tuple[str, ...] | None = None


def read_labelled(path: Path) -> list[Example]:
    """Read a labelled set.

    Raises:
        AnnotationError: no such file, or a line isn't as documented; it is named.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise AnnotationError(
            f"labelled set {path}: {error}; give a JSON lines file (docs/annotators.md), or demo, or wikitactics:FILE"
        ) from error
    return [_read(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]


def _read(line: bytes, where: str) -> Example:
    try:
        example = msgspec.json.decode(line, type=Example)
    except msgspec.MsgspecError as error:
        raise AnnotationError(f"{where}: {error}; the format stands in docs/annotators.md") from error
    if example.sentiment is not None and not 1 <= example.sentiment <= len(SENTIMENTS):
        raise AnnotationError(f"{where}: sentiment {example.sentiment} isn't one of 1 to 5")
    if example.sewd is not None:
        if example.acts is not None:
            raise AnnotationError(f"{where}: both acts and sewd; give one of them")
        example = msgspec.structs.replace(example, acts=from_sewd(example.sewd), sewd=None)
    for names in (example.acts or (), example.scope or ()):
        in_order(names, ACTS)
    return example


def write_labelled(path: Path, examples: Iterable[Example]) -> None:
    """Write a labelled set in the interchange format."""
    path.write_bytes(b"".join(msgspec.json.encode(example) + b"\n" for example in examples))


def gold_examples(corpus: Corpus) -> Iterator[Example]:
    """The labelled comments of a corpus, each with all that was said before it in its thread."""
    for thread, events in corpus.threads().items():
        opening = events[0]
        title = opening.title if isinstance(opening, ThreadOpened) else ""
        texts = [event.text for event in events]
        for place, event in enumerate(events):
            if gold := corpus.gold.get(event.seq):
                language, before = event.language or corpus.language, tuple(texts[:place])
                where = f"{corpus.name}/{thread}"
                yield Example(event.text, language, title, before, gold.acts, gold.sentiment, thread=where)


def demo_examples(*languages: str) -> list[Example]:
    """The demo corpus's gold labels, in the languages given, else in all."""
    return [one for language in languages or demo_languages() for one in gold_examples(load_demo(language))]


def read_set(name: str) -> list[Example]:
    """A labelled set by name: `demo`, `demo:de`, `wikitactics:FILE`, or a JSON lines file.

    Raises:
        AnnotationError: it can't be read.
        CorpusError: there is no such demo.
    """
    from folkmoot.metrics.annotators.wikitactics import read_wikitactics

    kind, _, rest = name.partition(":")
    if kind == "demo":
        return demo_examples(*filter(None, rest.split(",")))
    return read_wikitactics(Path(rest)) if kind == "wikitactics" else read_labelled(Path(name))
