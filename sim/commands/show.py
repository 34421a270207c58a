"""`folkmoot show`: a run at a glance, a thread as it reads, an event with all that led to it."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from folkmoot.sim.commands.plain import line, shown, span, utc, value
from folkmoot.sim.commands.story import (
    Moment,
    Note,
    Story,
    ThreadLine,
    calls_of,
    event_of,
    moment,
    note_of,
    tell,
    thread_of,
    unfinished,
)
from folkmoot.sim.commands.talk import STYLES, Beside, Real, as_it_reads, counterpart
from folkmoot.sim.commands.turns import call_blocks
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import Event, TextEvent
from folkmoot.sim.runs import Run

MOST_THREADS = 200
"""Lines of the list in an overview; the rest is counted."""
VIEW_THREADS = 12
"""Lines of the list in an event's view."""
EXCERPT = 80


def show_thread(run: Run, number: int | None, real: Real = ()) -> RenderableType:
    """A thread beside the real one; without a number the overview.

    Args:
        run: the run; it may still be going.
        number: counts from 1 in order of opening, as the overview lists them.
        real: recorded utterances of the corpus, matched by (community, thread id).

    Raises:
        LogError: no such thread, or a damaged log.
    """
    if number is None:
        return show_run(run)
    found, comments = thread_of(run, number)
    words, recorded, begun = counterpart(comments, real)
    left = Text(f"thread {number}: {line(found.title) or '(no title)'}  ({_sizes(found)})", style="bold")
    right = Text(words.plain, style="bold")
    return Beside(
        (left, right),
        as_it_reads(comments),
        as_it_reads(recorded, numbers=False, marks=begun, mark="in both"),
    )


def show_run(run: Run) -> RenderableType:
    """State, what was measured, counts by kind and origin, and the threads."""
    story = tell(run)
    facts = _facts(_overview(run, story))
    kinds = Table("kind", "origin", "events", box=None, padding=(0, 2, 0, 0))
    for (kind, origin), count in sorted(story.counts.items()):
        kinds.add_row(kind, Text(origin, style=STYLES[origin]), str(count))
    threads = _list(list(story.threads.values()), MOST_THREADS)
    return Group(facts, *_measured(run), Rule("events"), kinds, Rule("threads"), *threads)


def _overview(run: Run, story: Story) -> Iterator[tuple[str, str]]:
    yield "run", value(str(run.path))
    yield from _state(run)
    yield "events", str(story.events)
    if story.simulated:
        first, last = story.simulated
        yield "simulated", f"{utc(first)} to {utc(last)} ({span(last - first)})"
    torn = [path.name for path in (run.log, run.calls_path, run.notes_path) if unfinished(path)]
    if torn:
        yield "unfinished line", f"{', '.join(torn)} (being written, or cut by a kill; `folkmoot resume` mends it)"


def _state(run: Run) -> Iterator[tuple[str, str]]:
    if not run.summary_path.exists():
        yield "state", "no summary.json: still going, or killed; `folkmoot resume` goes on with a killed one"
        return
    try:
        summary = run.summary()
    except LogError as error:
        yield "state", value(f"unknown: {error}")
        return
    yield "state", value(summary.pop("state", "not named in summary.json"))
    for name, fact in summary.items():
        if isinstance(fact, str | int | float) and name != "events":  # those are counted in the log
            yield line(name), value(fact)


def _measured(run: Run) -> Iterator[RenderableType]:
    """What the summary says of each community: a sentence a monitor, with interval and n, then the warnings."""
    try:
        summary = run.summary() if run.summary_path.exists() else {}
    except LogError:  # told as the state
        return
    communities = summary.get("communities")
    for name, found in communities.items() if isinstance(communities, dict) else ():
        yield Rule(shown(f"measured: {line(name)}"))
        yield from map(shown, _texts(found, "sentences"))
        yield from (shown(f"warning: {text}", "dim") for text in _texts(found, "warnings"))
    if told := _texts(summary, "lines"):
        yield Rule("measured")
        yield from map(shown, told)


def _texts(found: Any, name: str) -> list[str]:
    """The sentences under a name of a summary, each on one line; none where it holds something else."""
    said = found.get(name) if isinstance(found, dict) else None
    return [line(text) for text in said if isinstance(text, str)] if isinstance(said, list) else []


