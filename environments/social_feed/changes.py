"""What the experimenter can change on a running feed: from an `Intervene` to new rules and events."""

from typing import Any, NamedTuple

import msgspec

from folkmoot.environments.interventions import OneUser, change, read
from folkmoot.environments.social_feed.rules import SocialFeedConfig, refuse_text
from folkmoot.environments.social_feed.state import State
from folkmoot.sim.errors import RuleError, did_you_mean
from folkmoot.sim.feed import Publish
from folkmoot.sim.persona import Frozen
from folkmoot.sim.protocols import Intervene

CHANGEABLE = ("page_size", "candidates", "out_of_network", "max_length", "watchers")
"""Rules that a `rule` intervention may change; the ranking has an intervention of its own."""
KNOWN = ("ban", "unban", "mute", "ranking", "rule", "inject")
"""Interventions on a feed."""


class Regime(NamedTuple):
    """What an experimenter may change; replaced, never changed, so that a view keeps that of its version.

    Attributes:
        rules: what the feed allows, and how it ranks.
        banned: users whose acts are refused.
        muted: users whose posts nobody is shown.
    """

    rules: SocialFeedConfig
    banned: frozenset[str] = frozenset()
    muted: frozenset[str] = frozenset()

    def dump(self) -> dict[str, Any]:
        """A JSON-able copy."""
        rules = self.rules.model_dump(mode="json")
        return {"rules": rules, "banned": sorted(self.banned), "muted": sorted(self.muted)}

    @classmethod
    def load(cls, dumped: Any) -> "Regime":
        """That of a `dump`."""
        rules = SocialFeedConfig.model_validate(dumped["rules"])
        return cls(rules, frozenset(dumped["banned"]), frozenset(dumped["muted"]))


class NewPost(Frozen):
    """The value of `inject`: a post that the experimenter publishes in a user's name."""

    user: str
    text: str


def changed(action: Intervene, regime: Regime, state: State) -> Regime:
    """The regime after an intervention; that of `inject` is the same.

    Raises:
        RuleError: an intervention, user, rule or value that this feed doesn't know.
    """
    match action.name:
        case "ban":
            return regime._replace(banned=regime.banned | {_user(action, state)})
        case "unban":
            return regime._replace(banned=regime.banned - {_user(action, state)})
        case "mute":
            return regime._replace(muted=regime.muted | {_user(action, state)})
        case "ranking":
            named = msgspec.structs.replace(action, value=f'{{"ranking": {action.value or "null"}}}')
            return regime._replace(rules=change(named, regime.rules, ("ranking",)))
        case "rule":
            return regime._replace(rules=change(action, regime.rules, CHANGEABLE))
        case "inject":
            return regime
    raise RuleError(f"{action.name!r} isn't known on a feed; {did_you_mean(action.name, KNOWN)}")


def injected(action: Intervene, rules: SocialFeedConfig) -> Publish:
    """The post of an `inject`.

    Raises:
        RuleError: no such value, or a text that may not be posted.
    """
    value = read(action, NewPost)
    if reason := refuse_text(value.text, rules):
        raise RuleError(f"inject: {reason}; at most {rules.max_length} characters")
    return Publish(agent=value.user, based_on=0, text=value.text)


def _user(action: Intervene, state: State) -> str:
    user = read(action, OneUser).user
    if user not in state.numbers:
        raise RuleError(f"{action.name}: {user!r} isn't a user; {did_you_mean(user, state.names[:100])}")
    return user
