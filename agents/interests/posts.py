"""Posts as a prompt shows them, by input mode, and as many of them as a model's window holds."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from folkmoot.sim.protocols import Message
from folkmoot.sim.quoting import quote

Input = Literal["text", "captions", "text_captions", "full"]
"""What is shown of a post: its text, the captions of its images, both, or both with the date."""

LONGEST = 400
"""Characters of a post's text where not all posts fit otherwise."""

FEWER = 0.85
"""Where posts don't fit, so many of them are tried next."""

Build = Callable[[Sequence["Post"]], list[Message]]
Fits = Callable[[Sequence[Message]], bool]


class Post(NamedTuple):
    """One post of a timeline.

    Attributes:
        number: its place in the timeline, from 1.
        time: ms since the epoch, UTC.
        text: the author's words.
        hashtags: without the sign.
        captions: of its images, "" where one has none.
    """

    number: int
    time: int
    text: str
    hashtags: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()


def date(time: int) -> str:
    """Day of a time in ms, UTC.

    >>> date(0)
    '1970-01-01'
    """
    return datetime.fromtimestamp(time // 1000, UTC).strftime("%Y-%m-%d")


def usable(posts: Sequence[Post], mode: Input) -> list[Post]:
    """The posts that show anything in this mode."""
    return [post for post in posts if _words(post, mode) or _captions(post, mode)]


def show(posts: Sequence[Post], mode: Input) -> str:
    """Posts one below the other, quoted, oldest first.

    >>> print(show([Post(3, 0, "So steep!", ("bouldering",), ("a climbing wall",))], "full"))
    Post 3, 1970-01-01:
    > So steep!
    > #bouldering
    Image:
    > a climbing wall
    """
    return "\n".join(_shown(post, mode) for post in posts)


def _shown(post: Post, mode: Input) -> str:
    lines = [f"Post {post.number}, {date(post.time)}:" if mode == "full" else f"Post {post.number}:"]
    if words := _words(post, mode):
        lines.append(quote(words))
    for caption in _captions(post, mode):
        lines += ["Image:", quote(caption)]
    return "\n".join(lines)


def _words(post: Post, mode: Input) -> str:
    if mode == "captions":
        return ""
    lower = post.text.casefold()
    more = [f"#{tag}" for tag in post.hashtags if f"#{tag}".casefold() not in lower]
    return "\n".join(part for part in (post.text.strip(), " ".join(more)) if part)


def _captions(post: Post, mode: Input) -> list[str]:
    return [] if mode == "text" else [caption for caption in post.captions if caption.strip()]


def fitted(posts: Sequence[Post], build: Build, fits: Fits) -> tuple[list[Message], list[Post], str] | None:
    """The messages about as many posts as fit, those posts, and what was done; None where not even one fits.

    Long texts are cut first; then posts are left out evenly over the timeline, the last one stays.
    """
    shown, note = list(posts), ""
    if not fits(messages := build(shown)):
        shown = [_cut(post) for post in shown]
        note = "long posts cut"
        while not fits(messages := build(shown)):
            if len(shown) < 2:  # noqa: PLR2004 -- one post can't be fewer
                return None
            shown = spread(shown, max(1, int(len(shown) * FEWER)))
            note = f"{len(shown)} of {len(posts)} posts shown"
    return messages, shown, note


def spread(posts: Sequence[Post], count: int) -> list[Post]:
    """So many posts, evenly over the timeline, the last one among them.

    >>> [post.number for post in spread([Post(k, 0, "") for k in range(1, 8)], 3)]
    [2, 4, 7]
    """
    return [posts[(k + 1) * len(posts) // count - 1] for k in range(count)]


def _cut(post: Post) -> Post:
    return post if len(post.text) <= LONGEST else post._replace(text=f"{post.text[:LONGEST]} [cut]")
