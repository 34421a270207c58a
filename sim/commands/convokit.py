"""A run as a ConvoKit corpus folder."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from folkmoot.sim.commands.convokit_writer import FILES, NOBODY, Object, Writer
from folkmoot.sim.commands.export import Export, batches
from folkmoot.sim.commands.folders import fresh_folder
from folkmoot.sim.commands.labels import read_labels
from folkmoot.sim.commands.story import Key, thread_key
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import SCHEMA, TextEvent
from folkmoot.sim.runs import Run

ROWS = 2_000

_META = ("origin", "language", "mentions", "source_id")


def export_convokit(run: Run, out: Path, *, force: bool = False) -> Export:
    """Write a run's utterances as a ConvoKit corpus; other events have no place there and are counted.

    A candidate stands in the conversation as a further reply to what its target answers, with meta `origin`
    "candidate" and `target`. Where a run holds several communities, speakers' ids are "community:name".

    Args:
        run: the run; it may still be going.
        out: folder to make.
        force: replace an earlier export.

    Raises:
        LogError: `out` is there already, the disk refuses, or a file of the run is damaged.
    """
    labels = read_labels(run)
    several = len({event.community for event in run.events()}) > 1
    with (
        fresh_folder(out, FILES, force=force) as folder,
        (folder / FILES[0]).open("w", encoding="ascii") as file,
    ):
        teller = _Teller(Writer(folder, file), several=several)
        for events in batches(_texts(run, teller), ROWS):
            for event, found in zip(events, labels.of([event.seq for event in events]), strict=True):
                teller.tell(event, found)
        teller.writer.finish(_about(run))
    return Export(out, teller.writer.counts, [*labels.notices, *teller.notices()])


def _texts(run: Run, teller: "_Teller") -> Iterator[TextEvent]:
    for event in run.events():
        if isinstance(event, TextEvent):
            yield event
        else:
            teller.other += 1


@dataclass(slots=True)
class _Teller:
    """Turns events into utterances, speakers and conversations."""

    writer: Writer
    several: bool
    roots: dict[Key, str] = field(default_factory=dict)
    other: int = 0
    rootless: int = 0

    def notices(self) -> Iterator[str]:
        """What was left out or mended."""
        if self.other:
            yield f"{self.other} events that aren't utterances were left out: ConvoKit has no place for them"
        if self.rootless:
            yield f"{self.rootless} comments without a parent were made replies to their conversation's first one"

    def tell(self, event: TextEvent, labels: Object) -> None:
        """One event."""
        name = str(event.seq)
        root = self.roots.setdefault(thread_key(event), name)
        if root == name:
            self.writer.conversations[root] = _conversation(event)
        speaker, parent = self._speaker(event), self._parent(event, root)
        self.writer.utterance(name, root, speaker, parent, event.time, event.text, _meta(event) | labels)

    def _parent(self, event: TextEvent, root: str) -> str | None:
        if root == str(event.seq):
            return None
        self.rootless += event.parent is None
        return root if event.parent is None else str(event.parent)

    def _speaker(self, event: TextEvent) -> str:
        name = event.actor or NOBODY
        if self.several:
            name = f"{event.community}:{name}"
        counts = {"recorded": 0, "simulated": 0, "candidate": 0}
        self.writer.speakers.setdefault(name, {"community": event.community} | counts)[event.origin] += 1
        return name


def _meta(event: TextEvent) -> Object:
    found = {name: getattr(event, name, None) for name in _META}
    found |= {"kind": type(event).__name__, "time_ms": event.time, "target": event.target}
    meta = {name: value for name, value in found.items() if value not in (None, ())}
    if "target" in meta:
        meta["target"] = str(meta["target"])
    if "mentions" in meta:
        meta["mentions"] = list(meta["mentions"])
    return meta


def _conversation(event: TextEvent) -> Object:
    meta = {"thread": event.thread, "community": event.community}
    for name in ("title", "page"):
        if getattr(event, name, ""):
            meta[name] = getattr(event, name)
    return meta


def _about(run: Run) -> Object:
    meta = {
        "name": run.path.absolute().name,
        "schema": SCHEMA,
        "log_sha256": run.digest,
        "folkmoot": version("folkmoot"),
    }
    if run.summary_path.exists():
        try:
            meta["state"] = str(run.summary().get("state", "unknown"))
        except LogError:
            meta["state"] = "unknown"
    return meta
