"""Conversations of several users: a post stands under what it answers, and never under somebody else's post."""

from itertools import zip_longest

import pytest

from folkmoot.environments.corpora.timelines.base import Like, Timeline, TimelinePost
from folkmoot.environments.corpora.timelines.likes import read_likes
from folkmoot.environments.corpora.timelines.threads import AMBIGUOUS, MISNAMED, Conversations


def answers(*users, to="", networks=(), own=""):
    """Whose post 1 the reply of cleo, in the network `own`, answers, None for nobody's; and the doubts, by reason.

    Each user has a post 1, each in their network.
    """
    places = zip_longest(users, networks, fillvalue="")
    theirs = [Timeline(user, (TimelinePost("1", at, "tea"),), network=net) for at, (user, net) in enumerate(places)]
    cleo = Timeline("cleo", (TimelinePost("9", 50, "so", "reply", of="1", to=to),), network=own)
    conversations = Conversations([*theirs, cleo])
    [reply] = [post for thread in conversations.threads() for post in thread if post.author == "cleo"]
    return (reply.parent.partition(" ")[0] if reply.parent else None), dict(+conversations.doubts)


@pytest.mark.parametrize(
    ("users", "to", "author", "doubt"),
    [
        (("ada", "bo"), "bo", "bo", ""),
        (("ada", "bo"), "ada", "ada", ""),
        (("ada", "bo"), "", None, AMBIGUOUS),
        (("ada", "bo"), "dan", None, MISNAMED),
        (("ada",), "", "ada", ""),
        (("ada",), "bo", None, MISNAMED),
        (("Ada", "bo"), "@ada", "Ada", ""),
        (("Ada", "ada"), "ada", "ada", ""),
        (("Ada", "ada"), "ADA", None, AMBIGUOUS),
    ],
)
def test_whose_post_is_answered(users, to, author, doubt):
    """An id with its author names one post; an id alone only where one user has it; else the doubt is counted."""
    assert answers(*users, to=to) == (author, {doubt: 1} if doubt else {})


@pytest.mark.parametrize(
    ("networks", "to", "author", "doubt"),
    [
        (("x",), "ada_before", "ada", ""),
        (("x", ""), "ada_before", "ada", ""),
        (("x", "bluesky"), "bo", "ada", ""),
        (("",), "ada_before", None, MISNAMED),
        (("bluesky",), "ada_before", None, MISNAMED),
        (("x", "x"), "bo", "bo", ""),
        (("x", "x"), "bo_before", None, MISNAMED),
        (("x", "x"), "", None, AMBIGUOUS),
    ],
)
def test_ids_of_a_network(networks, to, author, doubt):
    """Within a network the id alone names a post, though its author was called otherwise; elsewhere the name is needed."""
    found = answers(*("ada", "bo")[: len(networks)], to=to, networks=networks, own="x")
    assert found == (author, {doubt: 1} if doubt else {})


def test_a_like_of_a_renamed_user():
    """Who liked a post of somebody who is called otherwise by now liked it."""
    ada = Timeline("ada", (TimelinePost("1", 10, "tea"),), network="x")
    bo = Timeline("bo", (), likes=(Like("1", "ada_before", 20),), network="x")
    likes, losses = read_likes([ada, bo], Conversations([ada, bo]))
    assert ([(like.user, like.author) for like in likes], losses.total()) == ([("bo", "ada")], 0)


def test_a_later_post_is_not_answered():
    """Of posts with one id those that came later aren't meant."""
    ada = Timeline("ada", (TimelinePost("1", 10, "tea"),))
    bo = Timeline("bo", (TimelinePost("1", 90, "later"), TimelinePost("2", 20, "so", "reply", of="1")))
    conversations = Conversations([ada, bo])
    assert [[post.author for post in thread] for thread in conversations.threads()] == [["ada", "bo"], ["bo"]]
    assert not +conversations.doubts
