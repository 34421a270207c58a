"""What clients of models elsewhere share: keys, statuses worth another try, a guess at token counts."""

import os
from collections.abc import Sequence

from folkmoot.sim.errors import ModelError, ModelMissing, RequestRefused
from folkmoot.sim.protocols import Message

CHARS_PER_TOKEN = 3
"""A low guess, so that `estimated_tokens` is an upper estimate where the tokenizer isn't here."""
FRAME_TOKENS = 8
"""More than a chat template adds to a message."""

_TRANSIENT = frozenset({408, 409, 425, 429})
_SERVER_ERRORS = 500
_REFUSALS = frozenset({400, 413, 415, 422})


def estimated_tokens(messages: Sequence[Message]) -> int:
    """An upper estimate: a third of the characters, and eight for each message's frame.

    >>> estimated_tokens([Message("user", "Thirty characters, all counted")])
    18
    """
    return sum(len(message.content) // CHARS_PER_TOKEN + FRAME_TOKENS for message in messages)


def transient(status: int) -> bool:
    """Whether another try may mend an answer of this HTTP status.

    >>> transient(429), transient(503), transient(401)
    (True, True, False)
    """
    return status in _TRANSIENT or status >= _SERVER_ERRORS


def final(status: int, text: str) -> ModelError:
    """The error of a status that no further try mends: about this one request, or about all.

    >>> type(final(413, "too large")).__name__, type(final(401, "no key")).__name__
    ('RequestRefused', 'ModelError')
    """
    return RequestRefused(text) if status in _REFUSALS else ModelError(text)


def key_from(variable: str) -> str:
    """The key in this environment variable; "" where none is named.

    Raises:
        ModelMissing: it isn't set.
    """
    if not variable:
        return ""
    if not (key := os.environ.get(variable, "")):
        raise ModelMissing(f"llm.api_key_env={variable!r}: no such environment variable; set it to your key")
    return key
