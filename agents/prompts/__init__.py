"""Prompt texts, one file each, with named slots such as @author@.

A template is cut at its slots once. What fills a slot is never looked at again, so no data can open another slot.
"""

import re
from functools import cache
from hashlib import blake2b
from pathlib import Path

_FOLDER = Path(__file__).parent
_SLOT = re.compile(r"@([a-z_]+)@")


class Template:
    """A text with named slots.

    >>> Template("Dear @name@,").render(name="@name@")
    'Dear @name@,'
    """

    def __init__(self, text: str) -> None:
        pieces = _SLOT.split(text.removesuffix("\n"))
        self._literals = pieces[::2]
        self.slots = tuple(pieces[1::2])

    def render(self, **values: str) -> str:
        """The text with its slots filled.

        Raises:
            KeyError: a slot has no value.
        """
        out = [self._literals[0]]
        for slot, literal in zip(self.slots, self._literals[1:], strict=True):
            out += (values[slot], literal)
        return "".join(out)


@cache
def template(name: str) -> Template:
    """The prompt text `name`.txt; read once (the texts are part of the package)."""
    return Template((_FOLDER / f"{name}.txt").read_text(encoding="utf-8"))


def prompt_hashes() -> dict[str, str]:
    """Prompt name -> 16 hex digits over its text, for the manifest; sorted by name."""
    return file_hashes(_FOLDER)


def file_hashes(folder: Path, pattern: str = "*.txt", prefix: str = "") -> dict[str, str]:
    """Prefix and stem of each such file -> 16 hex digits over its bytes; sorted by name."""
    files = sorted(folder.glob(pattern))
    return {prefix + file.stem: blake2b(file.read_bytes(), digest_size=8).hexdigest() for file in files}
