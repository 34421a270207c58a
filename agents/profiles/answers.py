"""A model's answer as one JSON object, or a word about why it isn't one."""

import json
from typing import Any

from folkmoot.sim.asking import UnusableAnswer

NOT_JSON = "no JSON object"
CUT = "cut off before its end"

MAX_DEPTH = 40
"""Of nesting; deeper answers are noise."""


def json_object(text: str, *, finished: bool = True) -> dict[str, Any]:
    r"""The first JSON object in an answer; what stands around it (fences, talk) is passed over.

    >>> json_object('Sure:\n```json\n{"a": 1}\n```')
    {'a': 1}

    Raises:
        UnusableAnswer: there is none, or it ends before its end.
    """
    if _depth(text) > MAX_DEPTH:
        raise UnusableAnswer(NOT_JSON, f"it is nested deeper than {MAX_DEPTH}")
    start = text.find("{")
    fault = "it holds no {"
    decoder = json.JSONDecoder()
    tries = 0
    while start >= 0 and tries < MAX_DEPTH:
        try:
            found, _ = decoder.raw_decode(text, start)
        except ValueError as error:
            fault = str(error)
            start, tries = text.find("{", start + 1), tries + 1
            continue
        if isinstance(found, dict):
            return found
    raise UnusableAnswer(NOT_JSON if finished else CUT, f"it is not a JSON object ({fault})")


def _depth(text: str) -> int:
    depth = deepest = 0
    for char in text:
        if char in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "}]":
            depth = max(0, depth - 1)
    return deepest
