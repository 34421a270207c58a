"""The real community behind a run, read again from its corpus."""

from collections.abc import Iterator

from folkmoot.sim.config import check
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments.places import load
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.runs import Run


def config_of(run: Run) -> RunConfig:
    """The run's typed config."""
    return check(RunConfig, run.config())


def real_events(run: Run) -> Iterator[TextEvent]:
    """The recorded comments of all of the run's communities.

    Raises:
        CorpusError: the corpus isn't where it was.
    """
    for corpus in load(config_of(run).corpus):
        yield from corpus.utterances()
