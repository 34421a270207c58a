"""What a reader of archives yields, whatever the archive."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from folkmoot.sim.feed import Form
from folkmoot.sim.persona import Interests


@dataclass(frozen=True, slots=True)
class TimelinePost:
    """One public post as its author published it, in plain text.

    Attributes:
        id: in the archive; unique within the timeline, or the timeline's network.
        time: milliseconds since the Unix epoch, UTC.
        text: plain text; markup is stripped, links stay as they are shown.
        language: ISO 639-1 code, "" where the archive doesn't say.
        of: id of the post answered (reply) or passed on (repost, quote), "" otherwise; it may lie outside.
        to: its author, as the archive names them; "" where unknown.
        captions: of images and video covers, one each; "" where an image has none.
        media: their paths in the archive, one each; "" where unknown, empty where all are.
        edited: the archive shows a later version than the first.
    """

    id: str
    time: int
    text: str
    form: Form = "post"
    language: str = ""
    of: str = ""
    to: str = ""
    warning: str = ""
    hashtags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    poll: tuple[str, ...] = ()
    edited: bool = False


class Like(NamedTuple):
    """A user liked a post: its id, its author ("" where unknown), and when (ms since the epoch, UTC)."""

    of: str
    to: str
    time: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """A user's posts, oldest first.

    Attributes:
        user: name in the archive (never leaves the build: a pseudonym takes its place).
        about: the user's own description.
        followers: count; None where unknown. `followees` likewise.
        follows: names of those followed, where the archive lists them.
        likes: of whatever posts, where the archive lists them with a date.
        network: within which the posts' ids are unique, whoever wrote them; "": they are the user's own.
        interests: what the source itself says that they post about; None: nothing.
        losses: what was dropped while reading, counted by reason.
    """

    user: str
    posts: tuple[TimelinePost, ...]
    about: str = ""
    followers: int | None = None
    followees: int | None = None
    follows: tuple[str, ...] = ()
    likes: tuple[Like, ...] = ()
    network: str = ""
    interests: Interests | None = None
    losses: Counter[str] = field(default_factory=Counter)


class TimelineSource(Protocol):
    """An archive of one or more users."""

    def timelines(self) -> Iterator[Timeline]:
        """Each user's timeline; raises CorpusError where the archive is of another kind or broken."""
