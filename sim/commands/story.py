"""What a run's folder tells: read in passes, with memory that doesn't grow with the log, whole lines only.

A run may still be going, or have been killed: an unfinished last line is passed over, and whatever stands beside
the log may be missing.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

import folkmoot.environments.talk_page.events  # noqa: F401 -- registers the kinds that a log may hold
from folkmoot.sim.call_records import CallRecord
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import Event, TextEvent
from folkmoot.sim.feed import PostCreated
from folkmoot.sim.lines import records
from folkmoot.sim.runs import Run

Key = tuple[str, str]
"""A thread: (community, thread id); ids are unique within a community only."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A line of notes.jsonl (`sim.notes`): the turn that led to an event."""

    seq: int
    agent: str
    activation: int
    trigger: str
    looked: int
    calls: int
    facts: dict[str, Any] = {}


@dataclass(slots=True)
class ThreadLine:
    """A thread in a list; `number` counts from 1 in order of opening."""

    number: int
    key: Key
    title: str
    page: str
    recorded: int = 0
    simulated: int = 0
    candidates: int = 0
    last: int = 0

    @property
    def size(self) -> int:
        """Comments that stand in the thread, the opening included; candidates never do."""
        return self.recorded + self.simulated


@dataclass(slots=True)
class Story:
    """A log in counts.

    Attributes:
        counts: (kind, origin) -> number of events.
        simulated: first and last time of simulated events, ms; None where there are none.
    """

    events: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    threads: dict[Key, ThreadLine] = field(default_factory=dict)
    simulated: tuple[int, int] | None = None

    def take(self, event: Event) -> None:
        """Count one event."""
        self.events += 1
        self.counts[type(event).__name__, event.origin] += 1
        if event.origin == "simulated":
            first = self.simulated[0] if self.simulated else event.time
            self.simulated = (first, event.time)
        if isinstance(event, TextEvent):
            self._place(event)

    def _place(self, event: TextEvent) -> None:
        key = thread_key(event)
        if key not in self.threads:
            self.threads[key] = ThreadLine(len(self.threads) + 1, key, heading(event), getattr(event, "page", ""))
        thread = self.threads[key]
        if event.origin == "candidate":
            thread.candidates += 1
            return
        thread.recorded += event.origin == "recorded"
        thread.simulated += event.origin == "simulated"
        thread.last = max(thread.last, event.time)


HEADING = 80
"""Characters of a post that stand for the title of its conversation."""


def heading(event: TextEvent) -> str:
    """The title of a thread; of a conversation on a feed, which has none, how it begins."""
    if isinstance(event, PostCreated):
        return f"(passes on #{event.of})" if event.wordless else event.text[:HEADING]
    return str(getattr(event, "title", ""))


def thread_key(event: TextEvent) -> Key:
    """The thread that an utterance stands in."""
    return event.community, event.thread


def tell(run: Run) -> Story:
    """The whole log in counts."""
    story = Story()
    for event in run.events():
        story.take(event)
    return story


def thread_of(run: Run, number: int) -> tuple[ThreadLine, list[TextEvent]]:
    """A thread's line and its utterances, candidates included, in the order of the log.

    Raises:
        LogError: there is no such number.
    """
    threads = list(tell(run).threads.values())
    if not 1 <= number <= len(threads):
        known = f"has threads 1 to {len(threads)}" if threads else "has no thread yet"
        raise LogError(f"thread {number}: {run.path} {known}; `folkmoot show {run.path}` lists them")
    found = threads[number - 1]
    texts = (event for event in run.events() if isinstance(event, TextEvent))
    return found, [event for event in texts if thread_key(event) == found.key]


def event_of(run: Run, seq: int) -> Event:
    """The event of a sequence number.

    Raises:
        LogError: there is no such number.
    """
    last = -1
    for event in run.events():
        last = event.seq
        if last == seq:
            return event
    known = f"holds events 0 to {last}" if last >= 0 else "holds no event yet"
    raise LogError(f"event {seq}: {run.log} {known}")


def note_of(run: Run, seq: int) -> Note | None:
    """What the agent noted of the turn that led to this event; None where nothing was noted."""
    return next((note for note in records(run.notes_path, Note, "a Note") if note.seq == seq), None)


def calls_of(run: Run, agent: str, activation: int) -> list[CallRecord]:
    """All attempts of one turn's calls, by call and attempt."""
    found = [
        r for r in records(run.calls_path, CallRecord, "a CallRecord") if (r.agent, r.activation) == (agent, activation)
    ]
    return sorted(found, key=lambda record: (record.call, record.attempt))


def unfinished(path: Path) -> bool:
    """Whether the file ends within a line: it is being written, or its writer was killed."""
    if not path.exists() or path.stat().st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) != b"\n"


@dataclass(slots=True)
class Moment:
    """What stood on the pages when an agent looked, as far as it can be told from the log.

    Attributes:
        story: thread lines of that moment, one community, numbered as in the whole run.
        thread: the comments of the thread in question.
        since: comments that came into that thread between the look and the commit.
        causes: the events named as causes.
    """

    story: Story
    thread: list[TextEvent] = field(default_factory=list)
    since: list[TextEvent] = field(default_factory=list)
    causes: list[Event] = field(default_factory=list)


def moment(run: Run, event: Event, looked: int | None, thread: str | None) -> Moment:
    """The view behind an event: utterances of its community before it, committed by the time of the look.

    Args:
        run: the run.
        event: the event that the turn led to.
        looked: time of the look, ms; None where it isn't known: then all that came before the event counts.
        thread: id of the thread in question.
    """
    found, causes, numbers = Moment(Story()), set(event.causes), dict[Key, int]()
    for earlier in run.events():
        if earlier.seq >= event.seq:
            break
        if earlier.seq in causes:
            found.causes.append(earlier)
        if isinstance(earlier, TextEvent):
            numbers.setdefault(thread_key(earlier), len(numbers) + 1)
        if not isinstance(earlier, TextEvent) or earlier.community != event.community or earlier.origin == "candidate":
            continue
        seen = looked is None or earlier.time <= looked
        if seen:
            found.story.take(earlier)
        if earlier.thread == thread:
            (found.thread if seen else found.since).append(earlier)
    for key, line in found.story.threads.items():
        line.number = numbers[key]
    return found
