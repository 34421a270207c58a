"""`folkmoot report structure RUNS... --out DIR`: cascades, graphs and rhythms of simulated and real communities."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.feed_split import FeedSplit, parted
from folkmoot.metrics.structure.comparing import Compared, compare_structures
from folkmoot.metrics.structure.reading import Structure, structure
from folkmoot.metrics.structure.report import tables
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.commands.compare import runs_in
from folkmoot.sim.commands.real import config_of
from folkmoot.sim.commands.report import write_table
from folkmoot.sim.events import Event
from folkmoot.sim.experiments.feed_places import follows_of
from folkmoot.sim.experiments.places import load
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.feed import Followed
from folkmoot.sim.manifest import write_whole
from folkmoot.sim.runs import Run


def report(paths: Sequence[Path], out: Path, draws: int = 500, seed: int = 1) -> list[Path]:
    """Write the tables (Markdown, CSV, LaTeX) and report.md; returns what was written.

    Raises:
        LogError: a folder holds no run.
        CorpusError: a run's corpus isn't where it was.
    """
    resampler = Resampler(seed, draws)
    found = {name: compared for run in runs_in(paths) for name, compared in _compared(run, resampler)}
    made = tables(found, resampler)
    (out / "tables").mkdir(parents=True, exist_ok=True)
    written = [path for table in made for path in write_table(table, out / "tables")]
    whole = out / "report.md"
    write_whole(whole, "\n".join(["# Structure", "", *(table.markdown() for table in made)]).encode())
    return [whole, *written]


def _compared(run: Run, resampler: Resampler) -> Iterator[tuple[str, list[Compared]]]:
    config = config_of(run)
    for corpus in load(config.corpus):
        mine = [event for event in run.events() if event.community == corpus.name]
        real, start = _real(config, corpus)
        simulated = structure([*start, *mine], lambda event: event.origin == "simulated")
        yield f"{run.path.name} ({corpus.name})", compare_structures(real, simulated, resampler)


def _real(config: RunConfig, corpus: Corpus) -> tuple[Structure, list[Event]]:
    """The reference's structure, and the follows that a run starts with."""
    parts = parted(corpus, config.population)
    if not isinstance(parts, FeedSplit):
        return structure(parts.reference_events(corpus), lambda _: True), []
    edges = follows_of(config, corpus, parts).edges
    common: dict[str, Any] = {"community": corpus.name, "origin": "recorded", "time": parts.instant}
    start: list[Event] = [Followed(seq=-1, actor=who, user=whom, **common) for who, whom in edges]
    counts = partial(_counts, parts)
    # What was before gives cascades their roots, as a run's openings do.
    return structure(sorted(corpus.events, key=lambda e: (e.time, e.seq)), counts), start


def _counts(parts: FeedSplit, event: Event) -> bool:
    return event.time >= parts.instant and event.seq not in parts.repeated
