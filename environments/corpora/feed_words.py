"""Steps and things of a build in the words of a feed, where the build itself has those of a Talk page."""

import re

TALK_STAGES = frozenset({"articles", "personas"})
"""Stages that say nothing of a feed: it has no articles, and its people come without the choice of a study."""

_WORDS = {"page": "conversation", "thread": "conversation", "comment": "post"}
_TALK_WORD = re.compile(rf"\b({'|'.join(_WORDS)})(?=s?\b)")


def in_feed_words(text: str) -> str:
    """What the build of a Talk page calls something, in the words of a feed.

    >>> in_feed_words("12 comments without text (kept), a thread")
    '12 posts without text (kept), a conversation'
    """
    return _TALK_WORD.sub(lambda found: _WORDS[found[1]], text)
