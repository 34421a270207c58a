"""What happens on a Talk page."""

from folkmoot.sim.events import TextEvent, register


@register
class ThreadOpened(TextEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A new thread with its first comment.

    Attributes:
        page: title of the page.
        title: the heading.
        mentions: users pinged or linked in the text.
    """

    page: str
    title: str
    mentions: tuple[str, ...] = ()


@register
class CommentPosted(TextEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A comment in a thread; `parent` is the comment answered."""

    page: str
    mentions: tuple[str, ...] = ()
