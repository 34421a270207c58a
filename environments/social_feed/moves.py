"""From an action to its event, by the rules: reads the state and never changes it."""

from typing import Any

import msgspec

from folkmoot.environments.social_feed import rules as why
from folkmoot.environments.social_feed.changes import Regime
from folkmoot.environments.social_feed.journal import Act
from folkmoot.environments.social_feed.marks import hashtags, links, mentions
from folkmoot.environments.social_feed.rules import SocialFeedConfig, refuse_text
from folkmoot.environments.social_feed.state import NONE, State
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import Abstained, ActionRefused, Event
from folkmoot.sim.feed import (
    Follow,
    Followed,
    Like,
    Mute,
    Muted,
    PostCreated,
    Publish,
    Quote,
    Reacted,
    Repost,
    Respond,
    Unfollow,
    Unfollowed,
)
from folkmoot.sim.protocols import Abstain, Action, Intervene, Record, Refuse

TEXTS = Publish | Respond | Quote | Repost
TO_POSTS = Respond | Quote | Repost | Like
TO_USERS = Follow | Unfollow | Mute
RECORDABLE = PostCreated | Reacted | Followed | Unfollowed | Muted


class Moves:
    """The rules of one community.

    Args:
        community: its name.
        language: ISO 639-1 code of new posts.
    """

    def __init__(self, community: str, language: str) -> None:
        self._community = community
        self._language = language

    def check(self, action: Action, rules: SocialFeedConfig) -> None:
        """Whether the action is one that this feed applies.

        Raises:
            RuleError: its kind is another environment's, or it is an agent's own act in teacher-forced mode.
        """
        if rules.teacher_forced and isinstance(action, TEXTS | Like | TO_USERS):
            raise RuleError(f"teacher-forced: {action!r} can't be applied; log it as a candidate and apply the Record")
        if isinstance(action, Record):
            if not isinstance(action.event, RECORDABLE):
                raise RuleError(f"a feed can't record {action.event!r}; it takes the events of sim/feed.py")
        elif not isinstance(action, TEXTS | Like | TO_USERS | Abstain | Refuse | Intervene):
            raise RuleError(f"a feed can't apply {action!r}; it takes the actions of sim/feed.py and sim/protocols.py")

    def event(self, action: Action, state: State, regime: Regime, common: dict[str, Any]) -> Event:
        """The one event of a checked action other than `Intervene`; `common` has the fields that all events share."""
        match action:
            case Record():
                return self._record(action, state, common)
            case Refuse():
                return _refused(common, action.action, action.reason, action.thread, action.text)
            case Abstain():
                return Abstained(**common, origin="simulated", reason=action.reason)
        reason = why.BANNED if action.agent in regime.banned else refusal(action, state, regime.rules)
        if reason is not None:
            return _refused(common, type(action).__name__, reason, None, getattr(action, "text", None))
        return self.done(action, state, {**common, "origin": "simulated"})

    def done(self, action: Action, state: State, common: dict[str, Any]) -> Event:
        """The event of an action that may be done."""
        match action:
            case Publish() | Respond() | Quote() | Repost():
                return self._post(action, state, common)
            case Like():
                return Reacted(**common, post=state.seqs[state.origin(action.post)])
            case Follow():
                return Followed(**common, user=action.user)
            case Unfollow():
                return Unfollowed(**common, user=action.user)
            case Mute():
                return Muted(**common, user=action.user)
        raise AssertionError(action)

    def _post(self, action: Publish | Respond | Quote | Repost, state: State, common: dict[str, Any]) -> PostCreated:
        text = "" if isinstance(action, Repost) else action.text
        place: dict[str, Any] = {"thread": _free(f"p{common['seq']}", state)}
        if not isinstance(action, Publish):
            post = state.posts[state.origin(action.post)]
            if isinstance(action, Respond):
                place = {"thread": post.thread, "parent": post.seq, "form": "reply"}
            else:
                place |= {"of": post.seq, "form": "quote" if isinstance(action, Quote) else "repost"}
        return PostCreated(
            **common,
            **place,
            text=text,
            language=self._language,
            hashtags=hashtags(text),
            links=links(text),
            mentions=mentions(text, state.numbers),
        )

    # --- recorded events --------------------------------------------------------------------------

    def _record(self, action: Record, state: State, common: dict[str, Any]) -> Event:
        event = action.event
        reason = _refuse_record(event, state)
        if reason is not None:
            return _refused(common, "Record", reason, getattr(event, "thread", None), getattr(event, "text", None))
        changes: dict[str, Any] = {"seq": common["seq"], "causes": action.causes}
        for name in ("parent", "of", "post"):
            if (seq := getattr(event, name, None)) is not None:
                changes[name] = state.recorded[seq]
        if isinstance(event, PostCreated) and not event.mentions:
            changes["mentions"] = mentions(event.text, state.numbers)
        return msgspec.structs.replace(event, **changes)


