"""What an agent has decided to do, before a word is written."""

from typing import Literal, NamedTuple


class Plan(NamedTuple):
    """Answer a comment, open a thread, or say nothing.

    Attributes:
        kind: what.
        page: where; "" for abstain.
        thread: id of the thread to answer in, "" otherwise.
        parent: seq of the comment to answer, -1 otherwise.
        reason: why nothing is said, "" otherwise.
    """

    kind: Literal["reply", "open", "abstain"]
    page: str = ""
    thread: str = ""
    parent: int = -1
    reason: str = ""
