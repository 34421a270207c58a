"""What happens on a social feed."""

from folkmoot.sim.events import Event, TextEvent, register
from folkmoot.sim.feed import Form


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
