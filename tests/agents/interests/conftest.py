"""Timelines whose profile is known: written with the vocabulary of the scripted model, lasting and new interests."""

import pytest

from folkmoot.agents.interests.posts import Post
from folkmoot.sim.persona import Interests

DAY = 86_400_000
START = 1_700_000_000_000


def timeline(lasting, late, fillers=40, captions=False):
    """A year of posts: each lasting tag in four months, each late one once in the last weeks, the rest says nothing."""
    told = [(30 * (4 * j % 9) + 7 * k + 60 * j, tag) for k, tag in enumerate(lasting) for j in range(4)]
    told += [(340 + k, tag) for k, tag in enumerate(late)]
    told += [(9 * k, "") for k in range(fillers)] + [(364, "")]
    posts = []
    for day, tag in sorted(told):
        text = f"Today it was {tag} again." if tag and not captions else "Nothing much happened."
        caption = (f"{tag}, seen from the side",) if tag and captions else ()
        posts.append(Post(len(posts) + 1, START + day * DAY, text, (), caption))
    return posts


LASTING = {"sports_outdoor": ("trail running",), "food_drink": ("espresso", "ramen"), "pets": ("cats",)}
LATE = {"gaming": ("chess",), "photography_creation": ("pottery",)}
TRUTH = Interests(stable=LASTING, recent=LATE)


def known_timeline(captions=False):
    """Posts of somebody whose profile is `TRUTH`."""
    flat = [[tag for tags in side.values() for tag in tags] for side in (LASTING, LATE)]
    return timeline(*flat, captions=captions)


@pytest.fixture
def truth():
    """The profile that `posts` show."""
    return TRUTH


@pytest.fixture
def posts():
    """A year's posts whose words show the profile `truth`."""
    return known_timeline()


@pytest.fixture
def pictures():
    """The same posts, but only the captions of their images show it."""
    return known_timeline(captions=True)