def _refuse_record(event: Event, state: State) -> str | None:
    """What was recorded did happen: only what can't be placed is refused."""
    if any((seq := getattr(event, name, None)) is not None and seq not in state.recorded for name in _POINTERS):
        return why.UNKNOWN_POST
    if isinstance(event, PostCreated):
        return why.TAKEN_EVENT if event.seq in state.recorded else None
    if isinstance(event, Reacted):
        return _refuse_like(state, event.actor, state.origin(state.recorded[event.post]))
    assert isinstance(event, Followed | Unfollowed | Muted)
    return _refuse_user(event, event.actor, event.user, state)


_POINTERS = ("parent", "of", "post")


# --- refusals -------------------------------------------------------------------------------------


def refusal(action: Action, state: State, rules: SocialFeedConfig) -> str | None:
    """Why the action may not be done; None where it may."""
    if isinstance(action, TO_USERS):
        return _refuse_user(action, action.agent, action.user, state)
    if isinstance(action, TO_POSTS) and (reason := _refuse_post(action, state)) is not None:
        return reason
    return refuse_text(action.text, rules) if isinstance(action, Publish | Respond | Quote) else None


def _refuse_post(action: Respond | Quote | Repost | Like, state: State) -> str | None:
    position = state.at(action.post)
    origin = NONE if position == NONE else state.origins[position]
    if origin == NONE:  # no such post, or a repost of one that isn't in the community
        return why.UNKNOWN_POST
    if state.stamps[position] > action.based_on:
        return why.UNSEEN_POST
    me = state.numbers.get(action.agent, NONE)
    if state.muted(me, state.authors[origin]):
        return why.MUTED_USER
    if isinstance(action, Like):
        return _refuse_like(state, action.agent, origin)
    again = isinstance(action, Repost) and state.marked(Act.REPOST, me, origin, state.version)
    return why.ALREADY_REPOSTED if again else None


def _refuse_like(state: State, agent: str, post: int) -> str | None:
    if post == NONE:
        return why.UNKNOWN_POST
    liked = state.marked(Act.LIKE, state.numbers.get(agent, NONE), post, state.version)
    return why.ALREADY_LIKED if liked else None


def _refuse_user(what: Action | Event, agent: str, user: str, state: State) -> str | None:
    me, whom = state.numbers.get(agent, NONE), state.numbers.get(user, NONE)
    if whom == NONE:
        return why.UNKNOWN_USER
    if isinstance(what, Mute | Muted):
        return why.OWN_MUTE if whom == me else why.ALREADY_MUTED if state.muted(me, whom) else None
    follows = state.graph.follows(me, whom, state.version)
    if isinstance(what, Unfollow | Unfollowed):
        return None if follows else why.NOT_FOLLOWING
    if isinstance(what, Follow) and state.muted(me, whom):
        return why.MUTED_USER
    return why.OWN_FOLLOW if whom == me else why.ALREADY_FOLLOWING if follows else None


def _free(thread: str, state: State) -> str:
    """This id, marked where a recorded conversation has taken it."""
    while thread in state.threads:
        thread += "*"
    return thread


def _refused(
    common: dict[str, Any], action: str, reason: str, thread: str | None = None, text: str | None = None
) -> ActionRefused:
    return ActionRefused(**common, origin="simulated", action=action, reason=reason, thread=thread, text=text)
