"""The plan policy: fitted shares, and draws that follow them."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.agents.policy import PlanPolicy
from folkmoot.sim.errors import ConfigError, CorpusError


def test_a_fit_counts_what_happened(say):
    """On a hand-counted corpus every parameter is the share that a reader would count."""
    events = [
        say(0, "ann", "opens", thread="a"),
        say(1, "ben", "joins", thread="a", parent=0),
        say(2, "cleo", "opens", thread="b"),
        say(3, "ann", "returns, answers ben", thread="a", parent=1),
        say(4, "ann", "answers herself", thread="a", parent=3),
        say(5, "dora", "joins, answers the opening", thread="a", parent=0),
    ]
    fitted = PlanPolicy.fit(events).parameters()
    assert fitted["open"] == 0.5  # two openings, two who joined
    assert fitted["thread"] == [1.0]  # ben and dora joined the newest thread; who returns hasn't chosen
    assert fitted["comment"] == [0.75, 0.0, 0.0, 0.25]
    assert fitted["self"] == 0.25
    assert fitted["cause"] == 1.0  # ann, alerted to ben's reply, answered it
    # replies to others: 1 (ann alerted, answered), 3 (ben, silent), 5 (ann, silent)
    assert fitted["abstain"]["reply"] == pytest.approx(2 / 3, abs=1e-6)
    # others of the thread: 4 and 5 (ben both times), silent
    assert fitted["abstain"]["watch"] == 1.0
    assert fitted["n"]["comments"] == 6


def test_ranks_are_those_of_people_who_join(say):
    """The rank of a thread counts where somebody comes to it for the first time."""
    events = [
        say(0, "ann", "opens", thread="a"),
        say(1, "ben", "opens", thread="b"),
        say(2, "cleo", "joins the older thread", thread="a", parent=0),
        say(3, "dora", "joins the one just answered", thread="a", parent=2),
        say(4, "ben", "returns to the older one", thread="b", parent=1),
    ]
    assert PlanPolicy.fit(events).parameters()["thread"] == [0.5, 0.5]


def test_the_order_of_the_events_does_not_matter(say):
    """A fit orders by time itself."""
    events = [
        say(seq, "ann" if seq % 2 else "ben", "x", thread=f"t{seq % 3}", parent=seq - 3 if seq > 2 else None)
        for seq in range(20)
    ]
    assert PlanPolicy.fit(reversed(events)).parameters() == PlanPolicy.fit(events).parameters()


def test_parameters_survive_json(events):
    """Parameters through JSON give the same policy; given probabilities of abstaining replace fitted ones."""
    policy = PlanPolicy.fit(events, abstain={"watch": 0.5})
    again = PlanPolicy.from_parameters(json.loads(json.dumps(policy.parameters())))
    assert again.parameters() == policy.parameters()
    assert again.parameters()["abstain"]["watch"] == 0.5


def test_bad_parameters_are_named():
    """A fit on nothing, unknown names, probabilities outside [0, 1] and shares off 1 are refused with value and bound."""
    with pytest.raises(CorpusError, match="0 comments"):
        PlanPolicy.fit([])
    with pytest.raises(ConfigError, match=r"open=1.5 is outside \[0, 1\]"):
        PlanPolicy({"open": 1.5})
    with pytest.raises(ConfigError, match="'opne'"):
        PlanPolicy({"opne": 0.5})
    with pytest.raises(ConfigError, match="'rely'"):
        PlanPolicy({"abstain": {"rely": 0.5}})
    with pytest.raises(ConfigError, match="shares"):
        PlanPolicy({"thread": [0.5, 0.1]})


def test_draws_follow_the_shares(turn, view, say):
    """Over many activations, openings, threads and comments come in the fitted proportions."""
    events = [say(seq, f"u{seq}", "x", thread=f"t{seq // 3}", parent=seq - 1 if seq % 3 else None) for seq in range(9)]
    policy = PlanPolicy({"open": 0.2, "thread": [0.5, 0.3, 0.2], "comment": [0.6, 0.4]})
    page = view("ada", events)
    plans = [policy.plan(turn("ada", number=number), page) for number in range(4000)]
    kinds = Counter(plan.kind for plan in plans)
    assert kinds["open"] / 4000 == pytest.approx(0.2, abs=0.03)
    replies = [plan for plan in plans if plan.kind == "reply"]
    threads = Counter(plan.thread for plan in replies)
    assert [threads[name] / len(replies) for name in ("t2", "t1", "t0")] == pytest.approx([0.5, 0.3, 0.2], abs=0.03)
    newest = Counter(plan.parent % 3 for plan in replies)
    assert [newest[place] / len(replies) for place in (2, 1, 0)] == pytest.approx([0.6, 0.4, 0], abs=0.03)


def test_a_draw_is_a_function_of_the_activation(turn, view, events):
    """The same activation plans the same twice, and reads at most one thread."""
    policy = PlanPolicy.fit(events)
    page = view("ada", events)
    plans = [[policy.plan(turn("ada", number=number), page) for number in range(50)] for _ in range(2)]
    assert plans[0] == plans[1]


def test_abstaining_is_off_unless_given(turn, view, events):
    """By default no activation abstains where something can be answered; at probability 1 each does."""
    page = view("ada", events)
    for trigger in ("exogenous", "reply", "mention", "watch"):
        activation = turn("ada", trigger=trigger, causes=(3,))
        assert PlanPolicy({}).plan(activation, page).kind != "abstain"
        assert PlanPolicy({"abstain": {trigger: 1.0}}).plan(activation, page).kind == "abstain"


@pytest.mark.parametrize("trigger", ["reply", "mention"])
def test_what_woke_the_agent_is_answered(trigger, turn, view, events):
    """Woken by a reply or a mention, at `cause` 1 the agent answers just that comment."""
    plan = PlanPolicy({}).plan(turn("ben", trigger=trigger, causes=(2,)), view("ben", events))
    assert (plan.kind, plan.thread, plan.parent) == ("reply", "t1", 2)


def test_a_watched_thread_is_where_the_answer_goes(turn, view, say):
    """Woken by a watched page, the agent answers in the thread of the cause."""
    events = [say(0, "ben", "x", thread="a"), say(1, "cleo", "y", thread="b")]
    plan = PlanPolicy({}).plan(turn("ada", trigger="watch", causes=(0,)), view("ada", events))
    assert plan.parent == 0


def test_a_target_is_given_not_drawn(turn, view, events):
    """A target activation answers the last cause, without a draw; a cause that isn't there is an error."""
    activation = turn("ada", trigger="target", causes=(1, 2))
    assert PlanPolicy({"open": 1.0}).plan(activation, view("ada", events)).parent == 2
    assert activation.draws == []
    with pytest.raises(ConfigError, match="comment 99"):
        PlanPolicy({}).plan(turn("ada", trigger="target", causes=(99,)), view("ada", events))


@settings(max_examples=60)
@given(authors=st.lists(st.sampled_from(["ada", "ben"]), min_size=1, max_size=8), number=st.integers(0, 50))
def test_nobody_answers_oneself(authors, number, turn, view, say):
    """While `self` is 0 no comment of one's own is answered; with only own ones the agent stays silent."""
    events = [say(seq, actor, "x", parent=seq - 1 if seq else None) for seq, actor in enumerate(authors)]
    plan = PlanPolicy({"open": 0.0}).plan(turn("ada", number=number), view("ada", events))
    if "ben" in authors:
        assert authors[plan.parent] == "ben"
    else:
        assert plan.reason == "only own comments to answer"


def test_an_empty_or_archived_place(turn, view, events):
    """Where nothing can be answered a thread is opened; an archived cause is left alone; without pages nothing is said."""
    assert PlanPolicy({"open": 0.0}).plan(turn("ada"), view("ada", [])).kind == "open"
    assert PlanPolicy({}).plan(turn("ada"), view("ada", [], pages=())).reason == "no thread to answer"
    archived = view("ada", events, archived=["t1"])
    assert PlanPolicy({}).plan(turn("ada", trigger="reply", causes=(3,)), archived).reason == "the thread is archived"
