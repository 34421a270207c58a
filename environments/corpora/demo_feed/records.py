"""The files of the demo feed, line by line; README.md beside the data describes them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from folkmoot.sim.errors import CorpusError, did_you_mean
from folkmoot.sim.feed import Form
from folkmoot.sim.persona import Domain

FOLDER = Path(__file__).parent

_Line = TypeVar("_Line", bound=msgspec.Struct)


class SignalLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An observable interest in a post: a tag of its author's, where it shows, and how surely, 0 to 1."""

    tag: str
    modality: Literal["text", "image", "both"]
    confidence: float


class PostLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of posts.jsonl; `of` is the post answered or passed on, `near` the first of its near-duplicates."""

    id: str
    user: str
    time: str
    text: str
    form: Form = "post"
    of: str = ""
    warning: str = ""
    captions: tuple[str, ...] = ()
    near: str = ""
    signals: tuple[SignalLine, ...] = ()


class LikeLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of likes.jsonl."""

    user: str
    post: str
    time: str


class UserRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of users.json: `follows` gives user -> since when, `tags` tag -> domain, the rest gold."""

    name: str
    about: str
    place: str
    age: Literal["18-30", "31-40", "41-60", "over 60"]
    job: str
    follows: dict[str, str]
    tags: dict[str, Domain]
    stable: dict[Domain, tuple[str, ...]]
    recent: dict[Domain, tuple[str, ...]]


class Files(msgspec.Struct, frozen=True):
    """A language's demo feed: users, posts oldest first, likes oldest first."""

    users: tuple[UserRecord, ...]
    posts: tuple[PostLine, ...]
    likes: tuple[LikeLine, ...]


def demo_feed_languages(folder: Path = FOLDER) -> tuple[str, ...]:
    """Languages that the demo feed has."""
    return tuple(sorted(path.parent.name for path in folder.glob("*/posts.jsonl")))


def known_language(lang: str, folder: Path = FOLDER) -> str:
    """The language, which has a demo feed.

    Raises:
        CorpusError: it has none.
    """
    if lang not in demo_feed_languages(folder):
        raise CorpusError(f"no demo feed in {lang!r}; {did_you_mean(lang, demo_feed_languages(folder))}")
    return lang


def read_files(lang: str, folder: Path = FOLDER) -> Files:
    """The files of a language.

    Raises:
        CorpusError: the language has no demo feed, or a file is damaged.
    """
    home = folder / known_language(lang, folder)
    try:
        users = msgspec.json.decode((home / "users.json").read_bytes(), type=tuple[UserRecord, ...])
        return Files(users, _lines(home / "posts.jsonl", PostLine), _lines(home / "likes.jsonl", LikeLine))
    except (OSError, msgspec.MsgspecError) as error:
        raise CorpusError(f"demo feed {lang}: a file can't be read: {error}; restore it") from error


def _lines(path: Path, kind: type[_Line]) -> tuple[_Line, ...]:
    found: Sequence[_Line] = msgspec.json.Decoder(kind).decode_lines(path.read_bytes())
    return tuple(found)


def instant(time: str) -> int:
    """YYYY-MM-DDTHH:MMZ as milliseconds since the epoch, UTC.

    >>> instant("1970-01-02T00:01Z")
    86460000
    """
    moment = datetime.strptime(time, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
    return int(moment.timestamp()) * 1000
