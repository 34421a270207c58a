"""Named, counter-based randomness: every draw is a function of (seed, path).

No generator is shared, so no draw depends on what else was drawn, in which order or on which thread.
"""

from hashlib import blake2b
from struct import Struct

import numpy as np

Path = str | int

_first_8 = Struct("<Q").unpack_from


def digest(seed: int, *path: Path) -> bytes:
    """16 bytes that depend on the seed and on every step of the path, its type included.

    >>> digest(1, "a", "b") == digest(1, "a", "b"), digest(1, "a", "b") == digest(1, "ab")
    (True, False)
    >>> digest(1, "2") == digest(1, 2)
    False
    """
    return blake2b(repr((seed, *path)).encode(), digest_size=16).digest()


def stream(seed: int, *path: Path) -> np.random.Generator:
    """A generator of its own for this path (Philox, keyed by the digest)."""
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest(seed, *path), "little")))


def uniform(seed: int, *path: Path) -> float:
    """One uniform draw in the open interval (0, 1); some eight times lighter than a generator.

    >>> 0 < uniform(7, "agent", 3) < 1
    True
    """
    # `digest` written out, its first 8 bytes read as a number: this is the hottest line of a rule-driven run.
    bits = _first_8(blake2b(repr((seed, *path)).encode(), digest_size=16).digest())[0]
    return float(((bits >> 11) + 0.5) * 2.0**-53)


def integer(seed: int, *path: Path) -> int:
    """A 31-bit integer, for backends that want a seed."""
    return int.from_bytes(digest(seed, *path)[:4], "little") & 0x7FFFFFFF
