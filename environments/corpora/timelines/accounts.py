"""Which accounts a corpus takes: the filters of SocialPersona, each with its reason."""

from pydantic import Field

from folkmoot.environments.corpora.timelines.base import Timeline
from folkmoot.sim.persona import Frozen

EPS = 1e-9
"""What an account that follows nobody is taken to follow."""


class AccountFilters(Frozen):
    """Bounds of an account; a count that isn't known passes.

    Attributes:
        min_followers, max_followers: of the account.
        min_ratio, max_ratio: followers to followees.
        min_images: share of posts with an image.
    """

    min_followers: int = Field(default=5, ge=0)
    max_followers: int = Field(default=5_000, ge=1)
    min_ratio: float = Field(default=0.5, ge=0)
    max_ratio: float = Field(default=2, gt=0)
    min_images: float = Field(default=0.3, ge=0, le=1)

    def reason(self, timeline: Timeline) -> str:
        """The first reason why the account is left out; "" where it passes."""
        followers, followees = timeline.followers, timeline.followees
        if not timeline.posts:
            return "without a public post that counts"
        if followers is not None and not self.min_followers <= followers <= self.max_followers:
            return f"with fewer than {self.min_followers} or more than {self.max_followers:,} followers"
        if followers is not None and followees is not None:
            ratio = followers / max(followees, EPS)
            if not self.min_ratio <= ratio <= self.max_ratio:
                return f"with a ratio of followers to followees outside {self.min_ratio:g} to {self.max_ratio:g}"
        if image_density(timeline) < self.min_images:
            return f"with images in less than {self.min_images:.0%} of the posts"
        return ""


ANY = AccountFilters(min_followers=0, max_followers=2**62, min_ratio=0, max_ratio=2.0**62, min_images=0)
"""Every account with a post."""

UNKNOWN = "accounts whose followers or followees aren't known (kept)"


def image_density(timeline: Timeline) -> float:
    """ITDR: the share of posts, reposts aside, with an image; 0 without such posts."""
    own = [post for post in timeline.posts if post.form != "repost"]
    return sum(bool(post.captions) for post in own) / len(own) if own else 0.0
