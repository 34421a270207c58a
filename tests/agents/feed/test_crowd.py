"""A crowd: people in columns who act as rule agents do."""

import numpy as np
import pytest

from folkmoot.agents.feed.crowd import FeedCrowd
from folkmoot.agents.feed.policy import FeedPolicy
from folkmoot.sim.errors import ConfigError

NAMES = ["ada", "ben", "cleo"]
GOOD = {"tags": ["owls", "kites"], "interests": np.array([[0], [1], [1]]), "policy": FeedPolicy()}


def test_it_is_a_mapping_of_agents_and_rates():
    """Every name has an agent of that id and its own rate, in the order given."""
    crowd = FeedCrowd(NAMES, rates=np.array([0.5, 2.0, 0.0]), **GOOD)
    assert list(crowd) == NAMES
    assert [crowd[name].id for name in crowd] == NAMES
    assert dict(crowd.rates) == {"ada": 0.5, "ben": 2.0, "cleo": 0.0}
    assert "dara" not in crowd
    assert crowd.rates.get("dara", 7.0) == 7.0


@pytest.mark.parametrize(
    ("names", "change"),
    [
        (["ada", "ada", "cleo"], {}),
        (NAMES, {"interests": np.array([[0], [1]])}),
        (NAMES, {"rates": np.array([1.0])}),
        (NAMES, {"interests": np.array([[0], [1], [2]])}),
        (NAMES, {"interests": np.array([0, 1, 1])}),
        (NAMES, {"interests": np.zeros((3, 0), int)}),
    ],
)
def test_columns_that_dont_fit_are_errors(names, change):
    """A name twice, columns of other lengths and tags that aren't there are named before anybody acts."""
    with pytest.raises(ConfigError, match=r"give (as many|a row)"):
        FeedCrowd(names, **{**GOOD, **change})


def test_a_crowd_of_nobody_is_an_error():
    """No names, no rows and no rates fit together, and are refused all the same, with what to give."""
    with pytest.raises(ConfigError, match="0 people; give a name"):
        FeedCrowd([], **{**GOOD, "interests": np.zeros((0, 1), int)})


def test_hashtags_meet_interests_in_any_case(turn, feed, post):
    """A hashtag is the same tag however it is written: a post about `#Kites` is the choice of who likes kites."""
    world = feed((post(0, "cleo", "One.", hashtags=("Kites",)), post(1, "ben", "Two.", hashtags=("trains",))))
    policy = FeedPolicy({"acts": {"exogenous": {"reply": 1.0}}, "homophily": 1e9, "rank": [0.5, 0.5]})
    ada = FeedCrowd(["ada"], tags=["kites"], interests=np.array([[0]]), policy=policy)["ada"]
    view = world.view("ada", 1_714_910_400_000)
    assert {ada.act(turn("ada", number=number), view).post for number in range(20)} == {0}
