"""What somebody has decided to do and the view doesn't show yet: a think time passes before an act is done.

Who looks again meanwhile knows it, and doesn't like, pass on, follow or mute a second time. Decisions are noted in the
order of activations, so they are the same in every run, resume and replay.
"""

from collections.abc import Sequence

from folkmoot.agents.feed.plan import TO_USERS, Act, FeedPlan
from folkmoot.sim.feed import PostCreated, Shown

_TURNS: dict[Act, Act] = {"follow": "unfollow", "unfollow": "follow"}
_ONCE: tuple[Act, ...] = ("like", "repost", *TO_USERS)


class Decisions:
    """The decisions of a feed's people that can't be taken twice.

    >>> made = Decisions()
    >>> made.note("ben", FeedPlan("like", 7))
    FeedPlan(kind='like', post=7, user='', reason='')
    """

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[str, dict[Act, set[int | str]]] = {}

    def include(self, who: str, act: Act, post: PostCreated) -> bool:
        """Whether this act to the post, or to its author, is out: decided on before, or the author is to be muted."""
        made = self._made.get(who, {})
        return _target(act, post) in made.get(act, ()) or post.actor in made.get("mute", ())

    def left(self, who: str, act: Act, items: Sequence[Shown]) -> Sequence[Shown]:
        """The posts that this act isn't out for."""
        made = self._made.get(who, {})
        if not (made.get(act) or made.get("mute")):
            return items
        return [item for item in items if not self.include(who, act, item.post)]

    def note(self, who: str, plan: FeedPlan) -> FeedPlan:
        """Remember a plan, and give it back; following again after unfollowing is a new decision."""
        if plan.kind in _ONCE:
            made = self._made.setdefault(who, {})
            made.get(_TURNS.get(plan.kind, plan.kind), set()).discard(plan.user)
            made.setdefault(plan.kind, set()).add(plan.user or plan.post)
        return plan


def _target(act: Act, post: PostCreated) -> int | str:
    """A user, or a post; of a repost the post that it passes on."""
    if act in TO_USERS:
        return post.actor
    return post.of if post.of is not None and post.wordless else post.seq
