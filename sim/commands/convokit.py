"""A run as a ConvoKit corpus folder: what `convokit.Corpus(filename=...)` reads.

Facts of the format (ConvoKit's documentation, "Data Format", and what its `Corpus.dump` writes): `utterances.jsonl` has
one object a line with id, speaker, conversation_id, reply-to (null at a conversation's root), timestamp (whole
seconds), text, meta, vectors; `speakers.json` and `conversations.json` map ids to {meta, vectors}; a conversation's id
is its first utterance's; `corpus.json` is the corpus's own metadata; `index.json` lists the Python types of all
metadata by level, with a version and the names of vectors. The files are opened in the platform's encoding,
so they are written in ASCII.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from folkmoot.sim.commands.export import Export, batches
from folkmoot.sim.commands.folders import fresh_folder
from folkmoot.sim.commands.labels import read_labels
from folkmoot.sim.commands.story import Key, thread_key
from folkmoot.sim.errors import LogError
from folkmoot.sim.events import SCHEMA, TextEvent
from folkmoot.sim.runs import Run

FILES = ("utterances.jsonl", "speakers.json", "conversations.json", "corpus.json", "index.json")
NOBODY = "(unknown)"
"""Speaker of a text without an author; an id can't be empty."""
ROWS = 2_000

Object = dict[str, Any]
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
    writer = _Writer(several=len({event.community for event in run.events()}) > 1)
    with fresh_folder(out, FILES, force=force) as folder:
        with (folder / FILES[0]).open("w", encoding="ascii") as file:
            for events in batches(_texts(run, writer), ROWS):
                for event, found in zip(events, labels.of([event.seq for event in events]), strict=True):
                    file.write(json.dumps(writer.utterance(event, found)) + "\n")
        writer.corpus = _index_meta(writer.index["overall-index"], _about(run))
        for name, value in writer.others().items():
            (folder / name).write_text(json.dumps(value), encoding="ascii")
    return Export(out, dict(writer.counts), [*labels.notices, *writer.notices()])


def _texts(run: Run, writer: "_Writer") -> Iterator[TextEvent]:
    for event in run.events():
        if isinstance(event, TextEvent):
            yield event
        else:
            writer.other += 1


@dataclass(slots=True)
class _Writer:
    """Collects speakers, conversations and the index while utterances pass."""

    several: bool
    speakers: dict[str, Object] = field(default_factory=dict)
    conversations: dict[str, Object] = field(default_factory=dict)
    corpus: Object = field(default_factory=dict)
    roots: dict[Key, str] = field(default_factory=dict)
    index: dict[str, dict[str, list[str]]] = field(
        default_factory=lambda: {
            f"{level}-index": {} for level in ("utterances", "speakers", "conversations", "overall")
        }
    )
    utterances: int = 0
    other: int = 0
    rootless: int = 0

    @property
    def counts(self) -> Mapping[str, int]:
        """Things written."""
        things = {"utterances": self.utterances, "speakers": len(self.speakers)}
        return things | {"conversations": len(self.conversations)}

    def notices(self) -> Iterator[str]:
        """What was left out or mended."""
        if self.other:
            yield f"{self.other} events that aren't utterances were left out: ConvoKit has no place for them"
        if self.rootless:
            yield f"{self.rootless} comments without a parent were made replies to their conversation's first one"

    def utterance(self, event: TextEvent, labels: Object) -> Object:
        """One line of utterances.jsonl."""
        self.utterances += 1
        name = str(event.seq)
        root = self.roots.setdefault(thread_key(event), name)
        if root == name:
            self.conversations[root] = self._entry("conversations", _conversation(event))
        meta = _index_meta(self.index["utterances-index"], _meta(event) | labels)
        return {
            "id": name,
            "conversation_id": root,
            "text": event.text,
            "speaker": self._speaker(event),
            "meta": meta,
            "reply-to": self._parent(event, root),
            "timestamp": event.time // 1000,
            "vectors": [],
        }

    def _parent(self, event: TextEvent, root: str) -> str | None:
        if root == str(event.seq):
            return None
        self.rootless += event.parent is None
        return root if event.parent is None else str(event.parent)

    def _speaker(self, event: TextEvent) -> str:
        name = event.actor or NOBODY
        if self.several:
            name = f"{event.community}:{name}"
        if name not in self.speakers:
            counts = {"recorded": 0, "simulated": 0, "candidate": 0}
            self.speakers[name] = self._entry("speakers", {"community": event.community} | counts)
        self.speakers[name]["meta"][event.origin] += 1
        return name

    def _entry(self, level: str, meta: Object) -> Object:
        return {"meta": _index_meta(self.index[f"{level}-index"], meta), "vectors": []}

    def others(self) -> dict[str, Any]:
        """The files beside utterances.jsonl."""
        index = {**self.index, "version": 1, "vectors": []}
        return dict(zip(FILES[1:], (self.speakers, self.conversations, self.corpus, index), strict=True))


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


def _index_meta(index: dict[str, list[str]], meta: Object) -> Object:
    """Enter the types of these values into the index, as ConvoKit names them."""
    for name, value in meta.items():
        kinds = index.setdefault(name, [])
        if str(type(value)) not in kinds:
            kinds.append(str(type(value)))
    return meta
