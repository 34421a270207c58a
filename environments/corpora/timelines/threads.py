"""Posts of several timelines as conversations: a reply stands in the thread of what it answers, where that is known."""

from collections.abc import Iterator, Sequence
from typing import Any

from folkmoot.environments.corpora.sources.base import SourceComment
from folkmoot.environments.corpora.timelines.base import Timeline, TimelinePost


class Conversations:
    """The conversations of a community.

    Args:
        timelines: of its users.
    """

    def __init__(self, timelines: Sequence[Timeline]) -> None:
        posts = [(post.time, each.user, post) for each in timelines for post in each.posts]
        self._posts = sorted(posts, key=lambda item: (item[0], item[1], item[2].id))
        self._numbers: dict[str, int] = {}
        for number, (_, _, post) in enumerate(self._posts):
            self._numbers.setdefault(post.id, number)

    def threads(self) -> Iterator[list[SourceComment]]:
        """Each conversation, its posts in order of time; conversations in order of their first posts."""
        groups: dict[int, list[int]] = {}
        for number in range(len(self._posts)):
            groups.setdefault(self._root(number), []).append(number)
        for members in groups.values():
            yield [self._comment(number) for number in members]

    def _target(self, number: int) -> int | None:
        """The earlier post that a post answers or passes on; None where it isn't here."""
        _, _, post = self._posts[number]
        target = self._numbers.get(post.of) if post.of else None
        return target if target is not None and target < number else None

    def _root(self, number: int) -> int:
        while self._posts[number][2].form == "reply" and (target := self._target(number)) is not None:
            number = target
        return number

    def _name(self, number: int) -> str:
        """The post's id, which is its author's own."""
        _, user, post = self._posts[number]
        return f"{user} {post.id}"

    def _comment(self, number: int) -> SourceComment:
        time, user, post = self._posts[number]
        target = self._target(number)
        parent = self._name(target) if post.form == "reply" and target is not None else None
        return SourceComment(self._name(number), user, time, parent, post.text, facts_of(post, number, target))


def facts_of(post: TimelinePost, number: int, target: int | None) -> dict[str, Any]:
    """What a post is beside its text; users are named under keys that say so, so that the build hides them."""
    facts: dict[str, Any] = {
        "number": number,
        "form": post.form,
        "of": target,
        "elsewhere": True if post.of and target is None else None,
        "language": post.language,
        "warning": post.warning,
        "hashtags": list(post.hashtags),
        "links": list(post.links),
        "captions": list(post.captions),
        "poll": list(post.poll),
        "edited": post.edited,
        "mentions": list(post.mentions),
        "reply_to_user": post.to,
    }
    return {name: value for name, value in facts.items() if value or type(value) is int}
