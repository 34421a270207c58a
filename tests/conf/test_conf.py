"""Every YAML composes, and what it composes is accepted by the typed config."""

import pytest

from folkmoot.sim.commands.compose import compose, groups
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.experiments.settings import RunConfig

NEEDS = {
    ("corpus", "wikitext"): ["corpus.path=page.wikitext"],
    ("corpus", "built"): ["corpus.path=corpora/dewiki"],
    ("llm", "server"): ["llm.model=some-model"],
    ("llm", "litellm"): ["llm.model=some/model"],
    ("llm", "vllm"): ["llm.model=some-model"],
    ("annotator", "hub"): [],
    **{(group, name): ["environment=social_feed"] for group in ("ranking", "follows") for name in groups()[group]},
    ("experiment", "persona_fidelity"): ["data=benchmark.json"],
    ("monitor", "recovery"): ["corpus=demo_feed"],
}
OPTIONS = [(group, option) for group, options in groups().items() for option in options]


@pytest.mark.parametrize(("group", "option"), OPTIONS)
def test_every_option_composes_and_is_typed(group, option):
    """Each option of each group makes a whole, valid config."""
    chosen = f"[{option}]" if group == "monitor" else option
    values = compose([f"{group}={chosen}", *NEEDS.get((group, option), [])])
    check(RunConfig, values)


@pytest.mark.parametrize("condition", ["base", "profile", "history"])
def test_a_given_condition_wins_over_the_corpus_default(condition):
    """`corpus=wikitext` makes `history` the default and nothing more."""
    values = compose(["corpus=wikitext", "corpus.path=x", f"condition={condition}"])
    assert values["condition"]["name"] == condition
    assert compose(["corpus=wikitext", "corpus.path=x"])["condition"]["name"] == "history"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["llm=scriptd"], "did you mean 'scripted'"),
        (["conditon=base"], "did you mean 'condition'"),
        (["sed=3"], "did you mean 'seed'"),
        (["budget.max_coments=3"], "did you mean 'budget.max_comments'"),
        (["corpus=wikitext"], "corpus.path is missing"),
        (["corpus=wikitext", "corpus.path=x", "bugdet.max_comments=3"], "did you mean 'budget.max_comments'"),
        (["experiment=persona_fidelity", "data=x", "methd=prism"], "did you mean 'method'"),
        (
            ["experiment=persona_fidelity", "data=x", "experiment.show_personas=true"],
            "did you mean 'experiment.show_persona'",
        ),
        (["seed"], "overrides: seed"),
        (["ranking.half_life_h=-1"], "ranking=engagement and ranking=popular have it, the option in use doesn't"),
        (["corpus=demo_feed", "follows.m=-3"], "stand under environment.follows; follows has no keys as it is now"),
        (["corpus=demo_feed", "ranking=popular", "ranking.half_life_h=1"], "mean 'environment.ranking.half_life_h'"),
    ],
)
def test_wrong_overrides_are_told_in_plain_words(overrides, message):
    """A wrong group, option or key names the nearest right one; a missing value says what to give."""
    with pytest.raises(ConfigError, match=message):
        compose(overrides)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["seed=-1"], "seed=-1: at least 0 is needed"),
        (["activity.rate_scale=-2"], "activity.rate_scale=-2: at least 0 is needed"),
        (["activity.rate_scale=1e12"], "activity.rate_scale=1000000000000.0: at most 1000 is allowed"),
        (["budget.tokens=none"], "budget.tokens='none'"),
        (["experiment.days=0"], "experiment.days=0"),
    ],
)
def test_wrong_values_name_value_and_bound(overrides, message):
    """A value out of bounds is refused with its key, itself and the bound."""
    with pytest.raises(ConfigError, match=message):
        check(RunConfig, compose(overrides))


def test_fields_of_activity_are_set_as_documented():
    """`activity.set.think.mean_s=600` works as it is written in the README, without Hydra's `+`."""
    values = compose(["activity.set.think.mean_s=600"])
    assert values["activity"]["set"] == {"think": {"mean_s": 600}}


@pytest.mark.parametrize("condition", ["profile", "behavior"])
def test_raw_pages_take_any_condition_by_name(condition):
    """The defaults of `corpus=wikitext` fit every condition; whether personas do is for the run to say."""
    check(RunConfig, compose(["corpus=wikitext", "corpus.path=x", f"condition={condition}"]))
