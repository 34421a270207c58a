"""Cutting what is judged so that a prompt fits an evaluator's window."""

from collections.abc import Callable
from typing import NamedTuple

from folkmoot.sim.errors import ConfigError

SHORTER = 0.9
"""A text that doesn't fit is cut to this share of its characters, again and again."""

LABEL_ROOM = 8
"""Tokens that a label may take behind the prompt."""


class Fitted(NamedTuple):
    """Context and responses that fit, and what was cut last: "", "context" or "response"."""

    context: str
    responses: tuple[str, ...]
    cut: str = ""


def fitted(case: str, context: str, responses: tuple[str, ...], fits: Callable[[str, tuple[str, ...]], bool]) -> Fitted:
    """The oldest of the context goes first, then the ends of the responses.

    Args:
        case: names the item in an error.
        context: what was said before.
        responses: what is judged.
        fits: whether context and responses are within the window.

    Raises:
        ConfigError: what stands around them is over it alone.

    >>> fitted("x", "abcdefghij", ("abc",), lambda context, said: len(context) + len(said[0]) < 9)
    Fitted(context='fghij', responses=('abc',), cut='context')
    """
    found = Fitted(context, responses)
    while not fits(found.context, found.responses):
        found = _shorter(found)
        if found.cut == "":
            raise ConfigError(
                f"{case}: the persona's part of the prompt alone is over the evaluator's window; choose a model with a "
                "larger one"
            )
    return found


def _shorter(found: Fitted) -> Fitted:
    if found.context:
        kept = int(len(found.context) * SHORTER)
        return Fitted(found.context[len(found.context) - kept :], found.responses, "context")
    if max(map(len, found.responses)) > 1:
        return Fitted("", tuple(text[: max(1, int(len(text) * SHORTER))] for text in found.responses), "response")
    return Fitted("", found.responses, "")
