"""What a store says of itself: where it comes from, what was done, what is in it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from folkmoot.sim.errors import CorpusError

SCHEMA = "folkmoot.corpus/1"
"""Name and version of the tables and of this record."""


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """What became of some things: `given` = `kept` + all that was dropped, by reason."""

    given: int = 0
    kept: int = 0
    dropped: dict[str, int] = {}

    def __add__(self, other: "Tally") -> "Tally":
        dropped = Counter(self.dropped)
        dropped.update(other.dropped)
        return Tally(given=self.given + other.given, kept=self.kept + other.kept, dropped=dict(sorted(dropped.items())))

    @property
    def adds_up(self) -> bool:
        """Whether nothing is missing."""
        return self.given == self.kept + sum(self.dropped.values())


def tally(kept: int, dropped: Mapping[str, int]) -> Tally:
    """The tally of so many kept and dropped things; reasons of zero are left out."""
    reasons = {reason: count for reason, count in sorted(dropped.items()) if count}
    return Tally(given=kept + sum(reasons.values()), kept=kept, dropped=reasons)


def add_tallies(tallies: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    """Thing -> the sum of its tallies."""
    total: dict[str, Tally] = {}
    for each in tallies:
        for thing, value in each.items():
            total[thing] = total.get(thing, Tally()) + value
    return total


class StageRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the build that is done.

    Attributes:
        counts: thing (pages, threads, comments, users) -> what became of them here.
        notes: what was kept with doubt, counted by reason.
        facts: figures of the stage's own.
    """

    name: str
    settings: dict[str, Any] = {}
    counts: dict[str, Tally] = {}
    notes: dict[str, int] = {}
    facts: dict[str, Any] = {}


class TableRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A table: rows, files, and the hash of its rows in order."""

    rows: int
    parts: int
    digest: str


class SourceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Where the corpus comes from: a name without its folders, bytes, their SHA-256 ("" where there are none)."""

    kind: str
    name: str
    size: int = 0
    sha256: str = ""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The record in manifest.json.

    Attributes:
        salt_check: tells whether a salt is the one that the pseudonyms were made with.
        settings: those that change the content of the pages' tables.
        asked: what each later stage was asked for.
        digest: over all tables; "" while the build isn't complete.
    """

    schema: str
    name: str
    language: str
    timezone: str
    folkmoot: str
    source: SourceRecord
    salt_check: str
    settings: dict[str, Any] = {}
    asked: dict[str, Any] = {}
    state: Literal["building", "complete"] = "building"
    stages: tuple[StageRecord, ...] = ()
    tables: dict[str, TableRecord] = {}
    digest: str = ""

    def stage(self, name: str) -> StageRecord | None:
        """The record of a stage; None if it isn't done."""
        return next((stage for stage in self.stages if stage.name == name), None)

    def encode(self) -> bytes:
        """As written: indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


def decode_manifest(raw: bytes, where: str) -> Manifest:
    """The manifest of these bytes.

    Raises:
        CorpusError: damaged, or of another schema.
    """
    try:
        schema = msgspec.json.decode(raw, type=dict[str, Any]).get("schema")
        if schema != SCHEMA:
            raise CorpusError(
                f"{where} has schema {schema!r}, this Folkmoot reads {SCHEMA!r}; build it again in another folder"
            )
        return msgspec.json.decode(raw, type=Manifest)
    except msgspec.MsgspecError as error:
        raise CorpusError(f"{where} is damaged ({error}); build the corpus again in another folder") from error
