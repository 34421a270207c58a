"""The real community behind a run, read again from its corpus."""

from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel

from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.experiments.places import load
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.runs import Run

Task = TypeVar("Task", bound=BaseModel)


def config_of(run: Run) -> RunConfig:
    """The run's typed config."""
    return check(RunConfig, run.config())


def task_of(run: Run, kind: type[Task]) -> tuple[Task, int]:
    """The settings of a run's experiment, and its seed.

    Raises:
        ConfigError: it is a run of another experiment.
    """
    config = config_of(run)
    task = config.experiment
    if not isinstance(task, kind):
        raise ConfigError(f"{run.path} is a run of {task.name}; give runs of {kind.model_fields['name'].default}")
    return task, config.seed


def real_events(run: Run) -> Iterator[TextEvent]:
    """The recorded comments of all of the run's communities.

    Raises:
        CorpusError: the corpus isn't where it was.
    """
    for corpus in load(config_of(run).corpus):
        yield from corpus.utterances()
