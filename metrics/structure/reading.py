"""From events to what is measured of a community's structure: samples by unit, and who answers whom."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from folkmoot.metrics.structure.trees import Tree, tree
from folkmoot.sim.events import Event, TextEvent
from folkmoot.sim.feed import Followed, PostCreated, Reacted, Unfollowed

MS_PER_HOUR = 3_600_000
Edge = tuple[str, str]


@dataclass(slots=True)
class Structure:
    """One side's structure.

    Attributes:
        trees: cascades with a counted post: a post, what answers it and what passes it on, and so on.
        acts: user -> times (ms) of the counted acts, in order.
        answers: cascade (by number) -> (who, whom) of its counted posts that answer or pass on another's.
        follows: who follows whom at the end, where there is a follow graph.
        strays: counted posts whose parent isn't there: each begins a cascade of its own.
    """

    trees: list[Tree] = field(default_factory=list)
    acts: dict[str, list[int]] = field(default_factory=dict)
    answers: list[list[Edge]] = field(default_factory=list)
    follows: dict[Edge, None] = field(default_factory=dict)
    strays: int = 0


def structure(events: Iterable[Event], counts: Callable[[Event], bool]) -> Structure:
    """Read the events once, in order.

    Args:
        events: of one community; those that don't count (recorded openings beside simulated answers) still root
            cascades and are their nodes.
        counts: which posts and likes count.
    """
    reader = _Reader(counts)
    for event in events:
        reader.read(event)
    return reader.done()


class _Reader:
    """Reads events in order: where each post stands in its cascade, and what counts."""

    def __init__(self, counts: Callable[[Event], bool]) -> None:
        self._counts = counts
        self._found = Structure()
        self._place: dict[int, tuple[int, int]] = {}
        self._author: dict[int, str] = {}
        self._parents: list[list[int]] = []
        self._counted: set[int] = set()

    def read(self, event: Event) -> None:
        if isinstance(event, Followed):
            self._found.follows[event.actor, event.user] = None
        elif isinstance(event, Unfollowed):
            self._found.follows.pop((event.actor, event.user), None)
        elif isinstance(event, TextEvent) and event.origin != "candidate":
            self._post(event)
        if isinstance(event, TextEvent | Reacted) and self._counts(event):
            self._found.acts.setdefault(event.actor, []).append(event.time)

    def _post(self, event: TextEvent) -> None:
        source = source_of(event)
        place = None if source is None else self._place.get(source)
        counted = self._counts(event)
        self._found.strays += counted and source is not None and place is None
        if place is None:
            cascade, parent = len(self._parents), -1
            self._parents.append([])
            self._found.answers.append([])
        else:
            cascade, parent = place
        self._place[event.seq] = cascade, len(self._parents[cascade])
        self._parents[cascade].append(parent)
        self._author[event.seq] = event.actor
        if counted:
            self._counted.add(cascade)
            whom = event.actor if place is None or source is None else self._author[source]
            if whom != event.actor:
                self._found.answers[cascade].append((event.actor, whom))

    def done(self) -> Structure:
        kept = sorted(self._counted)
        self._found.trees = [tree(self._parents[cascade]) for cascade in kept]
        self._found.answers = [self._found.answers[cascade] for cascade in kept]
        return self._found


def source_of(event: TextEvent) -> int | None:
    """Seq of what a text answers or passes on."""
    if event.parent is None and isinstance(event, PostCreated):
        return event.of
    return event.parent


def grouped(found: Structure) -> dict[str, list[list[float]]]:
    """Name of a distribution -> values by sampled unit: cascades for the trees, users for the rest."""
    trees = found.trees
    samples: dict[str, list[list[float]]] = {
        "cascade_size": [[t.size] for t in trees],
        "cascade_depth": [[t.depth] for t in trees],
        "cascade_breadth": [[t.breadth] for t in trees],
        "virality": [[t.virality] for t in trees if t.size > 1],
        "branching": [[float(c) for c in t.children] for t in trees],
        "gap_hours": [gaps for times in found.acts.values() if (gaps := _gaps(times))],
        "acts_per_user": [[len(times)] for times in found.acts.values()],
    }
    edges = {edge for some in found.answers for edge in some}
    samples |= _degrees(edges, found.acts, ("answered_by", "answers_to"))
    if found.follows:
        samples |= _degrees(set(found.follows), found.acts, ("followers", "followees"))
    return samples


def _degrees(edges: set[Edge], users: Iterable[str], names: tuple[str, str]) -> dict[str, list[list[float]]]:
    """Distinct others into and out of each user; users without an edge count with 0."""
    incoming: dict[str, int] = defaultdict(int)
    outgoing: dict[str, int] = defaultdict(int)
    for who, whom in edges:
        outgoing[who] += 1
        incoming[whom] += 1
    people = sorted({*users, *incoming, *outgoing})
    return {
        names[0]: [[float(incoming[name])] for name in people],
        names[1]: [[float(outgoing[name])] for name in people],
    }


def _gaps(times: list[int]) -> list[float]:
    ordered = sorted(times)
    return [(b - a) / MS_PER_HOUR for a, b in pairwise(ordered)]
