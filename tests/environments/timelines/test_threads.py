"""Conversations of several users: a post stands under what it answers, and never under somebody else's post."""

import pytest

from folkmoot.environments.corpora.timelines.base import Timeline, TimelinePost
from folkmoot.environments.corpora.timelines.threads import Conversations


def answers(*users, to=""):
    """Whose post 1 the reply of cleo answers, None for nobody's; how many answers can't be told. Each user has a 1."""
    theirs = [Timeline(user, (TimelinePost("1", place, "tea"),)) for place, user in enumerate(users)]
    cleo = Timeline("cleo", (TimelinePost("9", 50, "so", "reply", of="1", to=to),))
    conversations = Conversations([*theirs, cleo])
    [reply] = [post for thread in conversations.threads() for post in thread if post.author == "cleo"]
    return (reply.parent.partition(" ")[0] if reply.parent else None), conversations.ambiguous


@pytest.mark.parametrize(
    ("users", "to", "author", "ambiguous"),
    [
        (("ada", "bo"), "bo", "bo", 0),
        (("ada", "bo"), "ada", "ada", 0),
        (("ada", "bo"), "", None, 1),
        (("ada", "bo"), "dan", None, 0),
        (("ada",), "", "ada", 0),
        (("ada",), "bo", None, 0),
        (("Ada", "bo"), "@ada", "Ada", 0),
        (("Ada", "ada"), "ada", "ada", 0),
        (("Ada", "ada"), "ADA", None, 1),
    ],
)
def test_whose_post_is_answered(users, to, author, ambiguous):
    """An id with its author names one post; an id alone only where one user has it; else the post stands by itself."""
    assert answers(*users, to=to) == (author, ambiguous)


def test_a_later_post_is_not_answered():
    """Of posts with one id those that came later aren't meant."""
    ada = Timeline("ada", (TimelinePost("1", 10, "tea"),))
    bo = Timeline("bo", (TimelinePost("1", 90, "later"), TimelinePost("2", 20, "so", "reply", of="1")))
    conversations = Conversations([ada, bo])
    assert [[post.author for post in thread] for thread in conversations.threads()] == [["ada", "bo"], ["bo"]]
    assert conversations.ambiguous == 0
