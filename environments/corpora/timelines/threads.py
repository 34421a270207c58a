"""Posts of several timelines as conversations: a reply stands in the thread of what it answers, where that is known."""

from collections.abc import Iterator, Sequence
from typing import Any

from folkmoot.environments.corpora.sources.base import SourceComment
from folkmoot.environments.corpora.timelines.base import Timeline, TimelinePost

AMBIGUOUS = "answers to an id that posts of several users have, without its author (kept, as to something elsewhere)"


class Conversations:
    """The conversations of a community.

    An id is a user's own: which post is meant is told by the id with its author, or by an id that only one user has.

    Args:
        timelines: of its users.

    Attributes:
        ambiguous: posts that may be about posts of several users.
    """

    def __init__(self, timelines: Sequence[Timeline]) -> None:
        posts = [(post.time, each.user, post) for each in timelines for post in each.posts]
        self._posts = sorted(posts, key=lambda item: (item[0], item[1], item[2].id))
        self._numbers: dict[str, dict[str, int]] = {}
        for number, (_, user, post) in enumerate(self._posts):
            self._numbers.setdefault(post.id, {}).setdefault(user, number)
        self.ambiguous = 0
        self._targets = [self._target(number) for number in range(len(self._posts))]

    def threads(self) -> Iterator[list[SourceComment]]:
        """Each conversation, its posts in order of time; conversations in order of their first posts."""
        groups: dict[int, list[int]] = {}
        for number in range(len(self._posts)):
            groups.setdefault(self._root(number), []).append(number)
        for members in groups.values():
            yield [self._comment(number) for number in members]

    def _target(self, number: int) -> int | None:
        """The earlier post that a post answers or passes on; None where it isn't here, or can't be told."""
        _, _, post = self._posts[number]
        found = self._meant(post.of, post.to, number)
        self.ambiguous += len(found) > 1
        return found[0] if len(found) == 1 else None

    def _meant(self, name: str, author: str, before: int) -> list[int]:
        """The posts that an id and an author ("" where unknown) may mean, of those before a number."""
        earlier = {user: each for user, each in self._numbers.get(name, {}).items() if each < before}
        return [each for user, each in earlier.items() if user == author] or [
            each for user, each in earlier.items() if _plain(author) in {"", _plain(user)}
        ]

    def find(self, name: str, author: str) -> int | None:
        """The number of the post with this id, by this author ("" where unknown); None where none or several are."""
        found = self._meant(name, author, len(self._posts))
        return found[0] if len(found) == 1 else None

    def of(self, number: int) -> tuple[int, str]:
        """When a post was made, and by whom."""
        time, user, _ = self._posts[number]
        return time, user

    def _root(self, number: int) -> int:
        while self._posts[number][2].form == "reply" and (target := self._targets[number]) is not None:
            number = target
        return number

    def _name(self, number: int) -> str:
        """The post's id, which is its author's own."""
        _, user, post = self._posts[number]
        return f"{user} {post.id}"

    def _comment(self, number: int) -> SourceComment:
        time, user, post = self._posts[number]
        target = self._targets[number]
        parent = self._name(target) if post.form == "reply" and target is not None else None
        facts = facts_of(post, number, target)
        return SourceComment(self._name(number), user, time, parent, post.text, facts, media=post.media)


def _plain(user: str) -> str:
    """A name without its sign, and without case: networks don't tell them apart by it."""
    return user.lstrip("@").casefold()


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
