"""The question: the thread as it was split, beside the raw thread."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from folkmoot.environments.corpora.records import CommentRecord, ThreadRecord
from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import quote

SYSTEM, TASK = "system", "task"
FOLDER = Path(__file__).parent


def _text(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip()


def prompt_hashes() -> dict[str, str]:
    """Prompt name -> 16 hex digits over its text."""
    return {f"revision_{n}": blake2b(_text(n).encode(), digest_size=8).hexdigest() for n in (SYSTEM, TASK)}


def revision_messages(thread: ThreadRecord, raw: str) -> list[Message]:
    """The messages about a thread; `raw` is its wikitext. What is quoted can't leave its place."""
    split = json.dumps({"thread": [_comment(c) for c in in_order(thread.comments)]}, ensure_ascii=False)
    blocks = (f"The raw thread:\n{quote(raw)}", f"The thread as it was split:\n{quote(split)}", _text(TASK))
    return [Message("system", _text(SYSTEM)), Message("user", "\n\n".join(blocks))]


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
