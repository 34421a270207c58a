"""A small made-up community for the metric tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.metrics.tallies import Columns
from folkmoot.sim.events import TextEvent
from folkmoot.sim.rng import stream

ACTS = ("CRITIQUE", "REQUEST", "INFORM", "ASK", "POSITIVE")
POINTS = ("very negative", "negative", "neutral", "positive", "very positive")
TEXTS = ("I agree. Thanks!", "Where is the source for this claim?", "See e.g. the archive. It was moved there.")
START = 1_700_000_000_000


@dataclass(frozen=True)
class Talk:
    """Events with their columns, and the labels of the roles."""

    events: tuple[TextEvent, ...]
    columns: Columns
    roles: dict[str, tuple[str, ...]]


def make_talk(n: int, threads: int, *, seed: int = 0, origin: str = "simulated", step_ms: int = 60_000) -> Talk:
    """N comments dealt at random to threads and users; each answers the one before it in its thread."""
    rng = stream(seed, "talk", origin)
    last: dict[str, int] = {}
    events: list[TextEvent] = []
    columns = {}
    for seq in range(n):
        thread, user = f"t{rng.integers(threads)}", f"u{rng.integers(8)}"
        common = {
            "seq": seq, "time": START + seq * step_ms, "actor": user, "community": "en", "origin": origin,
            "thread": thread, "text": TEXTS[rng.integers(len(TEXTS))], "language": "en", "page": "P",
        }  # fmt: skip
        if thread in last:
            events.append(CommentPosted(parent=last[thread], **common))
        else:
            events.append(ThreadOpened(title=f"about {thread}", **common))
        last[thread] = seq
        columns[seq] = {"acts": (ACTS[rng.integers(5)],), "sentiment": (POINTS[rng.integers(5)],)}
    return Talk(tuple(events), columns, {"acts": ACTS, "sentiment": POINTS})


class Gold:
    """An annotator that looks the answer up in a table; counts its batches."""

    version = "1"
    context = 2

    def __init__(self, role: str, talk: Talk) -> None:
        self.name = f"gold-{role}"
        self.labels = talk.roles[role]
        self.batches: list[int] = []
        self.seen: list = []
        self._role, self._columns = role, talk.columns

    async def annotate(self, batch: Sequence) -> list:
        """One answer an utterance."""
        self.batches.append(len(batch))
        self.seen.extend(batch)
        return [self._columns[utterance.event.seq][self._role] for utterance in batch]


@pytest.fixture
def talk() -> Callable[..., Talk]:
    """Makes a small community."""
    return make_talk


@pytest.fixture
def gold() -> Callable[[Talk], dict[str, Gold]]:
    """Makes annotators that know a community's labels."""
    return lambda talk: {role: Gold(role, talk) for role in talk.roles}
