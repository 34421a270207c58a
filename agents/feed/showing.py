"""Posts as a prompt shows them: a line of ours over lines of theirs, which are quoted."""

from collections.abc import Iterable, Sequence

from folkmoot.agents.conditioning.scene import clock
from folkmoot.sim.feed import PostCreated, Shown, Standing
from folkmoot.sim.quoting import name, quote


def content(post: PostCreated, characters: int | None = None) -> str:
    """Text with content warning and captions, cut after so many characters."""
    lines = [f"(content warning: {post.warning})"] if post.warning else []
    lines.append(post.text)
    lines += [f"(an image: {caption or 'without a caption'})" for caption in post.captions]
    whole = "\n".join(line for line in lines if line)
    if characters is None or len(whole) <= characters:
        return whole
    return whole[:characters].rstrip() + " …"


def head(post: PostCreated, number: int, by: str = "", standing: Standing | None = None) -> str:
    """The line over a post."""
    passed = f", passed on by {name(by)}" if by else ""
    counts = "" if standing is None else "".join(_counts(standing))
    return f"Post {number} by {name(post.actor)} ({clock(post.time)}){passed}{counts}:"


def _counts(standing: Standing) -> Iterable[str]:
    passed = standing.reposts + standing.quotes
    for count, one, many in ((standing.likes, "like", "likes"), (standing.replies, "reply", "replies")):
        if count:
            yield f", {count} {one if count == 1 else many}"
    if passed:
        yield f", passed on {passed} times" if passed > 1 else ", passed on once"


def page(items: Sequence[Shown], characters: int | None = None) -> str:
    """A home page, numbered from 1."""
    return _blocks(
        (head(item.post, number, item.by, item.standing), content(item.post, characters))
        for number, item in enumerate(items, 1)
    )


def listed(posts: Sequence[PostCreated], characters: int | None = None, first: int = 1) -> str:
    """Posts one under the other, numbered."""
    return _blocks((head(post, number), content(post, characters)) for number, post in enumerate(posts, first))


def bare(posts: Iterable[PostCreated], characters: int | None = None) -> str:
    """One's own posts: without a line over them, an empty line of data between them."""
    return quote("\n\n".join(content(post, characters) for post in posts))


def _blocks(parts: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{line}\n{quote(text)}" for line, text in parts)
