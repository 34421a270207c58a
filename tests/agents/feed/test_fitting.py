"""Laws of the fit: shares are counted shares; what a corpus doesn't tell keeps its default and is named."""

# ruff: noqa: D103 -- helpers of the tests

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.agents.feed.fitting import fit
from folkmoot.agents.feed.policy import DEFAULT_ACTS
from folkmoot.agents.feed.taste import Taste
from folkmoot.sim.errors import CorpusError
from folkmoot.sim.feed import Followed, PostCreated, Reacted
from folkmoot.sim.persona import Interests

COMMON = {"community": "en", "origin": "recorded"}


def post(seq, actor="ben", text="Words.", **more):
    fields = {"thread": f"c{seq}", "language": "en", **more}
    return PostCreated(seq=seq, time=seq * 1000, actor=actor, text=text, **fields, **COMMON)


def like(seq, actor, target):
    return Reacted(seq=seq, time=seq * 1000, actor=actor, post=target, **COMMON)


def test_shares_are_counted():
    """Law: unprompted acts in proportion to their counts; a reply to one who was answered counts for that trigger."""
    events = [
        post(0),
        post(1, "ada", form="reply", thread="c0", parent=0),  # unprompted
        post(2, "ben", form="reply", thread="c0", parent=1),  # ben was answered
        like(3, "cleo", 0),
        post(4, "cleo", form="repost", of=0, text=""),
    ]
    parameters = fit(events).parameters()
    exogenous, usual = parameters["acts"]["exogenous"], DEFAULT_ACTS["exogenous"]
    left = 1 - sum(usual[act] for act in ("follow", "unfollow", "mute", "scroll"))
    assert {act: exogenous[act] for act in ("post", "reply", "like", "repost")} == pytest.approx(
        dict.fromkeys(("post", "reply", "like", "repost"), left / 4), abs=1e-5
    )
    assert parameters["acts"]["reply"] == {"reply": 1.0}
    assert parameters["unobserved"] == ["follow", "unfollow", "mute", "scroll"]
    assert parameters["n"]["acts"] == {"post": 1, "reply": 2, "repost": 1, "like": 1}


def test_a_quote_calls_on_whom_it_quotes():
    """Law: what the quoted author does to the quote was called for, as on a running feed; a repost calls on nobody."""
    quote = [post(0), post(1, "ada", form="quote", of=0), post(2, "ben", form="reply", thread="c1", parent=1)]
    assert fit([*quote, like(3, "cleo", 0), post(4, "dan", form="repost", of=0, text="")]).parameters()["acts"][
        "mention"
    ] == {"reply": 1.0}
    repost = [post(0), post(1, "ada", form="repost", of=0, text=""), like(2, "ben", 1)]
    assert fit(repost).parameters()["acts"]["mention"] == DEFAULT_ACTS["mention"]


def test_the_page_is_that_of_the_followed():
    """Law: the rank of what was reacted to counts posts of those followed then, not of others, newest first."""
    follow = Followed(seq=0, time=0, actor="ada", user="ben", **COMMON)
    events = [follow, post(1), post(2, "dan"), post(3), post(4, "dan"), like(5, "ada", 1)]
    assert fit(events).parameters()["rank"] == pytest.approx([0.25, 0.75])
    everybody = fit(events[1:]).parameters()
    assert len(everybody["rank"]) == 4
    assert "follow" not in everybody["n"]["acts"]


def test_how_things_stood_is_not_what_was_done():
    """Law: follows from before the first post are the graph of the start; later ones are acts."""
    before = Followed(seq=0, time=0, actor="ada", user="ben", **COMMON)
    after = Followed(seq=2, time=2000, actor="ada", user="dan", **COMMON)
    assert "follow" not in fit([before, post(1)]).parameters()["n"]["acts"]
    assert fit([before, post(1), after]).parameters()["n"]["acts"]["follow"] == 1


def test_homophily_is_a_lift():
    """Law: people who react to posts about their interests far oftener than the page offers them have a lift over 1."""
    taste = {"ada": Taste(Interests(stable={"pets": ("cats",)}))}
    events, seq = [], 0
    for _ in range(15):
        for text in ("About cats.", "About trains.", "About rain.", "About bread."):
            events.append(post(seq, text=text))
            seq += 1
        events.append(like(seq, "ada", seq - 4))
        seq += 1
    assert fit(events, taste).parameters()["homophily"] > 5
    against = [like(e.seq, "ada", e.post + 1) if isinstance(e, Reacted) else e for e in events]
    assert fit(against, taste).parameters()["homophily"] < 0.5


def test_no_posts_no_policy():
    """Law: a corpus without posts is refused with what is needed."""
    with pytest.raises(CorpusError, match="0 posts, at least 1"):
        fit([])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["post", "reply", "repost", "like"])), min_size=1))
@settings(max_examples=60)
def test_any_corpus_gives_a_policy(steps):
    """Law: whatever happened, the parameters are shares, and fitting is a function of the events, not of their order."""
    events = [post(0, "z")]
    for seq, (actor, what) in enumerate(steps, 1):
        target = next(e.seq for e in reversed(events) if isinstance(e, PostCreated))
        more = {"reply": {"parent": target}, "repost": {"of": target}}.get(what, {})
        events.append(like(seq, actor, target) if what == "like" else post(seq, actor, form=what, **more))
    parameters = fit(events).parameters()
    for shares in (*(acts.values() for acts in parameters["acts"].values()), parameters["rank"]):
        assert sum(shares) == pytest.approx(1, abs=1e-3)
    assert fit(events[::-1]).parameters() == parameters
