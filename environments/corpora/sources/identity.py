"""What tells one input from another."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from folkmoot.sim.errors import CorpusError


def identity_of(files: Sequence[Path]) -> tuple[int, str]:
    """Bytes, and the SHA-256 of the file (of several: of their hashes, in order).

    Raises:
        CorpusError: a file can't be read.
    """
    hashes = [_sha256(path) for path in files]
    whole = hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
    return sum(path.stat().st_size for path in files), whole


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}; check the path and its permissions") from error
