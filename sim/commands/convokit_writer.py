"""A folder in ConvoKit's format: what `convokit.Corpus(filename=...)` reads.

Facts of the format (ConvoKit's documentation, "Data Format", and what its `Corpus.dump` writes): `utterances.jsonl` has
one object a line with id, speaker, conversation_id, reply-to (null at a conversation's root), timestamp (whole
seconds), text, meta, vectors; `speakers.json` and `conversations.json` map ids to {meta, vectors}; a conversation's id
is its first utterance's; `corpus.json` is the corpus's own metadata; `index.json` lists the Python types of all
metadata by level, with a version and the names of vectors. The files are opened in the platform's encoding,
so they are written in ASCII.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

FILES = ("utterances.jsonl", "speakers.json", "conversations.json", "corpus.json", "index.json")
NOBODY = "(unknown)"
"""Speaker of a text without an author; an id can't be empty."""

Object = dict[str, Any]


def _empty_index() -> dict[str, dict[str, list[str]]]:
    return {f"{level}-index": {} for level in ("utterances", "speakers", "conversations", "overall")}


@dataclass(slots=True)
class Writer:
    """Writes utterances as they come; speakers and conversations are in memory until `finish`.

    Attributes:
        folder: where the files go.
        file: utterances.jsonl, open for writing ASCII.
        speakers: id -> its metadata; change it as you like until `finish`.
        conversations: id -> its metadata.
        utterances: how many were written.
    """

    folder: Path
    file: IO[str]
    speakers: dict[str, Object] = field(default_factory=dict)
    conversations: dict[str, Object] = field(default_factory=dict)
    utterances: int = 0
    _index: dict[str, dict[str, list[str]]] = field(default_factory=_empty_index)

    def utterance(  # noqa: PLR0917 -- the format's own fields
        self, name: str, conversation: str, speaker: str, reply_to: str | None, time: int, text: str, meta: Object
    ) -> None:
        """One line of utterances.jsonl.

        Args:
            name: the utterance's id.
            conversation: id of the conversation's first utterance.
            speaker: id of who said it; make its entry in `speakers` before.
            reply_to: id of what it answers; None for the conversation's first one only.
            time: ms since the epoch, UTC.
            text: as it is.
            meta: plain values, lists and maps.
        """
        line: Object = {"id": name, "conversation_id": conversation, "text": text, "speaker": speaker}
        line |= {
            "meta": self._noted("utterances", meta),
            "reply-to": reply_to,
            "timestamp": time // 1000,
            "vectors": [],
        }
        self.file.write(json.dumps(line) + "\n")
        self.utterances += 1

    def finish(self, about: Object) -> None:
        """Write the other files; `about` is the corpus's own metadata."""
        files: tuple[Any, ...] = (
            self._entries("speakers", self.speakers),
            self._entries("conversations", self.conversations),
            self._noted("overall", about),
            {**self._index, "version": 1, "vectors": []},
        )
        for name, value in zip(FILES[1:], files, strict=True):
            (self.folder / name).write_text(json.dumps(value), encoding="ascii")

    @property
    def counts(self) -> dict[str, int]:
        """Things written."""
        things = {"utterances": self.utterances, "speakers": len(self.speakers)}
        return things | {"conversations": len(self.conversations)}

    def _entries(self, level: str, found: Mapping[str, Object]) -> Object:
        return {name: {"meta": self._noted(level, meta), "vectors": []} for name, meta in found.items()}

    def _noted(self, level: str, meta: Object) -> Object:
        """Enter the types of these values into the index, as ConvoKit names them."""
        index = self._index[f"{level}-index"]
        for name, value in meta.items():
            kinds = index.setdefault(name, [])
            if str(type(value)) not in kinds:
                kinds.append(str(type(value)))
        return meta
