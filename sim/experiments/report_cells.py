"""From the folders of next-turn runs to the cells of a grid: log, labels, notes, prompts, and the authors' personas."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from folkmoot.agents.language import language_guesser
from folkmoot.environments.corpora.base import Corpus
from folkmoot.metrics.annotations import Annotations, Source, check_comparable, columns_file
from folkmoot.metrics.next_turn.answers import judge, kind_of_reason, plain, words_of
from folkmoot.metrics.next_turn.pairs import Cell, Labels, Pair
from folkmoot.metrics.next_turn.prefixes import Prompt, blocks
from folkmoot.metrics.tallies import Columns
from folkmoot.sim.call_records import CallRecord
from folkmoot.sim.config import check
from folkmoot.sim.errors import AnnotationError, ConfigError, LogError
from folkmoot.sim.events import ActionRefused, Event, TextEvent
from folkmoot.sim.experiments.next_turn_agents import prompt_order
from folkmoot.sim.experiments.places import load
from folkmoot.sim.experiments.settings import NextTurnConfig, RunConfig
from folkmoot.sim.lines import records
from folkmoot.sim.runs import Run

Guess = Callable[[str], str | None]


class Cells:
    """Collects cells, run by run; corpora are read once.

    Attributes:
        cells: so far, in the order of the runs.
        annotators: role -> name and version of who labelled; one for all runs.
    """

    def __init__(self) -> None:
        self.cells: dict[tuple[str, str, str], Cell] = {}
        self.annotators: dict[str, Source] = {}
        self._corpora: dict[str, Corpus] = {}

    def add(self, run: Run) -> None:
        """Take a run.

        Raises:
            LogError: it isn't over, or isn't measured.
            ConfigError: it isn't a next-turn run.
            AnnotationError: its annotator isn't the one of the runs before.
            CorpusError: its corpus isn't where it was, or another one.
        """
        config = check(RunConfig, run.config())
        _finished(run, config)
        corpus = self._corpus(run, config)
        manifest = run.manifest()
        model = str(manifest.get("model", config.llm.backend))
        key = corpus.name, model, config.condition.name
        if key not in self.cells:
            sample = manifest["communities"][corpus.name]["split"]
            self.cells[key] = Cell(corpus.name, corpus.language, model, config.condition.name, sample=sample)
        reader = _Reader(run, corpus, self._labels(run, corpus), self.cells[key], language_guesser())
        reader.read()
        self.cells[key].runs += 1

    def _corpus(self, run: Run, config: RunConfig) -> Corpus:
        name = config.corpus.model_dump_json()
        if name not in self._corpora:
            found = load(config.corpus)
            if len(found) != 1:
                raise ConfigError(f"{run.path}: {len(found)} communities; a next-turn run has one")
            self._corpora[name] = found[0]
        corpus = self._corpora[name]
        if (began := run.manifest()["communities"].get(corpus.name, {}).get("corpus")) != corpus.digest:
            raise LogError(
                f"{run.path}: the run began with corpus {began}, {corpus.name} has digest {corpus.digest} now; give "
                "back the corpus (and the salt) that it began with"
            )
        return corpus

    def _labels(self, run: Run, corpus: Corpus) -> tuple[Annotations, Annotations]:
        """Labels of the real and of the written comments."""
        files = columns_file(run.annotations, f"{corpus.name}.reference"), columns_file(run.annotations, corpus.name)
        for file in files:
            if not file.is_file():
                raise LogError(f"{run.path} isn't measured; `folkmoot resume {run.path}` first")
        real, written = Annotations.read(files[0], corpus.digest), Annotations.read(files[1], run.digest)
        check_comparable(written, real)
        for role, source in written.sources.items():
            first = self.annotators.setdefault(role, source)
            if (first.name, first.version) != (source.name, source.version):
                raise AnnotationError(
                    f"{run.path}: {role} by {source.name} {source.version}, another run's by {first.name} "
                    f"{first.version}; a report's runs have one annotator: run again with annotator=..."
                )
        return real, written


def _finished(run: Run, config: RunConfig) -> None:
    if not isinstance(config.experiment, NextTurnConfig):
        raise ConfigError(f"{run.path}: experiment={config.experiment.name}; this report takes experiment=next_turn")
    if not run.summary_path.is_file():
        raise LogError(f"{run.path} has no summary: the run isn't over; `folkmoot resume {run.path}` first")


@dataclass(slots=True)
class _Noted:
    """What is beside the log for one target."""

    facts: Mapping[str, Any]
    prompt: str = ""


class _Reader:
    """Reads one run into its cell."""

    def __init__(
        self, run: Run, corpus: Corpus, labels: tuple[Annotations, Annotations], cell: Cell, guess: Guess
    ) -> None:
        self._run, self._corpus, self._cell, self._guess = run, corpus, cell, guess
        self._real, self._written = labels[0].columns, labels[1].columns
        self._threads = corpus.threads()
        self._sizes: Counter[str] = Counter()
        self._turns: dict[tuple[str, int], int] = {}
        self._noted = self._notes()
        self._prompts = self._read_prompts()

    def read(self) -> None:
        """Walk through the log: what was written for a target stands right before it."""
        waiting: Event | None = None
        for event in self._run.events():
            if event.origin == "recorded" and isinstance(event, TextEvent):
                position = self._sizes[event.thread]
                self._sizes[event.thread] += 1
                if waiting is not None:
                    self._pair(waiting, event, position)
                waiting = None
            elif waiting is None:
                waiting = event

    def _notes(self) -> dict[int, _Noted]:
        """Seq of what was written -> what was noted."""
        found = {}
        for note in self._run.notes():
            self._turns[note["agent"], note["activation"]] = note["seq"]
            found[int(note["seq"])] = _Noted(note["facts"])
        return found

    def _read_prompts(self) -> dict[int, tuple[tuple[bytes, ...], int]]:
        """Seq of what was written -> blocks and tokens of its first prompt; its words are kept beside its notes."""
        found: dict[int, tuple[tuple[bytes, ...], int]] = {}
        for record in records(self._run.calls_path, CallRecord, "a call record"):
            seq = self._turns.get((record.agent, record.activation))
            if record.answer is None or record.messages is None or seq is None or record.call:
                continue
            text = "\n".join(message.content for message in record.messages)
            found[seq] = blocks(text), record.answer.prompt_tokens
            self._noted[seq].prompt = words_of(plain(text))
        return found

    def _pair(self, written: Event, real: TextEvent, position: int) -> None:
        noted = self._noted.get(written.seq, _Noted({}))
        persona = self._corpus.personas.get(real.actor)
        recorded = self._threads[real.thread][position]
        text, kind = self._judged(written, noted)
        self._cell.mended.update(_mends(noted.facts))
        self._cell.pairs.append(
            Pair(
                thread=real.thread,
                position=position,
                user=real.actor,
                gender=persona.attributes.gender if persona else "unknown",
                profile_words=len(persona.profile.split()) if persona else 0,
                real=real.text,
                text=text,
                kind=kind,
                acts=_both(self._real, recorded.seq, self._written, written.seq, "acts"),
                sentiment=_both(self._real, recorded.seq, self._written, written.seq, "sentiment"),
                facts=dict(noted.facts.get("prompt") or {}),
            )
        )
        if written.seq in self._prompts:
            hashes, tokens = self._prompts[written.seq]
            self._cell.prefixes.add(Prompt(prompt_order(real, position), (written.seq,), hashes, tokens))

    def _judged(self, written: Event, noted: _Noted) -> tuple[str, str]:
        """The text, and what it is if it is no comment."""
        if isinstance(written, TextEvent):
            return written.text, judge(written.text, self._corpus.language, noted.prompt, self._guess)
        if isinstance(written, ActionRefused):
            return written.text or "", kind_of_reason(written.reason)
        return "", "failed"


def _both(real: Columns, one: int, written: Columns, other: int, role: str) -> tuple[Labels, Labels]:
    return real.get(one, {}).get(role), written.get(other, {}).get(role)


def _mends(facts: Mapping[str, Any]) -> Sequence[str]:
    found = facts.get("check")
    return [str(name) for name in found.get("mends") or ()] if isinstance(found, Mapping) else []
