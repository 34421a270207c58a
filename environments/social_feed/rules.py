"""What a feed allows and how it ranks: its configuration, and the reasons for which an action is refused."""

from typing import Literal

from pydantic import Field

from folkmoot.environments.social_feed.graphs import CorpusFollows, Follows
from folkmoot.environments.social_feed.rankings import Chronological, Ranking
from folkmoot.sim.persona import Frozen

UNKNOWN_POST = "unknown post"
UNSEEN_POST = "post is not in the view that the action is based on"
UNKNOWN_USER = "unknown user"
OWN_FOLLOW = "own follow"
OWN_MUTE = "own mute"
ALREADY_LIKED = "already liked"
ALREADY_REPOSTED = "already reposted"
ALREADY_FOLLOWING = "already following"
ALREADY_MUTED = "already muted"
NOT_FOLLOWING = "not following"
MUTED_USER = "muted user"
BANNED = "banned user"
EMPTY_TEXT = "empty text"
TAKEN_EVENT = "recorded event is already here"


class SocialFeedConfig(Frozen):
    """Rules of a feed.

    Attributes:
        page_size: posts on a home page, at most.
        candidates: so many of the newest entries of the viewer's network compete for the home page; outside of it,
            those of the newest entries of the whole feed and those that the newest reactions of all were to.
        out_of_network: share of the page for posts from outside the viewer's network. Places that one side can't
            fill go to the other, but with 0 nothing comes from outside, and with 1 nothing from within.
        ranking: the order of the page.
        follows: how the follow graph of a run comes about (`graphs.make_follows`).
        max_length: characters in a post.
        watchers: at most so many followers, the newest, are alerted of a post of one's own; 0: nobody is.
        teacher_forced: only recorded events are placed; agents' texts are candidates beside them, never applied.
    """

    kind: Literal["social_feed"] = "social_feed"
    page_size: int = Field(default=20, ge=1, le=500)
    candidates: int = Field(default=100, ge=1, le=10_000)
    out_of_network: float = Field(default=0.2, ge=0, le=1)
    ranking: Ranking = Field(default=Chronological(), discriminator="kind")
    follows: Follows = CorpusFollows()
    max_length: int = Field(default=500, ge=1)
    watchers: int = Field(default=0, ge=0, le=100)
    teacher_forced: bool = False


def refuse_text(text: str, rules: SocialFeedConfig) -> str | None:
    """Why this text may not be posted; None where it may."""
    if not text or text.isspace():
        return EMPTY_TEXT
    if len(text) > rules.max_length:
        return f"text over {rules.max_length} characters"
    return None
