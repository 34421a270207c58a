"""Interventions and branches: the experimenter changes the world at a moment, and only what follows differs."""

import json

import pytest

import folkmoot
from folkmoot.sim.commands.branch import branch
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.events import Intervention, TextEvent
from folkmoot.sim.runs import Run

SMALL = (
    *("llm=scripted", "annotator=scripted", "monitor=[]", "tracking=none", "live=off"),
    *("experiment.days=0.5", "seed=4"),
)


def lines(run):
    """The log's lines."""
    return run.log.read_bytes().splitlines()


def talkative(run):
    """Who wrote most."""
    authors = [e.actor for e in run.events() if isinstance(e, TextEvent) and e.origin == "simulated"]
    return max(sorted(set(authors)), key=authors.count)


@pytest.fixture(scope="module")
def base(tmp_path_factory, run):
    """An undisturbed run."""
    return run(SMALL, tmp_path_factory.mktemp("base") / "run").run


def test_a_branch_shares_the_events_up_to_its_point_and_repeats(base, tmp_path):
    """Law: the logs are the same byte for byte up to the event, the change stands right after it, the run replays."""
    who, at = talkative(base), 30
    other = branch(base.path, at, [f"intervention={{kind:ban,user:{who}}}"], tmp_path / "one")
    mine, theirs = lines(other.run), lines(base)
    assert mine[: at + 2] == theirs[: at + 2]
    change = list(other.run.events())[at + 1]
    assert isinstance(change, Intervention)
    assert (change.name, json.loads(change.value), change.origin) == ("ban", {"user": who}, "injected")
    assert change.time == list(base.events())[at].time
    assert not [e for e in list(other.run.events())[at:] if isinstance(e, TextEvent) and e.actor == who]
    assert any(getattr(e, "reason", "") == "banned user" for e in other.run.events())
    assert folkmoot.replay(other.run.path).outcome.state == "identical"
    again = branch(base.path, at, [f"intervention={{kind:ban,user:{who}}}"], tmp_path / "two")
    assert lines(again.run) == mine


def test_a_change_without_effect_changes_nothing_else(base, tmp_path):
    """Law: common random numbers: a rule set to the value that it has leaves all other events as they were."""
    other = branch(base.path, 20, ["intervention={kind:rule,set:{on_conflict:rebase}}"], tmp_path / "same")
    told = [(type(e), e.time, e.actor, getattr(e, "text", "")) for e in base.events()]
    changed = [e for e in other.run.events() if not isinstance(e, Intervention)]
    assert [(type(e), e.time, e.actor, getattr(e, "text", "")) for e in changed] == told


def test_a_branch_that_was_killed_goes_on_to_the_same_log(base, tmp_path):
    """Law: resume is replay for branches too, with the answers that the branch made anew."""
    other = branch(base.path, 25, [f"intervention={{kind:ban,user:{talkative(base)}}}"], tmp_path / "whole").run
    whole = lines(other)
    other.log.write_bytes(b"\n".join(whole[:40]) + b"\n")
    folkmoot.resume(other.path)
    assert lines(other) == whole


def test_a_planned_intervention_happens_at_its_time(run, tmp_path):
    """Law: `at` days after the start, before what is committed then; an injected thread isn't a simulated comment."""
    thread = '{kind:inject,at:0.25,user:guest,page:"Talk:Harrow Mill Aqueduct",title:Dates,text:Which date is it?}'
    result = run([*SMALL, f"interventions=[{thread}]"], tmp_path / "run")
    events = list(result.run.events())
    index = next(i for i, e in enumerate(events) if isinstance(e, Intervention))
    start = Run(result.run.path).manifest()["communities"]["demo-en"]["start"]
    assert events[index].time == start + 6 * 3_600_000
    opened = events[index + 1]
    assert (opened.actor, opened.origin, opened.causes) == ("guest", "injected", (events[index].seq,))
    simulated = [e for e in events if isinstance(e, TextEvent) and e.origin == "simulated"]
    assert result.summary["comments"] == len(simulated)


@pytest.mark.parametrize(
    ("planned", "said"),
    [
        ("{kind:ban,at:0.1,user:nobody}", "'nobody' isn't one of the agents"),
        ("{kind:mute,at:0.1,user:ada}", "'mute' isn't known on a Talk page"),
        ("{kind:rule,at:0.1,set:{max_lenght:3}}", "did you mean 'max_length'"),
        ("{kind:rule,at:0.1,set:{max_length:0}}", "greater than or equal to 1"),
        ("{kind:inject,at:0.1,user:ada,text:Hi,page:Nowhere,title:T}", "unknown page"),
        ("{kind:inject,at:0.1,user:ada,text:Hi}", "page: Field required"),
        ("{kind:ban,at:9,user:ada}", "after the end"),
        ("{kind:ban,at:-1,user:ada}", "before the simulation's start"),
        ("{kind:ban,at:soon,user:ada}", "isn't an ISO instant"),
        ("{kind:ban,user:ada}", "give one of at"),
        ("{kind:bann,at:1,user:ada}", "bann"),
    ],
)
def test_a_wrong_intervention_is_told_before_the_run(planned, said, run, tmp_path):
    """Law: an intervention that an environment would refuse ends the run before its first event, in words."""
    with pytest.raises(ConfigError) as told:
        run([*SMALL, f"interventions=[{planned}]"], tmp_path / "run")
    assert said in str(told.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("at", "overrides", "said"),
    [
        (10**6, ["intervention={kind:ban,user:x}"], "holds the events 0 to"),
        (-1, ["intervention={kind:ban,user:x}"], "holds the events 0 to"),
        (5, ["intervention={kind:ban,user:x}"], "isn't one of the agents"),
        (5, ["intervention={kind:ban,user:x,at:2}"], "without a time"),
        (5, ["intervention=ban"], "without a time"),
        (5, ["seed=2"], "a run that has begun keeps it"),
    ],
)
def test_a_wrong_branch_leaves_nothing(base, at, overrides, said, tmp_path):
    """Law: what can't be branched says why and leaves nothing."""
    with pytest.raises(ConfigError) as told:
        branch(base.path, at, overrides, tmp_path / "new")
    assert said in str(told.value)
    assert not list((tmp_path / "new").glob("*"))
