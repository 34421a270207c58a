"""What an author is reminded of, and what a comment is planned to do."""

import asyncio
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.build import AgentsConfig, Sources, agent_maker, make_tools
from folkmoot.agents.conditioning.act_planned import ActPlannedConfig
from folkmoot.agents.conditioning.acts import Said, levels, mixture, pick
from folkmoot.agents.conditioning.retrieval import RetrievalConfig
from folkmoot.agents.policy import PlanPolicy
from folkmoot.agents.recalling import Nearest
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import HistoryComment, HistoryThread

NOON = 1_714_910_400_000
ACTS = st.sampled_from([("ASK",), ("INFORM",), ("ASK", "POSITIVE"), ("NEGATIVE",)])


class Letters:
    """An encoder that counts letters: texts with the same letters are near."""

    name, dimension = "letters", 26

    def encode(self, texts):
        """L2-normalised counts."""
        table = np.array([[text.lower().count(chr(97 + i)) for i in range(26)] for text in texts], dtype=np.float32)
        return table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)


def item(thread, *texts, start=NOON - 10**9):
    """A history item of one comment a second."""
    return HistoryThread(
        thread=thread, title=thread, comments=tuple(HistoryComment(time=start + i, text=t) for i, t in enumerate(texts))
    )


def test_the_nearest_comments_are_recalled_oldest_first(turn, say):
    """The nearest to title and answered comment, by thread and time; never the thread written in, never what is later."""
    history = [
        item("a", "zzz", "bridge length"),
        item("t1", "bridge length survey"),
        item("b", "bridges and length", "xxx", start=NOON - 10**8),
        item("later", "bridge length survey", start=NOON),
    ]
    answered = say(0, "ben", "bridge length")
    found = Nearest(2, Letters())(history, turn("ada"), "Bridge", answered)
    assert [(one.title, [c.text for c in one.comments]) for one in found] == [
        ("a", ["bridge length"]),
        ("b", ["bridges and length"]),
    ]


@given(st.lists(st.builds(Said, ACTS, st.none() | ACTS), max_size=20), st.none() | ACTS, st.floats(0.1, 10))
def test_shares_of_acts_add_up_to_one(said, before, smoothing):
    """Whatever was said before, the smoothed shares are a distribution over what was said; nothing said gives none."""
    shares = mixture(levels(said, before), smoothing)
    assert sum(shares.values()) == pytest.approx(1 if said else 0)
    assert set(shares) == {one.acts for one in said}
    assert pick(shares, 0.999999999) in (shares or {(): 1})


def test_more_evidence_weighs_more():
    """With more comments of one's own the draw moves from everybody's acts to one's own."""
    everybody = Counter({("INFORM",): 50})
    own = [mixture([Counter({("ASK",): n}), everybody], 3.0)["ASK",] for n in (1, 3, 30)]
    assert own == pytest.approx([1 / 4, 3 / 6, 30 / 33])


@pytest.mark.parametrize(
    ("config", "message"), [(RetrievalConfig(), "needs an encoder"), (ActPlannedConfig(), "next_turn")]
)
def test_a_method_without_its_source_is_refused(config, message, words):
    """`retrieval` without an encoder and `act_planned` without labelled acts are errors that name the way out."""
    with pytest.raises(ConfigError, match=message):
        make_tools(config, words(), PlanPolicy(), AgentsConfig(max_tokens=64))


class Always:
    """A source of acts that always says the same."""

    async def draw(self, activation, persona, answered):
        """Ask."""
        return ("ASK",)


def test_planned_acts_stand_in_the_prompt(persona, events, turn, view, words):
    """The drawn acts are noted and the instruction names them."""
    settings = AgentsConfig(max_tokens=64)
    make = agent_maker(ActPlannedConfig(), words(), PlanPolicy(), settings, Sources(acts=Always()))
    one = turn("ada", trigger="target", causes=(3,))
    asyncio.run(make(persona).act(one, view("ada", events)))
    assert one.notes["acts"] == ["ASK"]
    assert "In this comment you: ask a question." in one.calls[0][0][1].content
