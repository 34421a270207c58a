"""The question: what a post says, as one JSON object."""

import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import quote

SYSTEM, TASK = "system", "task"
FOLDER = Path(__file__).parent


def _text(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip()


def prompt_hashes() -> dict[str, str]:
    """Prompt name -> 16 hex digits over its text."""
    return {f"translation_{n}": blake2b(_text(n).encode(), digest_size=8).hexdigest() for n in (SYSTEM, TASK)}


def translation_messages(said: Mapping[str, Any], language: str) -> list[Message]:
    """The messages about a post; what is quoted can't leave its place.

    Args:
        said: key -> text or list of texts.
        language: the name of the language to translate into.
    """
    shown = quote(json.dumps(said, ensure_ascii=False))
    return [Message("system", _text(SYSTEM)), Message("user", f"{shown}\n\n{_text(TASK).format(language=language)}")]
