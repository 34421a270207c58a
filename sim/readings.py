"""What a corpus gives a reader of people, and what it gets back: user pages to profiles, comments to traits.

The reader is built in `agents.profiles` around a language model; a build calls it without knowing how it reads.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from folkmoot.sim.persona import Attributes, Trait


@dataclass(frozen=True, slots=True)
class UserPage:
    """A user page with names replaced; `language` is an ISO 639-1 code."""

    user: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class OwnThread:
    """A thread in which the user writes: (is it the user's own, text) of each comment, in order."""

    thread: str
    title: str
    comments: tuple[tuple[bool, str], ...]


@dataclass(frozen=True, slots=True)
class UserTalk:
    """The sampled threads of a user."""

    user: str
    language: str
    threads: tuple[OwnThread, ...]


@dataclass(frozen=True, slots=True)
class ProfileReading:
    """What was read from a user page.

    Attributes:
        user: pseudonym.
        reason: "" where a profile was read; else why not.
        profile: third person, in the page's language; "" where none was read.
        attributes: what the page states.
        repaired: the first answer couldn't be used, the second could.
        notes: what was done to the page or to the answer, in words.
    """

    user: str
    reason: str
    profile: str = ""
    attributes: Attributes = field(default_factory=Attributes)
    repaired: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TraitReading:
    """What was read from a user's comments.

    Attributes:
        user: pseudonym.
        reason: "" where the answer could be read; else why not.
        traits: dimension -> values and reasoning, of those that could be read.
        malformed: dimensions that are missing or hold a value that isn't allowed, after the repair too.
        threads: ids of the threads that were shown.
        repaired: the first answer couldn't be used as it was.
        notes: what was done to the threads, in words.
    """

    user: str
    reason: str
    traits: Mapping[str, Trait] = field(default_factory=dict)
    malformed: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    repaired: bool = False
    notes: tuple[str, ...] = ()


class PersonReader(Protocol):
    """Reads people, one reading each, in the order given; several calls may be in flight."""

    def profiles(self, pages: Iterable[UserPage]) -> Iterator[ProfileReading]:
        """A profile from each page."""

    def traits(self, users: Iterable[UserTalk]) -> Iterator[TraitReading]:
        """Eight traits from each user's comments."""
