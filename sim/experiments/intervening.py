"""The config's interventions: tried on each world before anything is written, then handed to the kernel."""

from collections.abc import Iterator

from folkmoot.sim.activity import DAY
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.events import ActionRefused
from folkmoot.sim.experiments.places import Place
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.interventions import Intervention, action
from folkmoot.sim.kernel import Kernel
from folkmoot.sim.turn import World


def examine(config: RunConfig, places: list[Place]) -> None:
    """Tell now what a run would refuse after hours. The environments are as they were.

    Raises:
        ConfigError: an environment refuses one, it falls outside the simulated time, or no agent acts.
    """
    if config.interventions and config.environment.teacher_forced:
        raise ConfigError("interventions change a world that agents act in, teacher-forced mode has none; drop them")
    for place in places:
        for planned in _of(config, place):
            moment, end = planned.moment(place.start), place.start + round(place.days * DAY)
            if moment is not None and moment > end:
                raise ConfigError(
                    f"interventions: at={planned.at!r} is after the end; the simulation takes {place.days:g} days"
                )
            _try(place, planned)


def _try(place: Place, planned: Intervention) -> None:
    before = place.environment.state()
    (event, *_) = place.environment.apply(action(planned), place.start, 0)
    place.environment.restore(before)
    if isinstance(event, ActionRefused):
        raise ConfigError(f"interventions: {event.reason}")


def plan(config: RunConfig, kernel: Kernel, place: Place, world: World) -> None:
    """Let the kernel carry out those of this community."""
    for planned in _of(config, place):
        kernel.intervene(world, action(planned), at=planned.moment(place.start), after=planned.after)


def _of(config: RunConfig, place: Place) -> Iterator[Intervention]:
    return (planned for planned in config.interventions if planned.community in {"", place.name})
