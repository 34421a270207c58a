"""Posts of several timelines as conversations: a reply stands in the thread of what it answers, where that is known."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from folkmoot.environments.corpora.sources.base import SourceComment
from folkmoot.environments.corpora.timelines.base import Timeline, TimelinePost

AMBIGUOUS = "answers to an id that posts of several users have, without its author (kept, as to something elsewhere)"
MISNAMED = "answers to an id that only posts of others than the named author have (kept, as to something elsewhere)"


class Conversations:
    """The conversations of a community.

    Within a network an id is one post's, whatever its author is called by then. Else it is a user's own: which post is
    meant is told by the id with its author, or by an id that only one user has.

    Args:
        timelines: of its users.

    Attributes:
        doubts: posts that are about one with an id that is here, but can't be told to mean it; by reason.
    """

    def __init__(self, timelines: Sequence[Timeline]) -> None:
        posts = [(post.time, each.user, post) for each in timelines for post in each.posts]
        self._posts = sorted(posts, key=lambda item: (item[0], item[1], item[2].id))
        self._numbers: dict[str, dict[str, int]] = {}
        for number, (_, user, post) in enumerate(self._posts):
            self._numbers.setdefault(post.id, {}).setdefault(user, number)
        self._networks = {each.user: each.network for each in timelines}
        self.doubts: Counter[str] = Counter()
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
        _, user, post = self._posts[number]
        earlier = self._earlier(post.of, number)
        found = self._meant(earlier, post.to, self._networks[user])
        self.doubts[AMBIGUOUS] += len(found) > 1
        self.doubts[MISNAMED] += bool(earlier) and not found
        return found[0] if len(found) == 1 else None

    def _earlier(self, name: str, before: int) -> dict[str, int]:
        """The posts with an id, of those before a number; by user."""
        return {user: each for user, each in self._numbers.get(name, {}).items() if each < before}

    def _meant(self, posts: Mapping[str, int], author: str, network: str) -> list[int]:
        """Which of the posts with an id may be meant, with this author ("" where unknown), in a network."""
        near = [each for user, each in posts.items() if network and self._networks[user] == network]
        if len(near) == 1:
            return near
        return [each for user, each in posts.items() if user == author] or [
            each for user, each in posts.items() if _plain(author) in {"", _plain(user)}
        ]

    def find(self, name: str, author: str, user: str) -> int | None:
        """Number of the post that a user means by id and author ("" where unknown); None for none or several."""
        found = self._meant(self._earlier(name, len(self._posts)), author, self._networks[user])
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
