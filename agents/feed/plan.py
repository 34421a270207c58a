"""What a person on a feed has decided to do, before a word is written, and the action that it becomes."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

from folkmoot.sim.feed import Follow, Like, Mute, Publish, Quote, Repost, Respond, Unfollow
from folkmoot.sim.protocols import Abstain, Action, Activation, Refuse

Act = Literal["post", "reply", "repost", "quote", "like", "follow", "unfollow", "mute", "scroll"]
ACTS: tuple[Act, ...] = get_args(Act)
"""All that may be done at a look, "scroll" is scrolling past."""

WRITTEN: tuple[Act, ...] = ("post", "reply", "quote")
"""Acts that need words."""

TEXTS: tuple[Act, ...] = (*WRITTEN, "repost")
"""Acts that leave a post."""

TO_USERS: tuple[Act, ...] = ("follow", "unfollow", "mute")
"""Acts that are done to a user."""

PAST = "scrolled past"
"""Reason of an `Abstained` event on a feed."""


class FeedPlan(NamedTuple):
    """One act.

    Attributes:
        post: seq of the post that it is done to, -1 where it is done to none.
        user: who is followed, followed no longer or muted, "" otherwise.
        reason: why nothing is done, "" otherwise.
    """

    kind: Act
    post: int = -1
    user: str = ""
    reason: str = ""


def action(plan: FeedPlan, activation: Activation, version: int, text: str = "") -> Action:
    """The action of a plan, with its words where it needs some."""
    common: dict[str, Any] = {"agent": activation.agent, "based_on": version, "causes": activation.causes}
    if plan.kind == "scroll":
        return Abstain(**common, reason=plan.reason or PAST)
    if plan.kind in TO_USERS:
        return _BY_USER[plan.kind](**common, user=plan.user)
    if plan.kind in WRITTEN:
        common["text"] = text
    if plan.kind != "post":
        common["post"] = plan.post
    return _TO_POSTS[plan.kind](**common)


_BY_USER: dict[Act, Callable[..., Action]] = {"follow": Follow, "unfollow": Unfollow, "mute": Mute}
_TO_POSTS: dict[Act, Callable[..., Action]] = {
    "post": Publish,
    "reply": Respond,
    "quote": Quote,
    "repost": Repost,
    "like": Like,
}

_NAMES: dict[Act, str] = {"post": "Publish", "reply": "Respond", "quote": "Quote"}


def refuse(plan: FeedPlan, reason: str, text: str | None, activation: Activation, version: int) -> Refuse:
    """A recorded refusal of what was written, or of what couldn't be asked for."""
    return Refuse(
        agent=activation.agent,
        based_on=version,
        causes=activation.causes,
        action=_NAMES[plan.kind],
        reason=reason,
        text=text,
    )
