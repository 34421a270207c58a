"""A thread as it reads, for a terminal."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from folkmoot.sim.commands.plain import line, plain, shown, utc
from folkmoot.sim.commands.story import Key, heading, thread_key
from folkmoot.sim.events import TextEvent
from folkmoot.sim.feed import PostCreated

Real = Iterable[TextEvent] | Callable[[], Iterable[TextEvent]]
"""Recorded utterances of the corpus, or what yields them when they are needed."""

STYLES = {"recorded": "green", "simulated": "cyan", "candidate": "magenta", "injected": "yellow"}
DEEPEST = 8
"""Levels that are still indented further."""
NARROW = 100
"""Below so many columns two threads stand one under the other."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Two things side by side where there is room, one under the other where there isn't."""

    titles: tuple[Text, Text]
    left: RenderableType
    right: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw (rich's protocol)."""
        if options.max_width < NARROW:
            yield Group(Rule(self.titles[0]), self.left, Rule(self.titles[1]), self.right)
            return
        table = Table(box=None, expand=True, padding=(0, 1), show_edge=False)
        for title in self.titles:
            table.add_column(title, ratio=1, overflow="fold")
        table.add_row(self.left, self.right)
        yield table


def as_it_reads(
    comments: Sequence[TextEvent], *, numbers: bool = True, marks: Collection[int] = (), mark: str = ""
) -> RenderableType:
    """Comments one under the other, indented by reply depth.

    Args:
        comments: of one thread, parents before their replies.
        numbers: show each one's seq.
        marks: seqs to mark.
        mark: with these words.
    """
    depths: dict[int, int] = {}
    blocks = []
    for event in comments:
        depth = depths[event.seq] = 0 if event.parent is None else depths.get(event.parent, 0) + 1
        blocks.append(_comment(event, depth, numbers=numbers, mark=mark if event.seq in marks else ""))
    return Group(*blocks) if blocks else Text("(nothing)", style="dim")


def _comment(event: TextEvent, depth: int, *, numbers: bool, mark: str) -> RenderableType:
    head = Text.assemble(
        (line(event.actor) or "(nobody)", "bold"), "  ", utc(event.time), "  ", (event.origin, STYLES[event.origin])
    )
    if numbers:
        head.append(f"  #{event.seq}", "dim")
    if event.target is not None:
        head.append(f"  beside #{event.target}", "magenta")
    if depth > DEEPEST:
        head.append(f"  depth {depth}", "dim")
    if mark:
        head.append(f"  {mark}", "yellow")
    return Padding(Group(head, *_body(event)), (0, 0, 1, 2 * min(depth, DEEPEST)))


def _body(event: TextEvent) -> Iterator[Text]:
    """The text; of a post its content warning before it, and the captions of its images after it."""
    if isinstance(event, PostCreated) and event.warning:
        yield Text(f"content warning: {line(event.warning)}", style="yellow")
    if event.text.strip():
        yield shown(event.text)
    elif isinstance(event, PostCreated) and event.wordless:
        yield Text(f"(passes on #{event.of})", style="dim")
    else:
        yield Text("(empty)", style="dim")
    if isinstance(event, PostCreated):
        yield from (Text(f"[image: {line(caption) or 'no caption'}]", style="dim") for caption in event.captions)


def counterpart(simulated: Sequence[TextEvent], real: Real) -> tuple[Text, list[TextEvent], set[int]]:
    """The real thread that stands beside a simulated one.

    Returns:
        What it is, in words; its utterances; seqs (the corpus's) of those that the simulation began from.
    """
    threads = _by_thread(real() if callable(real) else real)
    own = next((thread_key(event) for event in simulated), ("", ""))
    if own in threads:
        begun = {_content(event) for event in simulated if event.origin == "recorded"}
        found = threads[own]
        return Text("the real thread, as it went on"), found, {e.seq for e in found if _content(e) in begun}
    like = [thread for key, thread in threads.items() if key[0] == own[0]] or list(threads.values())
    if not like:
        return Text("no real thread to compare with"), [], set()
    size = sum(event.origin != "candidate" for event in simulated)
    found = min(like, key=lambda thread: abs(len(thread) - size))
    title = plain(line(heading(found[0])))
    return Text(f"another real thread, of like length ({len(found)}): {title}"), found, set()


def _by_thread(events: Iterable[TextEvent]) -> dict[Key, list[TextEvent]]:
    threads: dict[Key, list[TextEvent]] = {}
    for event in events:
        if isinstance(event, TextEvent):
            threads.setdefault(thread_key(event), []).append(event)
    return threads


def _content(event: TextEvent) -> tuple[str, int, str]:
    return event.actor, event.time, event.text
