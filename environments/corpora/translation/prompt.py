"""The question: what a post says, as one JSON object."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.modelpass import Prompts
from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import quote

PROMPTS = Prompts(Path(__file__).parent, "translation")


def as_json(said: Mapping[str, Any]) -> str:
    """What a post says, on one line."""
    return json.dumps(said, ensure_ascii=False)


def translation_messages(said: Mapping[str, Any], language: str) -> list[Message]:
    """The messages about a post; what is quoted can't leave its place.

    Args:
        said: key -> text or list of texts.
        language: the name of the language to translate into.
    """
    shown = quote(as_json(said))
    return [Message("system", PROMPTS.system), Message("user", f"{shown}\n\n{PROMPTS.task.format(language=language)}")]
