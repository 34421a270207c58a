"""Prompt texts of the model passes, one file each; slots as in `agents.prompts`."""

from functools import cache
from pathlib import Path

from folkmoot.agents.prompts import Template, file_hashes

_FOLDER = Path(__file__).parent


@cache
def reading_prompt(name: str) -> Template:
    """The prompt text `name`.txt."""
    return Template((_FOLDER / f"{name}.txt").read_text(encoding="utf-8"))


def reading_hashes() -> dict[str, str]:
    """Prompt name -> 16 hex digits over its text, for the corpus's manifest; sorted by name."""
    return file_hashes(_FOLDER)
