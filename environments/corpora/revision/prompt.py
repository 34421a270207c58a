"""The question: the thread as it was split, beside the raw thread."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from folkmoot.environments.corpora.modelpass import Prompts
from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import quote

PROMPTS = Prompts(Path(__file__).parent, "revision")


def revision_messages(thread: ThreadRecord, raw: str) -> list[Message]:
    """The messages about a thread; `raw` is its wikitext. What is quoted can't leave its place."""
    split = json.dumps({"thread": [_comment(c) for c in in_order(thread.comments)]}, ensure_ascii=False)
    blocks = (f"The raw thread:\n{quote(raw)}", f"The thread as it was split:\n{quote(split)}", PROMPTS.task)
    return [Message("system", PROMPTS.system), Message("user", "\n\n".join(blocks))]


def in_order(comments: Sequence[CommentRecord]) -> list[CommentRecord]:
    """Comments as they stand on the page."""
    return (
        sorted(comments, key=lambda c: c.span or c.source or (0, 0)) if all(c.span for c in comments) else [*comments]
    )


def minute(time: int) -> str:
    """A time as the question writes it: UTC, to the minute."""
    return datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%dT%H:%MZ")


def _comment(comment: CommentRecord) -> dict[str, str]:
    return {"user": comment.actor, "time": minute(comment.time), "text": comment.text}
