"""What a check finds: of which kind, where, and what can be done about it."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from folkmoot.sim.errors import CorpusError

PRIVACY, NAMES, BROKEN, LEAKS = "privacy", "names", "references", "leakage"
KINDS = (PRIVACY, NAMES, BROKEN, LEAKS)

WAYS_OUT = {
    PRIVACY: "read the persona anew with another model, or put the text on the list of --allow if it is harmless",
    NAMES: "report the form as a fault of the pseudonyms; --allow takes it if it is no user",
    BROKEN: "build the corpus again: its tables don't belong together",
    LEAKS: "split by time; read traits with personas.until=MS, the instant of the split",
}
"""Kind -> what can be done about it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong.

    Attributes:
        kind: of `KINDS`.
        what: in words.
        place: where it stands: table and id.
        text: the characters themselves, for those who may see them.
        grave: false for what is allowed and should be known.
    """

    kind: str
    what: str
    place: str
    text: str = ""
    grave: bool = True


def read_lines(path: Path | None, what: str) -> frozenset[str]:
    """The lines of a text file (names, harmless texts), without empty ones.

    Raises:
        CorpusError: the file can't be read.
    """
    if path is None:
        return frozenset()
    try:
        return frozenset(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{what} {path}: {error}; name a text file in UTF-8, one a line") from error


def harmful(finding: Finding, allowed: Collection[str]) -> bool:
    """Whether nobody has looked at the text and found it harmless; `allowed` is in lower case."""
    return not finding.text or finding.text.casefold() not in allowed