def _list(threads: list[ThreadLine], most: int) -> Iterator[RenderableType]:
    if not threads:
        yield Text("(none)", style="dim")
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("no.", "last", "comments", "community", "title"):
        table.add_column(name, no_wrap=name in {"no.", "last"}, overflow="fold")
    for thread in threads[:most]:
        community = shown(line(thread.key[0]))
        table.add_row(str(thread.number), utc(thread.last), _sizes(thread), community, shown(line(thread.title)))
    yield table
    if len(threads) > most:
        yield Text(f"and {len(threads) - most} more", style="dim")


def _sizes(thread: ThreadLine) -> str:
    parts = {"real": thread.recorded, "simulated": thread.simulated, "candidate": thread.candidates}
    return ", ".join(f"{count} {name}" for name, count in parts.items() if count)


# --- an event -------------------------------------------------------------------------------------


def show_event(run: Run, seq: int) -> RenderableType:
    """An event, who looked and when, what stood there then, the calls, and what the checks said.

    Raises:
        LogError: no such event, or a damaged file.
    """
    event = event_of(run, seq)
    note = note_of(run, seq)
    thread = _thread(event, note)
    then = moment(run, event, note.looked if note else None, thread)
    blocks = [Rule(f"event {seq}"), _facts(_fields(event)), *_causes(then), *_text(event)]
    if event.origin == "recorded":
        return Group(*blocks, Text("It happened in the real community: nobody here looked or wrote.", style="dim"))
    return Group(
        *blocks,
        Rule("the look"),
        _facts(_look(event, note)),
        *_view(then, thread, event),
        *(call_blocks(calls_of(run, note.agent, note.activation), note.calls) if note else ()),
        *_checks(note),
    )


def _thread(event: Event, note: Note | None) -> str | None:
    thread = getattr(event, "thread", None)
    planned = note.facts.get("plan") if note else None
    if not thread and isinstance(planned, dict):
        thread = planned.get("thread")
    return thread or None


def _fields(event: Event) -> Iterator[tuple[str, str]]:
    yield "kind", type(event).__name__
    yield "time", utc(event.time)
    for name in event.__struct_fields__:
        fact = getattr(event, name)
        if name not in {"time", "text"} and fact not in (None, (), ""):
            yield name, value(fact)


def _causes(then: Moment) -> Iterator[RenderableType]:
    for cause in then.causes:
        said = line(str(getattr(cause, "text", None) or getattr(cause, "reason", "")), EXCERPT)
        yield Text(f"because of #{cause.seq}, {type(cause).__name__} by {line(cause.actor)}: {said}", style="dim")


def _text(event: Event) -> Iterator[RenderableType]:
    text = getattr(event, "text", None)
    if text is not None:
        yield Rule("text" if isinstance(event, TextEvent) else "refused text")
        yield shown(text)


def _look(event: Event, note: Note | None) -> Iterator[tuple[str, str]]:
    yield "agent", value(event.actor)
    if note is None:
        yield "looked", "not noted: the turn made no call, or notes.jsonl was cut; below is what stood at the commit"
        return
    yield "looked", f"{utc(note.looked)}, {span(event.time - note.looked)} before it acted"
    yield "trigger", value(note.trigger)
    yield "activation", str(note.activation)
    yield "calls", str(note.calls)


def _view(then: Moment, thread: str | None, event: Event) -> Iterator[RenderableType]:
    latest = sorted(then.story.threads.values(), key=lambda found: -found.last)
    yield Rule("what stood there, the latest first")
    yield from _list(latest, VIEW_THREADS)
    if then.thread:
        yield Rule(shown(f"thread {line(str(thread))} as it stood"))
        answered = getattr(event, "parent", None)
        yield as_it_reads(then.thread, marks=() if answered is None else (answered,), mark="answered")
    if then.since:
        yield Rule("came in between the look and the commit")
        yield as_it_reads(then.since)


def _checks(note: Note | None) -> Iterator[RenderableType]:
    if note and note.facts:
        yield Rule("plan, prompt and checks")
        yield _facts(_flat(note.facts))


def _flat(facts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, fact in facts.items():
        if isinstance(fact, Mapping):
            yield from _flat(fact, f"{prefix}{line(str(name))}.")
        elif fact not in (None, "", [], ()):
            yield prefix + line(str(name)), value(fact)


def _facts(facts: Iterator[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, fact in facts:
        table.add_row(Text(name, style="dim"), Text(fact))
    return table
