"""The vocabulary of a social feed: what happens there, what an agent may do and see, wherever the posts stand.

It lets `agents` and `environments` meet without importing one another; `sim.discussion` is its sister for Talk pages.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from folkmoot.sim.events import Event, TextEvent, register
from folkmoot.sim.protocols import Action, View

Form = Literal["post", "reply", "repost", "quote"]
"""What a post is: words of one's own, an answer, another's words passed on, or passed on with words of one's own."""


@register
class PostCreated(TextEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A post, reply, repost or quote.

    `thread` is the id of the conversation (its first post's), `parent` the post answered. A repost has no words of
    its own: its `text` is empty, and metrics of text pass it over.

    Attributes:
        form: what it is.
        of: seq of the post passed on (repost, quote), None otherwise or where it isn't in the community.
        warning: content warning, "" where there is none.
        hashtags: without the sign, as written.
        links: addresses in the text.
        captions: of its images and video covers, one each; "" where an image has none.
        mentions: users named in the text.
    """

    form: Form = "post"
    of: int | None = None
    warning: str = ""
    hashtags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()

    @property
    def wordless(self) -> bool:
        """A repost is its author's choice, and another's words."""
        return self.form == "repost"


@register
class Reacted(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A user liked a post (its seq)."""

    post: int
    reaction: str = "like"


@register
class Followed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A user began to follow another."""

    user: str


@register
class Unfollowed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A user stopped following another."""

    user: str


@register
class Muted(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A user wants to see nothing more of another."""

    user: str


class Publish(Action, frozen=True, kw_only=True):
    """Write a post of one's own."""

    text: str


class Respond(Action, frozen=True, kw_only=True):
    """Reply to a post. `post` is the seq of the post answered."""

    post: int
    text: str


class Quote(Action, frozen=True, kw_only=True):
    """Pass a post on with words of one's own."""

    post: int
    text: str


class Repost(Action, frozen=True, kw_only=True):
    """Pass a post on as it is."""

    post: int


class Like(Action, frozen=True, kw_only=True):
    """Approve of a post."""

    post: int


class Follow(Action, frozen=True, kw_only=True):
    """See a user's posts from now on."""

    user: str


class Unfollow(Action, frozen=True, kw_only=True):
    """See a user's posts no longer."""

    user: str


class Mute(Action, frozen=True, kw_only=True):
    """Never be shown a user's posts again."""

    user: str


class Standing(NamedTuple):
    """How a post stands at one version: how often it was liked, answered, passed on and quoted."""

    likes: int
    replies: int
    reposts: int
    quotes: int


class Shown(NamedTuple):
    """A post on the home page.

    Attributes:
        post: the event; for a repost the post that was passed on.
        rank: place on the page, from 0.
        by: who passed it on, "" where its author stands for it.
        followed: the viewer follows its author or who passed it on.
        standing: how it stands.
    """

    post: PostCreated
    rank: int
    by: str
    followed: bool
    standing: Standing


class FeedView(View, Protocol):
    """What a user sees; every read is of one version."""

    @property
    def language(self) -> str: ...  # noqa: D102

    def home(self) -> Sequence[Shown]:
        """The ranked home page of this visit; asking for it is the exposure. The same list each time."""

    def notices(self, limit: int) -> Sequence[PostCreated]:
        """Posts that answer, mention or quote this user, newest first."""

    def conversation(self, post: int) -> Sequence[PostCreated]:
        """The post and all that it answers, the first post of the thread first; counts as reading the thread."""

    def event(self, seq: int) -> PostCreated | None:
        """A post by its seq, None if it isn't in this version."""

    def standing(self, post: int) -> Standing:
        """How a post stands."""

    def own(self, limit: int) -> Sequence[PostCreated]:
        """The viewer's own posts, newest first."""

    def followees(self) -> Sequence[str]:
        """Whom the viewer follows, in order of following."""

    def followers(self) -> Sequence[str]:
        """Who follows the viewer, in order of following."""

    def liked(self, post: int) -> bool:
        """Whether the viewer has liked this post."""
