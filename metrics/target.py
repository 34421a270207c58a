"""The real side, computed once from the reference population's events and annotations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from folkmoot.metrics.tallies import FAMILIES, LABELLED, Columns, Counting, Roles, Tally, make_tally
from folkmoot.metrics.threads import Places
from folkmoot.sim.errors import MetricError
from folkmoot.sim.events import Event, TextEvent

RECORDED = Counting(origins=("recorded",))
"""What counts on the real side."""


@dataclass(frozen=True, slots=True)
class Target:
    """The population that a simulation is compared with.

    Attributes:
        community: its name.
        roles: labels of each annotator, in their fixed order.
        tallies: the real side of each family: counts by thread.
        n_comments, n_threads: its size.
    """

    community: str
    roles: Roles
    tallies: Mapping[str, Tally]
    n_comments: int
    n_threads: int


def build_target(
    events: Sequence[Event],
    columns: Columns,
    roles: Roles,
    *,
    community: str = "",
    counting: Counting = RECORDED,
    families: Iterable[str] | None = None,
) -> Target:
    """Count the reference population.

    Args:
        events: the reference population's events, parents before their replies.
        columns: seq -> role -> labels.
        roles: role -> labels of its annotator, in their fixed order (`Annotator.labels`).
        community: its name, for titles.
        counting: which events count; `replies_only` has to be the simulated side's.
        families: names; all that the roles allow by default.

    Raises:
        MetricError: nothing counts.
        AnnotationError: a counted comment without its column.
        ConfigError: an unknown family.
    """
    counted = [event for event in events if isinstance(event, TextEvent) and counting(event)]
    if not counted:
        raise MetricError(f"none of {len(events)} events counts as the real side ({counting}); check the population")
    names = families if families is not None else [n for n in FAMILIES if n not in LABELLED or n in roles]
    places = Places()
    tallies = {name: make_tally(name, counting, 0, roles, places) for name in names}
    for start in range(0, len(events), 256):  # a batch for all tallies, then the next: they share its places
        for tally in tallies.values():
            tally.update(events[start : start + 256], columns)
    return Target(community, dict(roles), tallies, len(counted), len({event.thread for event in counted}))
