"""What a wrong config is told: key=value, the bound, the way out, in our words alone."""

import re

import pytest

from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.experiments.settings import RunConfig

FOREIGN = re.compile(r"Input (should|tag)|pydantic|valid (integer|string|number)|Hydra|struct|Could not|\\boverrides:")
"""Words of libraries."""


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ("budget.tokens=-1", "budget.tokens=-1: at least 1 is needed; give budget.tokens=1 or more"),
        ("experiment.days=0", "experiment.days=0: more than 0 is needed; give a larger number"),
        ("agents.abstain.reply=x", "agents.abstain.reply='x': takes a number"),
        ("activity.think_share=2", "activity.think_share=2: at most 1 is allowed; give activity.think_share=1 or less"),
        ("seed=1.5", "seed=1.5: takes a whole number"),
        ("dry_run=perhaps", "dry_run='perhaps': takes true or false"),
        ("name=null", "name=None: takes text; give name=TEXT"),
        ("budget=5", "budget=5: takes names with values; give budget.NAME=VALUE"),
        ("corpus.lang=5", "corpus.lang=5: takes text or a list; give corpus.lang=TEXT or corpus.lang=[A,B]"),
        ("corpus.lang=[en,2]", "corpus.lang.1=2: takes text"),
        ("experiment=persona_fidelity data=x rubric=0", "experiment.rubric=0: not one of the choices; known: '5', '7'"),
        ("live=sometimes", "live='sometimes': not one of the choices; known: 'auto', 'off', 'on'"),
        ("agents.abstain.rply=0.2", "agents.abstain.rply='rply': not one of the choices; did you mean 'reply'?"),
        ("annotator.encoder.layers=[]", "annotator.encoder.layers=[]: holds 0, at least 1 are needed; give more"),
        ("llm.backend=servr", "llm.backend=servr: there is no such kind; did you mean 'server'"),
        ("~llm.backend", "llm.backend is missing: give llm.backend=..., which says what kind it is"),
        ("+llm.thread=1", "unknown key 'llm.thread'; did you mean 'threads'?"),
        ("+budget.hours=1", "unknown key 'budget.hours'; known: 'cost', 'max_comments', 'tokens', 'wall_s'"),
        ("monitor=[texts]", "monitor=[texts]: there is no such option; did you mean 'text'?"),
        ("monitor=[acts,texts]", "monitor=[acts,texts]: there is no such option; did you mean 'text'?"),
        ("monitor=null", "monitor=null: there is no such option; known: 'acts', "),
        ("llm=scriptd", "llm=scriptd: there is no such option; did you mean 'scripted'?"),
        ("llm=[scripted]", "llm=[scripted]: takes one option; give llm=scripted"),
        ("annotator=[hubb]", "annotator=[hubb]: there is no such option; did you mean 'hub'?"),
        ("seed=[1,2", "seed=[1,2: can't be read as key=value"),
        ("a=b=c", "a=b=c: can't be read as key=value"),
        ("llm.windw=9", "unknown key 'llm.windw'; did you mean 'llm.window'"),
        ("llm=scripted llm.latncy_s=3", "unknown key 'llm.latncy_s'; did you mean 'llm.latency_s'"),
        ("llm=server llm.url=here", "llm.url='here' isn't an http address; give one such as http"),
    ],
)
def test_a_wrong_override_is_told_in_our_words(overrides, message):
    """Law: key, value, bound and way out; nothing of what a library would say."""
    with pytest.raises(ConfigError) as caught:
        check(RunConfig, compose(overrides.split()))
    assert str(caught.value).startswith(message)
    assert not FOREIGN.search(str(caught.value))
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("key", ["zzz", "qqq.www", "hydra.foo", "llm.qqq"])
def test_an_unknown_key_shows_one_group_alone(key):
    """Law: where no name is near, the names of the innermost known group are listed, not all there are."""
    with pytest.raises(ConfigError) as caught:
        compose([f"{key}=3"])
    told = re.findall(r"'([^']*)'", str(caught.value))
    assert told[0] == key
    groups = {name.rpartition(".")[0] for name in told[1:]}
    assert groups == ({"llm"} if key == "llm.qqq" else {""})


def test_several_faults_are_told_at_once():
    """Law: each wrong key has its line."""
    with pytest.raises(ConfigError) as caught:
        check(RunConfig, compose(["budget.tokens=-1", "seed=x", "live=no"]))
    assert [line.partition("=")[0] for line in str(caught.value).splitlines()] == ["seed", "live", "budget.tokens"]


def test_keys_of_open_mappings_need_no_plus():
    """Law: what a config leaves open takes any key by its plain name."""
    values = compose(["agents.abstain.reply=0.25", "activity.set.think.mean_s=60", "llm=server", "llm.extra.top_k=5"])
    assert values["agents"]["abstain"] == {"reply": 0.25}
    assert values["activity"]["set"] == {"think": {"mean_s": 60}}
    assert values["llm"]["extra"] == {"top_k": 5}
