"""The Talk pages of one community, as an environment."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from folkmoot.environments.corpora.base import Page
from folkmoot.environments.interventions import OneUser, change, read
from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.environments.talk_page.mentions import Mentions
from folkmoot.environments.talk_page.moves import Moves
from folkmoot.environments.talk_page.rules import TalkPageConfig
from folkmoot.environments.talk_page.state import Comment, State
from folkmoot.environments.talk_page.view import Place, TalkPageView
from folkmoot.sim.discussion import OpenThread, Reply
from folkmoot.sim.errors import RuleError, did_you_mean
from folkmoot.sim.events import ActionRefused, Event, Intervention
from folkmoot.sim.persona import Frozen
from folkmoot.sim.protocols import Action, Alert, Intervene, Record

CHANGEABLE = ("on_conflict", "max_open_threads", "max_length", "max_title")
"""Rules that a `rule` intervention may change; `archive_after_days` stays, since views of all versions read it."""
KNOWN = ("ban", "unban", "rule", "inject")
"""Interventions on a Talk page."""


class NewThread(Frozen):
    """The value of `inject`: a thread that the experimenter opens in a user's name."""

    user: str
    page: str
    title: str
    text: str


class TalkPage:
    """Editors discuss articles (implements `sim.protocols.Environment`).

    Actions: `Reply`, `OpenThread`, `Abstain`, `Refuse`, `Record`, `Intervene`. New threads have ids `t<seq>`, marked if
    taken; recorded threads keep theirs, and their events keep their own time. A recorded event is placed whatever
    the rules say about archives, protection and length, since it did happen; only what can't be placed
    (unknown page, thread or parent) is refused. In teacher-forced mode that is all there is: agents' texts
    stand beside the recorded comments as candidates (the kernel logs them) and are never applied.

    Args:
        community: name of the community, e.g. "demo-en".
        language: ISO 639-1 code of what is written here.
        pages: by title.
        watchlists: agent -> titles; an agent without one sees all pages and is alerted of no new thread.
        rules: what the pages allow.
        agents: names that a mention may mean; watchers, and everyone who has written, are known anyway.
        articles: thread -> its page's article as it was before the thread began, where that is known.

    Raises:
        RuleError: a watchlist names a page that isn't there.
    """

    def __init__(
        self,
        community: str,
        language: str,
        pages: Mapping[str, Page],
        watchlists: Mapping[str, tuple[str, ...]] | None = None,
        rules: TalkPageConfig | None = None,
        agents: Collection[str] = (),
        *,
        articles: Mapping[str, str] | None = None,
    ) -> None:
        self.community = community
        self.language = language
        self.rules = rules or TalkPageConfig()
        self._protected = frozenset(title for title, page in pages.items() if page.protected)
        self._articles = {title: page.article for title, page in pages.items()}
        self._watchlists = {agent: tuple(titles) for agent, titles in (watchlists or {}).items() if titles}
        self._watchers = self._watched()
        self._moves = self._moves_by(self.rules)
        self._names = tuple(dict.fromkeys((*agents, *self._watchlists)))
        self._mentions = Mentions(self._names)
        self._facts = Place(self._articles, articles or {}, language, self.rules.archive_after)
        self._state = State(self._protected)

    def _moves_by(self, rules: TalkPageConfig) -> Moves:
        return Moves(self.community, self.language, self._articles.keys(), self._protected, rules)

    def _watched(self) -> dict[str, list[Alert]]:
        watchers: dict[str, list[Alert]] = {}
        for agent, titles in self._watchlists.items():
            for title in dict.fromkeys(titles):
                if title not in self._articles:
                    raise RuleError(f"{agent} watches {title!r}, no such page; {did_you_mean(title, self._articles)}")
                watchers.setdefault(title, []).append(Alert(agent, "watch"))
        return watchers

    @property
    def conflicts(self) -> tuple[int, ...]:
        """Seqs of the comments that were re-based: their thread had changed after their author's view."""
        return tuple(self._state.conflicts)

    def view(self, agent: str, now: int) -> TalkPageView:
        """What the agent sees at this version: a pure read, O(1)."""
        pages = self._watchlists.get(agent)
        return TalkPageView(self._state, agent, now, pages, self._facts)

    def alerts(self, event: Event) -> Sequence[Alert]:
        """Author answered, users mentioned, watchers of the page for a new thread; each once, never the actor."""
        if not isinstance(event, ThreadOpened | CommentPosted) or event.origin == "candidate":
            return ()
        alerts = [Alert(name, trigger) for name, trigger in self._state.called(event).items()]
        if isinstance(event, ThreadOpened):
            told = {event.actor, *(alert.agent for alert in alerts)}
            alerts += [alert for alert in self._watchers.get(event.page, ()) if alert.agent not in told]
        return alerts

    def apply(self, action: Action, now: int, seq: int) -> tuple[Event, ...]:
        """Turn an action into its event (`sim.protocols.Environment.apply`); an injected thread gives two.

        Raises:
            RuleError: the action isn't one that a Talk page applies, or `seq` is an earlier comment's.
        """
        self._moves.check(action)
        if seq in self._state.at:
            raise RuleError(f"seq {seq} is an earlier comment's; number on from {max(self._state.at) + 1}")
        self._state.begin(now, self._facts.archive_after)
        if isinstance(action, Intervene):
            return self._intervene(action, now, seq)
        event = self._moves.event(action, self._state, self._mentions, now, seq)
        if isinstance(event, ThreadOpened | CommentPosted):
            self._place(action, event)
        return (event,)

    def _intervene(self, action: Intervene, now: int, seq: int) -> tuple[Event, ...]:
        """The intervention and what it does right away, or its refusal."""
        common: dict[str, Any] = {"seq": seq, "time": now, "actor": action.agent, "community": self.community}
        common["causes"] = action.causes
        try:
            more = self._changed(action, now, seq)
        except RuleError as error:
            return (ActionRefused(**common, origin="injected", action=action.name, reason=str(error)),)
        return (Intervention(**common, origin="injected", name=action.name, value=action.value), *more)

    def _changed(self, action: Intervene, now: int, seq: int) -> tuple[Event, ...]:
        match action.name:
            case "ban":
                self._state.banned[self._agent(action)] = None
            case "unban":
                self._state.banned.pop(self._agent(action), None)
            case "rule":
                self.rules = change(action, self.rules, CHANGEABLE)
                self._moves = self._moves_by(self.rules)
            case "inject":
                return (self._inject(read(action, NewThread), now, seq),)
            case _:
                raise RuleError(f"{action.name!r} isn't known on a Talk page; {did_you_mean(action.name, KNOWN)}")
        return ()

    def _agent(self, action: Intervene) -> str:
        user = read(action, OneUser).user
        if user not in self._names:
            raise RuleError(f"{action.name}: {user!r} isn't one of the agents; {did_you_mean(user, self._names)}")
        return user

    def _inject(self, value: NewThread, now: int, seq: int) -> ThreadOpened:
        opening = OpenThread(agent=value.user, based_on=0, page=value.page, title=value.title, text=value.text)
        title = " ".join(value.title.split())
        if reason := self._moves.refuse_opening(opening, title):
            raise RuleError(f"inject: {reason} ({value.page!r}); pages: {', '.join(list(self._articles)[:5])}")
        common: dict[str, Any] = {
            "seq": seq + 1,
            "time": now,
            "actor": value.user,
            "community": self.community,
            "causes": (seq,),
        }
        thread = self._moves.opened(opening, title, self._state, self._mentions, {**common, "origin": "injected"})
        self._place(opening, thread)
        return thread

    def _place(self, action: Action, comment: Comment) -> None:
        if isinstance(action, Record):
            self._state.recorded[action.event.seq] = comment.seq
        elif isinstance(action, Reply) and self._moves.conflicts(action, self._state):
            self._state.conflicts.append(comment.seq)
        self._state.place(comment)
        self._mentions.add(comment.actor)
        if self.rules.max_open_threads is not None:
            self._state.keep_open(self.rules.max_open_threads)

    def state(self) -> Any:
        """A JSON-able copy of the state."""
        return {**self._state.dump(), "rules": self.rules.model_dump(mode="json")}

    def restore(self, state: Any) -> None:
        """Take a state back; views made before keep reading what they read."""
        self._state = State.load(state, self._protected)
        self.rules = TalkPageConfig.model_validate(state["rules"])
        self._moves = self._moves_by(self.rules)
        self._mentions = Mentions(self._names)
        for comment in self._state.comments:
            self._mentions.add(comment.actor)
