"""The question: what a post says, as one JSON object."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from folkmoot.environments.corpora.modelpass import Prompts
from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import quote

PROMPTS = Prompts(Path(__file__).parent, "translation")


def translation_messages(said: Mapping[str, Any], language: str) -> list[Message]:
    """The messages about a post; what is quoted can't leave its place.

    Args:
        said: key -> text or list of texts.
        language: the name of the language to translate into.
    """
    shown = quote(json.dumps(said, ensure_ascii=False))
    return [Message("system", PROMPTS.system), Message("user", f"{shown}\n\n{PROMPTS.task.format(language=language)}")]
