"""Comment trees of Reddit, from the API's own JSON or from archives with one post or comment a line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.environments.corpora.sources.base import SourceComment, SourceThread
from folkmoot.environments.corpora.sources.instants import read_instant
from folkmoot.environments.corpora.sources.lines import read_lines, read_whole
from folkmoot.environments.corpora.sources.ordering import TWICE, in_order
from folkmoot.environments.corpora.sources.reddit_text import REMOVED, plain
from folkmoot.environments.corpora.sources.reddit_things import COMMENT, MORE, POST, find_things
from folkmoot.environments.corpora.sources.registry import Request
from folkmoot.environments.corpora.sources.spooled import SpooledThreads
from folkmoot.sim.errors import CorpusError

LARGEST = 256 << 20
"""Bytes of one JSON document; archives have a line a comment and no bound."""

FACTS = (
    "score",
    "controversiality",
    "distinguished",
    "stickied",
    "is_submitter",
    "gilded",
    "upvote_ratio",
    "url",
    "domain",
)
"""What is kept of a comment or post beside its text; `edited` too."""

SUFFIXES = (".json", ".jsonl", ".ndjson", ".zst", ".gz", ".bz2", ".xz")


def open_reddit(request: Request) -> "Reddit":
    """A file, or a folder of files: posts and their comments may lie in different ones.

    Raises:
        CorpusError: nothing there.
    """
    path = Path(request.value)
    files = sorted(p for p in path.iterdir() if p.suffix in SUFFIXES) if path.is_dir() else [path]
    missing = next((file for file in files if not file.is_file()), None)
    if missing is not None or not files:
        raise CorpusError(f"{path}: nothing to read there; name a .json, .jsonl or .zst file, or a folder of them")
    return Reddit(path.name.partition(".")[0], request.language, files)


class Record(msgspec.Struct, array_like=True):
    """A post, a comment, or a stub of comments that weren't sent, as it waits for the rest of its thread."""

    kind: str
    id: str
    author: str
    time: int | None
    parent: str
    text: str
    title: str
    place: str
    facts: dict[str, Any]
    unsent: list[str]


class Reddit(SpooledThreads):
    """Posts with their comments as threads, comments by time (a `ThreadSource`)."""

    def _records(self) -> Iterator[tuple[str, bytes]]:
        for path in self._files:
            for line, document in self._documents(path):
                for kind, data in find_things(document, self._faults, line):
                    record = self._record(kind, data, line)
                    thread = self._thread_of(record, data)
                    if thread and record.id:
                        self._last = thread
                        self._community.add(record.author)
                        yield thread, msgspec.json.encode(record)
                    else:
                        self._faults.add("posts or comments without an id", line)

    _last = ""
    """Thread of the thing before: a stub doesn't say in which it stands."""

    def _thread_of(self, record: Record, data: dict[str, Any]) -> str:
        if record.kind == POST:
            return record.id
        if record.kind == MORE:
            return _short(record.parent) if record.parent.startswith("t3_") else self._last
        return _short(data.get("link_id"))

    def _documents(self, path: Path) -> Iterator[tuple[int, Any]]:
        """JSON documents: a line each, or the whole file where its first line isn't one."""
        for number, line in read_lines(path):
            if line is None:
                self._faults.add("lines longer than 32 MiB", number)
                continue
            try:
                document = msgspec.json.decode(line)
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
                if number == 1 and line[:1] in {b"{", b"["}:
                    yield 1, _whole(path)
                    return
                self._faults.add(f"lines that aren't JSON: {str(error).partition(' (byte')[0]}", number)
                continue
            yield number, document

    def _record(self, kind: str, data: dict[str, Any], line: int) -> Record:
        facts = {name: data[name] for name in FACTS if data.get(name) not in (None, False, "")}
        try:
            time = read_instant(data.get("created_utc", data.get("created")))
        except CorpusError:
            self._faults.add("times that can't be read (kept without)", line)
            time = None
        edited = data.get("edited")
        if edited:
            facts["edited"] = edited
        return Record(
            kind,
            _short(data.get("id") or data.get("name")),
            _text(data.get("author")),
            time,
            _text(data.get("parent_id")),
            _text(data.get("body") if kind == COMMENT else data.get("selftext")),
            plain(_text(data.get("title"))),
            _text(data.get("subreddit")),
            facts,
            [_short(each) for each in children] if isinstance(children := data.get("children"), list) else [],
        )

    def _thread(self, key: str, name: str, records: list[bytes]) -> SourceThread | None:
        found = [msgspec.json.decode(raw, type=Record) for raw in records]
        post = next((each for each in reversed(found) if each.kind == POST), None)
        said = {each.id: each for each in found if each.kind == COMMENT}
        self._count(found, said, post)
        order = sorted(said.values(), key=lambda each: (each.time is None, each.time or 0, each.id))
        things = [post, *order] if post else order
        comments = [self._comment(each, name, known=post is not None) for each in things]
        if not comments:
            return None
        place = next((each.place for each in things if each.place), "")
        title = post.title if post else ""
        named = self._community.named_around(title, comments)
        ordered = in_order(comments, self.losses)
        return SourceThread(key, name, f"r/{place}" if place else self.name, title, ordered, named=named)

    def _count(self, found: list[Record], said: dict[str, Record], post: Record | None) -> None:
        """What the thread lacks."""
        stubs = [each for each in found if each.kind == MORE]
        unsent = {name for stub in stubs for name in stub.unsent} - set(said)
        cut = {_short(stub.parent) for stub in stubs if not stub.unsent} - {
            _short(each.parent) for each in said.values()
        }
        lacks = {
            "comments that weren't sent (stubs of kind more)": len(unsent),
            "comments whose answers weren't sent (kept; the thread goes on elsewhere)": len(cut),
            TWICE: sum(each.kind == COMMENT for each in found) - len(said),
            "threads without their post (kept)": int(post is None and bool(said)),
        }
        self.losses.update({reason: count for reason, count in lacks.items() if count})

    def _comment(self, record: Record, thread: str, *, known: bool) -> SourceComment:
        """A comment, or the post; answers to the post stand by themselves where it isn't known."""
        text = plain(record.text)
        facts = dict(record.facts)
        if text in REMOVED:
            facts["removed"] = REMOVED[text]
            self.losses["texts that were deleted or removed (kept without text)"] += 1
            text = ""
        author = "" if record.author in REMOVED else record.author
        if record.kind == POST:
            return SourceComment(f"t3_{record.id}", author, record.time, None, text, facts)
        parent = _short(record.parent) or None
        if parent == thread:
            parent = f"t3_{thread}" if known else None
        return SourceComment(record.id, author, record.time, parent, text, facts)


def _whole(path: Path) -> Any:
    """A file as one JSON document.

    Raises:
        CorpusError: too large, or not JSON.
    """
    try:
        return msgspec.json.decode(read_whole(path, LARGEST, "give one document a line"))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path.name} is neither JSON nor JSON lines ({error}); get the file again") from error


def _short(name: Any) -> str:
    """An id without its kind (t1_abc, t3_abc); numbers as they are written."""
    text = str(name) if isinstance(name, (str, int)) and not isinstance(name, bool) else ""
    return text[3:] if text[:1] == "t" and text[2:3] == "_" else text


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
