"""Reading JSON-lines files of a run's folder: whole lines only, one at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from folkmoot.sim.errors import LogError

Record = TypeVar("Record")


def records(path: Path, kind: type[Record], what: str, way_out: str = "") -> Iterator[Record]:
    """The records of a file, in order; none where it isn't there.

    A last line without its end may still be in the writing and is passed over.

    Args:
        path: the file.
        kind: of each line.
        what: a line is, in words with their article.
        way_out: what helps where a line is something else.

    Raises:
        LogError: a whole line isn't such a record.
    """
    if not path.exists():
        return
    decode = msgspec.json.Decoder(kind).decode
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise LogError(f"{path}: line {number} isn't {what} ({error}){way_out and f'; {way_out}'}") from error
