"""What a Talk page allows: its configuration, and the rules that refuse a text before it is placed."""

from typing import Literal

from pydantic import Field

from folkmoot.sim.persona import Frozen

DAY = 86_400_000
"""Milliseconds."""

UNKNOWN_PAGE = "unknown page"
UNKNOWN_THREAD = "unknown thread"
UNKNOWN_PARENT = "unknown parent"
UNSEEN_PARENT = "parent is not in the view that the action is based on"
OTHER_PAGE = "thread is on another page"
ARCHIVED = "archived thread"
PROTECTED = "protected page"
EMPTY_TEXT = "empty text"
EMPTY_TITLE = "empty title"
CONFLICT = "edit conflict"
BANNED = "banned user"
TAKEN_THREAD = "thread id is taken"
TAKEN_EVENT = "recorded event is already here"


class TalkPageConfig(Frozen):
    """Rules of a community's Talk pages.

    Attributes:
        on_conflict: what happens to a reply whose thread changed after its author's view:
            `rebase` places it all the same (its parent still stands), `refuse` refuses it.
        archive_after_days: a thread without a new comment for so long is archived; None: never.
        max_open_threads: the longest idle threads beyond this number are archived; None: no bound.
        max_length: characters in a comment.
        max_title: characters in a heading.
        teacher_forced: only recorded comments are placed; agents' texts are candidates beside them, never applied.
    """

    kind: Literal["talk_page"] = "talk_page"
    on_conflict: Literal["rebase", "refuse"] = "rebase"
    archive_after_days: float | None = Field(default=30.0, gt=0)
    max_open_threads: int | None = Field(default=None, ge=1)
    max_length: int = Field(default=10_000, ge=1)
    max_title: int = Field(default=255, ge=1)
    teacher_forced: bool = False

    @property
    def archive_after(self) -> float:
        """Idle time before archiving, milliseconds; infinite where threads are never archived."""
        return float("inf") if self.archive_after_days is None else self.archive_after_days * DAY


def refuse_text(text: str, rules: TalkPageConfig) -> str | None:
    """Why this text may not be posted; None where it may."""
    if not text or text.isspace():
        return EMPTY_TEXT
    if len(text) > rules.max_length:
        return f"text over {rules.max_length} characters"
    return None


def refuse_title(title: str, rules: TalkPageConfig) -> str | None:
    """Why this heading may not be used; None where it may."""
    if not title:
        return EMPTY_TITLE
    if len(title) > rules.max_title:
        return f"title over {rules.max_title} characters"
    return None
