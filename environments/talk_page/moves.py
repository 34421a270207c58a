"""From an action to its event, by the rules: reads the state and never changes it."""

from collections.abc import Collection
from typing import Any

import msgspec

from folkmoot.environments.talk_page import rules as why
from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.environments.talk_page.mentions import Mentions
from folkmoot.environments.talk_page.rules import TalkPageConfig, refuse_text, refuse_title
from folkmoot.environments.talk_page.state import Comment, State, Thread
from folkmoot.sim.discussion import OpenThread, Reply
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import Abstained, ActionRefused, Event
from folkmoot.sim.protocols import Abstain, Action, Intervene, Record, Refuse


class Moves:
    """The rules of one community.

    Args:
        community: its name.
        language: ISO 639-1 code of new comments.
        pages: titles that exist.
        protected: titles that can't be written on.
        rules: what the pages allow.
    """

    def __init__(
        self, community: str, language: str, pages: Collection[str], protected: Collection[str], rules: TalkPageConfig
    ) -> None:
        self._community = community
        self._language = language
        self._pages = pages
        self._protected = protected
        self._rules = rules

    def check(self, action: Action) -> None:
        """Whether the action is one that this Talk page applies.

        Raises:
            RuleError: its kind is another environment's, or it is an agent's text in teacher-forced mode.
        """
        if self._rules.teacher_forced and isinstance(action, Reply | OpenThread):
            raise RuleError(f"teacher-forced: {action!r} can't be applied; log it as a candidate and apply the Record")
        if isinstance(action, Record):
            if not isinstance(action.event, ThreadOpened | CommentPosted):
                raise RuleError(f"a Talk page can't record {action.event!r}; it takes ThreadOpened and CommentPosted")
        elif not isinstance(action, Reply | OpenThread | Abstain | Refuse | Intervene):
            takes = "Reply, OpenThread, Abstain, Refuse, Record, Intervene"
            raise RuleError(f"a Talk page can't apply {action!r}; it takes {takes}")

    def event(self, action: Action, state: State, mentions: Mentions, now: int, seq: int) -> Event:
        """The one event of a checked action."""
        common: dict[str, Any] = {"seq": seq, "time": now, "actor": action.agent, "community": self._community}
        common["causes"] = action.causes
        match action:
            case Reply():
                return self._reply(action, state, mentions, common)
            case OpenThread():
                return self._open(action, state, mentions, common)
            case Record():
                return self._record(action, state, mentions, common)
            case Refuse():
                return _refused(common, action.action, action.reason, action.thread, action.text)
            case Abstain():
                return Abstained(**common, origin="simulated", reason=action.reason)
        raise AssertionError(action)

    def conflicts(self, action: Reply, state: State) -> bool:
        """Whether the thread changed after the view that the reply is based on."""
        return state.stamps[state.threads[action.thread].positions[-1]] > action.based_on

    # --- replies ----------------------------------------------------------------------------------

    def _reply(self, action: Reply, state: State, mentions: Mentions, common: dict[str, Any]) -> Event:
        reason = self._refuse_reply(action, state)
        if reason is not None:
            return _refused(common, "Reply", reason, action.thread, action.text)
        return CommentPosted(
            **common,
            origin="simulated",
            thread=action.thread,
            parent=action.parent,
            text=action.text,
            language=self._language,
            page=action.page,
            mentions=mentions.find(action.text),
        )

    def _refuse_reply(self, action: Reply, state: State) -> str | None:
        if action.agent in state.banned:
            return why.BANNED
        thread = state.threads.get(action.thread)
        if thread is None:
            return why.UNKNOWN_THREAD
        if action.page != thread.page:
            return why.OTHER_PAGE if action.page in self._pages else why.UNKNOWN_PAGE
        position = state.at.get(action.parent)
        if position is None or state.comments[position].thread != action.thread:
            return why.UNKNOWN_PARENT
        if state.stamps[position] > action.based_on:
            return why.UNSEEN_PARENT
        return refuse_text(action.text, self._rules) or self._refuse_place(action, thread, state)

    def _refuse_place(self, action: Reply, thread: Thread, state: State) -> str | None:
        if action.page in self._protected:
            return why.PROTECTED
        if state.is_closed(thread.id, state.version):
            return why.ARCHIVED
        if self._rules.on_conflict == "refuse" and self.conflicts(action, state):
            return why.CONFLICT
        return None

    # --- new threads ------------------------------------------------------------------------------

    def _open(self, action: OpenThread, state: State, mentions: Mentions, common: dict[str, Any]) -> Event:
        title = " ".join(action.title.split())
        reason = why.BANNED if action.agent in state.banned else self.refuse_opening(action, title)
        if reason is not None:
            return _refused(common, "OpenThread", reason, None, action.text)
        return self.opened(action, title, state, mentions, {**common, "origin": "simulated"})

    def opened(
        self, action: OpenThread, title: str, state: State, mentions: Mentions, common: dict[str, Any]
    ) -> ThreadOpened:
        """The event of a thread that may be opened."""
        return ThreadOpened(
            **common,
            thread=_free(f"t{common['seq']}", state),
            text=action.text,
            language=self._language,
            page=action.page,
            title=title,
            mentions=mentions.find(action.text),
        )

    def refuse_opening(self, action: OpenThread, title: str) -> str | None:
        """Why this thread may not be opened; None where it may."""
        if action.page not in self._pages:
            return why.UNKNOWN_PAGE
        if action.page in self._protected:
            return why.PROTECTED
        return refuse_title(title, self._rules) or refuse_text(action.text, self._rules)

    # --- recorded events --------------------------------------------------------------------------

    def _record(self, action: Record, state: State, mentions: Mentions, common: dict[str, Any]) -> Event:
        event = action.event
        assert isinstance(event, ThreadOpened | CommentPosted)
        reason = self._refuse_record(event, state)
        if reason is not None:
            return _refused(common, "Record", reason, event.thread, event.text)
        return msgspec.structs.replace(
            event,
            seq=common["seq"],
            parent=None if event.parent is None else state.recorded[event.parent],
            causes=action.causes,
            mentions=event.mentions or mentions.find(event.text),
        )

    def _refuse_record(self, event: Comment, state: State) -> str | None:
        if event.page not in self._pages:
            return why.UNKNOWN_PAGE
        if event.seq in state.recorded:
            return why.TAKEN_EVENT
        if isinstance(event, ThreadOpened) and event.thread in state.threads:
            return why.TAKEN_THREAD
        if isinstance(event, CommentPosted) and event.thread not in state.threads:
            return why.UNKNOWN_THREAD
        if event.parent is not None and event.parent not in state.recorded:
            return why.UNKNOWN_PARENT
        return None


def _free(thread: str, state: State) -> str:
    """This id, marked where a recorded thread has taken it."""
    while thread in state.threads:
        thread += "'"
    return thread


def _refused(common: dict[str, Any], action: str, reason: str, thread: str | None, text: str | None) -> ActionRefused:
    return ActionRefused(**common, origin="simulated", action=action, reason=reason, thread=thread, text=text)
