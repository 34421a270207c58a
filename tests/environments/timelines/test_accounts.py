"""Which accounts pass, at the bounds themselves."""

import pytest

from folkmoot.environments.corpora.timelines.accounts import AccountFilters, image_density
from folkmoot.environments.corpora.timelines.base import Timeline, TimelinePost


def account(followers, followees, images=3, posts=10):
    """An account of so many posts, the first of which have an image, and a repost that doesn't count."""
    own = tuple(TimelinePost(str(n), n, "x", captions=("",) if n < images else ()) for n in range(posts))
    return Timeline("ada", (*own, TimelinePost("r", posts, "", "repost")), followers=followers, followees=followees)


@pytest.mark.parametrize(
    ("followers", "followees", "images", "says"),
    [
        (5, 5, 3, ""),
        (4, 4, 3, "followers"),
        (5000, 5000, 3, ""),
        (5001, 5001, 3, "followers"),
        (10, 20, 3, ""),
        (10, 21, 3, "ratio"),
        (20, 10, 3, ""),
        (21, 10, 3, "ratio"),
        (10, 0, 3, "ratio"),
        (10, 10, 2, "images"),
        (None, None, 3, ""),
        (None, 10, 3, ""),
        (10, None, 3, ""),
        (None, None, 2, "images"),
    ],
)
def test_bounds(followers, followees, images, says):
    """Bounds belong to what passes; a count that isn't known passes; the first reason is told."""
    reason = AccountFilters().reason(account(followers, followees, images))
    assert (says in reason) if says else not reason


def test_nothing_posted():
    """An account without posts has its own reason, and no density."""
    empty = Timeline("ada", ())
    assert AccountFilters().reason(empty) == "without a public post that counts"
    assert image_density(empty) == 0
