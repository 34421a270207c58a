"""Whether a post is about what interests somebody: by words alone, so that a page of posts costs microseconds."""

import re
from collections.abc import Iterable, Sequence

from folkmoot.sim.feed import PostCreated
from folkmoot.sim.persona import Interests

WORD = 5
"""Letters that a word of a tag has to have to stand for the tag."""

LATELY = 5
"""Own posts whose topics count as interests of late."""

_WORDS = re.compile(r"[^\W_]+")


def tags_of(interests: Interests) -> tuple[str, ...]:
    """All tags, the stable ones first, each once."""
    both = (interests.stable, interests.recent)
    return tuple(dict.fromkeys(tag for side in both for tags in side.values() for tag in tags))


def terms(tags: Iterable[str]) -> tuple[str, ...]:
    """What stands for these tags in a text, in alphabetical order: the tag, the tag as a hashtag, its longer words.

    >>> terms(["Trail running"])
    ('running', 'trail', 'trail running', 'trailrunning')
    """
    found: set[str] = set()
    for tag in tags:
        words = _WORDS.findall(tag.casefold())
        found |= {" ".join(words), "".join(words), *(word for word in words if len(word) >= WORD)}
    return tuple(sorted(found - {""}))


def topics(own: Sequence[PostCreated]) -> tuple[str, ...]:
    """What somebody's last posts were about, by their hashtags; the newest first, each once."""
    return tuple(dict.fromkeys(tag.casefold() for post in own[:LATELY] for tag in post.hashtags))


def words_of(post: PostCreated) -> str:
    """Text, hashtags and captions, for matching."""
    if not post.hashtags and not post.captions:
        return post.text.casefold()
    return " ".join((post.text, *post.hashtags, *post.captions)).casefold()


class Taste:
    """A person's interests, ready to look for.

    >>> from folkmoot.sim.feed import PostCreated
    >>> post = PostCreated(seq=0, time=0, actor="a", community="en", origin="recorded", thread="t", language="en",
    ...                    text="Mud up to the knees, and still the best trail of the year.")
    >>> Taste(Interests(stable={"sports_outdoor": ("Trail running",)})).meets(post)
    True
    """

    def __init__(self, interests: Interests) -> None:
        known = terms(tags_of(interests))
        self._pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, known))})") if known else None

    def meets(self, post: PostCreated, lately: Sequence[str] = ()) -> bool:
        """Whether the post holds a term of the interests, or of the topics of late."""
        if self._pattern is None and not lately:
            return False
        text = words_of(post)
        if self._pattern is not None and self._pattern.search(text):
            return True
        return bool(lately) and any(topic in text for topic in lately)
