"""Prompt texts of the judges of profiles and answers, one file each; slots as in `agents.prompts`."""

from functools import cache
from hashlib import blake2b
from pathlib import Path

from folkmoot.agents.prompts import Template

_FOLDER = Path(__file__).parent


@cache
def judge_prompt(name: str) -> Template:
    """The prompt text `name`.txt."""
    return Template((_FOLDER / f"{name}.txt").read_text(encoding="utf-8"))


def judge_hashes() -> dict[str, str]:
    """Prompt name -> 16 hex digits over its text, for the manifest; sorted by name."""
    files = sorted(_FOLDER.glob("*.txt"))
    return {f"judge_{path.stem}": blake2b(path.read_bytes(), digest_size=8).hexdigest() for path in files}
