"""A small feed, random acts on it, and an encoder that needs no model."""

import re

import numpy as np
import pytest
from hypothesis import strategies as st

from folkmoot.environments.social_feed.feed import SocialFeed
from folkmoot.environments.social_feed.rules import SocialFeedConfig
from folkmoot.sim.feed import Follow, Like, Mute, Publish, Quote, Repost, Respond, Unfollow
from folkmoot.sim.protocols import Abstain, Refuse

USERS = ("ada", "ben", "cleo", "dara", "eve")
FOLLOWS = (("ada", "ben"), ("ada", "cleo"), ("ben", "cleo"), ("cleo", "ada"), ("dara", "ada"))
WORDS = ("mill", "ferry", "ramen", "kite", "owl")


class WordEncoder:
    """An embedding with one dimension a word."""

    name, dimension = "words", len(WORDS)

    def __init__(self):
        self.batches = []

    def encode(self, texts):
        """Which words are in each text, of length 1."""
        self.batches.append(list(texts))
        found = np.array([[word in re.findall(r"\w+", text.lower()) for word in WORDS] for text in texts], np.float32)
        return found / np.maximum(1e-9, np.linalg.norm(found, axis=1, keepdims=True))


def feed(seed=0, **rules):
    """Five users, five follows; interests of two of them."""
    return SocialFeed(
        "town",
        "en",
        USERS,
        FOLLOWS,
        SocialFeedConfig(**rules),
        encoder=WordEncoder(),
        profiles={"ada": "mill and ramen", "ben": "owl"},
        seed=seed,
    )


_TEXTS = st.sampled_from(
    [
        "The mill turns.",
        "@ada ramen? #ramen",
        "kite and owl",
        "",
        "x" * 600,
        "@eve @new ferry",
        "https://example.org owl",
    ]
)
_NAMES = st.sampled_from((*USERS, "new", "nobody"))
_POSTS = st.integers(0, 12)


def _acts(agent, based_on):
    common = {"agent": agent, "based_on": based_on}
    return st.one_of(
        st.builds(lambda t: Publish(**common, text=t), _TEXTS),
        st.builds(lambda p, t: Respond(**common, post=p, text=t), _POSTS, _TEXTS),
        st.builds(lambda p, t: Quote(**common, post=p, text=t), _POSTS, _TEXTS),
        st.builds(lambda p: Repost(**common, post=p), _POSTS),
        st.builds(lambda p: Like(**common, post=p), _POSTS),
        st.builds(lambda n: Follow(**common, user=n), _NAMES),
        st.builds(lambda n: Unfollow(**common, user=n), _NAMES),
        st.builds(lambda n: Mute(**common, user=n), _NAMES),
        st.just(Abstain(**common, reason="scrolled past")),
        st.just(Refuse(**common, action="Publish", reason="other language")),
    )


ACTIONS = st.lists(
    st.tuples(st.sampled_from((*USERS, "new")), st.integers(0, 40)).flatmap(lambda pair: _acts(*pair)), max_size=40
)
"""Random acts, most of which can be done; agents may be new."""


@pytest.fixture(scope="session")
def make():
    """`feed`, as a factory."""
    return feed


@pytest.fixture(scope="session")
def actions():
    """The strategy of random acts."""
    return ACTIONS


@pytest.fixture(scope="session")
def encoder():
    """The class of an encoder that needs no model."""
    return WordEncoder
