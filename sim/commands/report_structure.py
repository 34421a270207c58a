"""`folkmoot report structure RUNS... --out DIR`: cascades, graphs and rhythms of simulated and real communities."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from folkmoot.environments.corpora.feed_split import parted
from folkmoot.environments.social_feed.events import Followed
from folkmoot.metrics.structure.comparing import Compared, compare_structures
from folkmoot.metrics.structure.reading import structure
from folkmoot.metrics.structure.report import tables
from folkmoot.metrics.tallies import Counting
from folkmoot.metrics.target import RECORDED
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.commands.compare import runs_in
from folkmoot.sim.commands.real import config_of
from folkmoot.sim.commands.report import write_table
from folkmoot.sim.events import Event
from folkmoot.sim.experiments.places import load
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
        follows: list[Event] = [event for event in corpus.events if isinstance(event, Followed)]
        reference = parted(corpus, config.population).reference_events(corpus)
        real = structure([*follows, *reference], RECORDED)
        mine = (event for event in run.events() if event.community == corpus.name)
        simulated = structure((*follows, *mine), Counting())
        yield f"{run.path.name} ({corpus.name})", compare_structures(real, simulated, resampler)
