"""What happens on a social feed: the kinds of `sim.feed`, which importing this registers."""

from folkmoot.sim.feed import Followed, Muted, PostCreated, Reacted, Unfollowed

__all__ = ["Followed", "Muted", "PostCreated", "Reacted", "Unfollowed"]
