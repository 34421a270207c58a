"""`folkmoot report structure RUNS... --out DIR`: cascades, graphs and rhythms of simulated and real communities."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.base import Corpus
from folkmoot.environments.corpora.feed_split import FeedSplit, parted
from folkmoot.metrics.structure.comparing import Compared, compare_structures
from folkmoot.metrics.structure.reading import structure
from folkmoot.metrics.structure.report import tables
from folkmoot.metrics.structure.spans import Span, equal
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.activity import DAY
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
    found: dict[str, list[Compared]] = {}
    lengths: dict[str, str] = {}
    for run in runs_in(paths):
        for name, compared, said in _compared(run, resampler):
            found[name], lengths[name] = compared, said
    made = tables(found, resampler, lengths)
    (out / "tables").mkdir(parents=True, exist_ok=True)
    written = [path for table in made for path in write_table(table, out / "tables")]
    whole = out / "report.md"
    write_whole(whole, "\n".join(["# Structure", "", *(table.markdown() for table in made)]).encode())
    return [whole, *written]


def _compared(run: Run, resampler: Resampler) -> Iterator[tuple[str, list[Compared], str]]:
    config = config_of(run)
    for corpus in load(config.corpus):
        mine = [event for event in run.events() if event.community == corpus.name]
        real = _real(config, corpus)
        theirs, ours, said = equal(real.span, _lived(run, mine), dated=real.dated)
        simulated = structure(ours.until_its_end([*real.start, *mine]), lambda event: event.origin == "simulated")
        reference = structure(theirs.until_its_end(real.events), real.counts)
        yield f"{run.path.name} ({corpus.name})", compare_structures(reference, simulated, resampler), said


def _lived(run: Run, events: Sequence[Event]) -> Span:
    """From the start of a run to where it was to end, or did: one that was stopped is as long as what it holds."""
    places = run.manifest()["communities"].values()
    start = max(int(place["start"]) for place in places)
    if run.summary_path.is_file() and run.summary().get("state") == "finished":
        return Span(start, start + round(max(float(place["days"]) for place in places) * DAY))
    return Span(start, max((event.time for event in events if event.origin == "simulated"), default=start))


@dataclass(frozen=True, slots=True)
class _Real:
    """The reference.

    Attributes:
        events: in order; what was before it too where cascades root in that.
        counts: which of them are the reference's own.
        span: from its start to its last event.
        dated: whether it is all that happened from then on.
        start: the follows that a run starts with.
    """

    events: Sequence[Event]
    counts: Callable[[Event], bool]
    span: Span
    dated: bool
    start: Sequence[Event] = ()


def _real(config: RunConfig, corpus: Corpus) -> _Real:
    parts = parted(corpus, config.population)
    reference = parts.reference_events(corpus)
    times = [event.time for event in reference]
    since = min(times) if parts.before is None else parts.before
    span, dated = Span(since, max(times)), parts.before is not None
    if not isinstance(parts, FeedSplit):
        return _Real(reference, lambda _: True, span, dated)
    edges = follows_of(config, corpus, parts).edges
    common: dict[str, Any] = {"community": corpus.name, "origin": "recorded", "time": parts.instant}
    start: list[Event] = [Followed(seq=-1, actor=who, user=whom, **common) for who, whom in edges]
    # What was before gives cascades their roots, as a run's openings do.
    ordered = sorted(corpus.events, key=lambda e: (e.time, e.seq))
    return _Real(ordered, partial(_counts, parts), span, dated, start)


def _counts(parts: FeedSplit, event: Event) -> bool:
    return event.time >= parts.instant and event.seq not in parts.repeated
