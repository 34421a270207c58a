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
    ],
)
def test_columns_that_dont_fit_are_errors(names, change):
    """A name twice, columns of other lengths and tags that aren't there are named before anybody acts."""
    with pytest.raises(ConfigError, match=r"give (as many|a row)"):
        FeedCrowd(names, **{**GOOD, **change})
