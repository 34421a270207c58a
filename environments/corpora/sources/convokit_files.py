"""The files of a ConvoKit folder, read without trust."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.sources.faults import Faults
from folkmoot.environments.corpora.sources.lines import read_lines, read_whole
from folkmoot.sim.errors import CorpusError

UTTERANCES = ("utterances.jsonl", "utterances.json")
LARGEST = 2 << 30
"""Bytes of a file that is read at once; larger ones are refused."""


class Utterance(msgspec.Struct, rename={"reply": "reply-to"}):
    """A line of utterances.jsonl, whichever version wrote it; ids may be numbers."""

    raw_id: str | int | None = msgspec.field(default=None, name="id")
    speaker: Any = None
    user: Any = None
    conversation_id: str | int | None = None
    root: str | int | None = None
    reply: str | int | None = None
    reply_to: str | int | None = None
    timestamp: Any = None
    text: Any = None
    meta: Any = None

    @property
    def id(self) -> str:
        """Of the utterance; empty where it has none."""
        return _name(self.raw_id)

    @property
    def name(self) -> str:
        """The speaker's id, which some corpora wrap in an object; "" where nobody is named."""
        who = self.speaker if self.speaker is not None else self.user
        return _name(who.get("id") if isinstance(who, dict) else who)

    @property
    def parent(self) -> str | None:
        """What it answers."""
        return _name(self.reply if self.reply is not None else self.reply_to) or None

    @property
    def conversation(self) -> str:
        """The conversation's id; an utterance that names none is one by itself, or belongs to what it answers."""
        given = self.conversation_id if self.conversation_id is not None else self.root
        return _name(given) or self.parent or self.id


def _name(value: Any) -> str:
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


class Article(msgspec.Struct):
    """A line of articles.jsonl, which our exports have."""

    id: str
    text: str
    revision: int | None = None
    time: int | None = None


class Articles:
    """Articles by their ids; in memory are the places where they stand.

    Raises:
        CorpusError: a line isn't an article.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, int] = {}
        if path.is_file():
            with path.open("rb") as file:
                while line := file.readline():
                    self._places[self._decoded(line).id] = file.tell() - len(line)

    def get(self, name: str) -> Article | None:
        """The article of this id."""
        if name not in self._places:
            return None
        with self._path.open("rb") as file:
            file.seek(self._places[name])
            return self._decoded(file.readline())

    def _decoded(self, line: bytes) -> Article:
        try:
            return msgspec.json.decode(line, type=Article)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise CorpusError(f"{self._path} is damaged ({error}); export the corpus again") from error


def find_utterances(folder: Path) -> Path:
    """The file of utterances in a folder.

    Raises:
        CorpusError: no such folder or file.
    """
    if not folder.is_dir():
        raise CorpusError(f"{folder} isn't a folder; convokit: takes a folder with utterances.jsonl in it")
    for name in UTTERANCES:
        if (folder / name).is_file():
            return folder / name
    inner = sorted(path.parent for path in folder.glob("*/utterances.jsonl"))
    hint = f"; did you mean {inner[0]}?" if inner else ""
    raise CorpusError(f"{folder} holds no utterances.jsonl, so it isn't a corpus of ConvoKit's{hint}")


def read_utterances(path: Path, faults: Faults) -> Iterator[tuple[bytes, Utterance]]:
    """Each utterance as it stands and as it was read; what can't be read is told with the number of its line.

    Raises:
        CorpusError: the file can't be read at all.
    """
    for number, line in _lines(path):
        if line is None:
            faults.add("utterances longer than 32 MiB", number)
            continue
        try:
            utterance = msgspec.json.decode(line, type=Utterance)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            faults.add(f"utterances that can't be read: {str(error).partition(' (byte')[0]}", number)
            continue
        if utterance.id:
            yield line, utterance
        else:
            faults.add("utterances without an id", number)


def _lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    if path.suffix == ".jsonl":
        yield from read_lines(path)
        return
    listed = _read(path)
    try:
        for number, item in enumerate(msgspec.json.decode(listed, type=list[msgspec.Raw]), 1):
            yield number, bytes(item)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise CorpusError(f"{path} isn't a list of utterances in JSON ({error}); get the corpus again") from error


def read_map(folder: Path, *names: str) -> dict[str, Any]:
    """The first of these files that is there, as a map; empty where none is.

    Raises:
        CorpusError: it isn't a JSON object.
    """
    path = next((folder / name for name in names if (folder / name).is_file()), None)
    if path is None:
        return {}
    try:
        return msgspec.json.decode(_read(path), type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise CorpusError(f"{path} isn't a JSON object ({error}); get the corpus again") from error


def _read(path: Path) -> bytes:
    return read_whole(path, LARGEST, "convert it to utterances.jsonl")
