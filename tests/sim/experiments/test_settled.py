"""The quick way of tests to a config is the way of runs."""

import pytest

from folkmoot.sim.commands.compose import compose


@pytest.mark.parametrize(
    "overrides",
    [
        ["llm=scripted", "experiment.days=0.5", "seed=4", "monitor=[]", "live=off", "tracking=none"],
        ["experiment=profile", "llm=scripted", "setting=temporal", "experiment.match=exact", "llm.garbage_rate=0.5"],
        ["experiment=dialogue", "+llm@experiment.judges.one=scripted", "experiment.judges.one.garbage_rate=1"],
        ["environment=social_feed", "corpus=demo_feed", "ranking=popular", "environment.ranking=random"],
        ["activity.set.think.mean_s=600", "budget.tokens=10", "dry_run=true"],
    ],
)
def test_settled_is_composed(settle, overrides):
    """Law: values set in a config that was composed before are those that composing gives."""
    assert settle(overrides) == compose(overrides)
