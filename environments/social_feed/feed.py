"""A social feed of one community, as an environment."""

from collections.abc import Mapping, Sequence
from typing import Any

from folkmoot.environments.social_feed.changes import Regime, changed, injected
from folkmoot.environments.social_feed.follows import Users
from folkmoot.environments.social_feed.journal import Act
from folkmoot.environments.social_feed.moves import Moves
from folkmoot.environments.social_feed.rankings import needs_vectors
from folkmoot.environments.social_feed.rules import SocialFeedConfig
from folkmoot.environments.social_feed.state import State
from folkmoot.environments.social_feed.vectors import Vectors
from folkmoot.environments.social_feed.view import Place, SocialFeedView
from folkmoot.sim.errors import RuleError
from folkmoot.sim.events import ActionRefused, Event, Intervention
from folkmoot.sim.feed import Followed, Muted, PostCreated, Reacted, Unfollowed
from folkmoot.sim.protocols import Action, Alert, Encoder, Intervene, Record


class SocialFeed:
    """Users post, answer, pass on, like, follow and mute (implements `sim.protocols.Environment`).

    Actions: those of `sim.feed`, and `Abstain` (scrolling past), `Refuse`, `Record`, `Intervene`. New conversations
    have ids `p<seq>`, marked if taken. An act on a repost is an act on the post that it passes on. A recorded event
    is placed whatever the rules say; only what can't be placed (a post or user that isn't there, a second like) is
    refused. In teacher-forced mode that is all there is.

    Args:
        community: name of the community.
        language: ISO 639-1 code of what is written here.
        users: names; whoever writes becomes a user too.
        follows: (follower, followed) in order of following: names, or numbers of `users` in an array of shape (n, 2).
        rules: what the feed allows, and how it ranks.
        encoder: for rankings by interest.
        profiles: user -> text that says what they are interested in.
        seed: of the random ranking.

    Raises:
        RuleError: a user is named twice, an edge names a user that isn't there, or the ranking needs an encoder.
    """

    def __init__(
        self,
        community: str,
        language: str,
        users: Sequence[str],
        follows: Sequence[tuple[str, str]] | Users = (),
        rules: SocialFeedConfig | None = None,
        *,
        encoder: Encoder | None = None,
        profiles: Mapping[str, str] | None = None,
        seed: int = 0,
    ) -> None:
        self.community = community
        self.language = language
        self._start = (users, follows)
        self._state = State(users, follows)
        self._moves = Moves(community, language)
        vectors = Vectors(encoder, profiles or {}) if encoder else None
        self._place = Place(community, language, seed, vectors)
        self._regime = self._checked(Regime(rules or SocialFeedConfig()))

    @property
    def rules(self) -> SocialFeedConfig:
        """As of now."""
        return self._regime.rules

    def _checked(self, regime: Regime) -> Regime:
        if self._place.vectors is None and needs_vectors(regime.rules.ranking):
            raise RuleError(f"ranking {regime.rules.ranking!r} compares embeddings; give SocialFeed(encoder=...)")
        return regime

    def view(self, agent: str, now: int) -> SocialFeedView:
        """What the agent sees at this version: a pure read, O(1)."""
        return SocialFeedView(self._state, agent, now, self._place, self._regime)

    def alerts(self, event: Event) -> Sequence[Alert]:
        """Author answered or quoted, users mentioned, `rules.watchers` followers; each once, never the actor."""
        if not isinstance(event, PostCreated) or event.origin == "candidate":
            return ()
        called = self._state.called(event)
        alerts = [Alert(name, trigger) for name, trigger in called.items()]
        if self.rules.watchers and event.form == "post":
            followers = self._state.graph.followers(self._state.numbers[event.actor], self._state.version)
            names = (self._state.names[user] for user in followers[-self.rules.watchers :].tolist())
            alerts += [Alert(name, "watch") for name in names if name not in called]
        return alerts

    def apply(self, action: Action, now: int, seq: int) -> tuple[Event, ...]:
        """Turn an action into its event (`sim.protocols.Environment.apply`); an injected post gives two.

        Raises:
            RuleError: the action isn't one that a feed applies, or `seq` isn't beyond the posts'.
        """
        state = self._state
        self._moves.check(action, self.rules)
        if state.seqs and seq <= state.seqs[-1]:
            raise RuleError(f"seq {seq} isn't beyond the last post's; number on from {state.seqs[-1] + 1}")
        state.version += 1
        common: dict[str, Any] = {"seq": seq, "time": now, "actor": action.agent, "community": self.community}
        common["causes"] = action.causes
        if isinstance(action, Intervene):
            return self._intervene(action, common)
        event = self._moves.event(action, state, self._regime, common)
        if isinstance(action, Record) and isinstance(event, PostCreated):
            state.recorded[action.event.seq] = seq
            state.threads.add(event.thread)
        self._place_event(event)
        return (event,)

    def _intervene(self, action: Intervene, common: dict[str, Any]) -> tuple[Event, ...]:
        """The intervention and what it does right away, or its refusal."""
        common["origin"] = "injected"
        try:
            self._regime = self._checked(changed(action, self._regime, self._state))
            post = injected(action, self.rules) if action.name == "inject" else None
        except RuleError as error:
            return (ActionRefused(**common, action=action.name, reason=str(error)),)
        event = Intervention(**common, name=action.name, value=action.value)
        if post is None:
            return (event,)
        fields = {**common, "seq": event.seq + 1, "actor": post.agent, "causes": (event.seq,)}
        published = self._moves.done(post, self._state, fields)
        self._place_event(published)
        return (event, published)

    def _place_event(self, event: Event) -> None:
        state = self._state
        match event:
            case PostCreated():
                state.place(event)
            case Reacted():
                state.react(Act.LIKE, state.number(event.actor), state.origin(event.post))
            case Followed() | Unfollowed() | Muted():
                kind = _KINDS[type(event)]
                state.relate(kind, state.number(event.actor), state.numbers[event.user])

    def state(self) -> Any:
        """A JSON-able copy of the state; the users and follows of the start aren't in it."""
        return {**self._state.dump(), **self._regime.dump()}

    def restore(self, state: Any) -> None:
        """Take a state back; views made before keep reading what they read."""
        self._state = State(*self._start)
        self._state.load(state)
        self._regime = Regime.load(state)


_KINDS = {Followed: Act.FOLLOW, Unfollowed: Act.UNFOLLOW, Muted: Act.MUTE}
