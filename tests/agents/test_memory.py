"""Recall: own comments, elsewhere, earlier."""

from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.memory import memories, recall
from folkmoot.sim.persona import HistoryComment, HistoryThread, Persona

NOON = 1_714_910_400_000


@given(
    sizes=st.lists(st.integers(1, 9), max_size=8),
    exclude=st.integers(0, 8),
    most=st.integers(1, 20),
    number=st.integers(0, 5),
)
def test_recall_keeps_the_rule(sizes, exclude, most, number, turn):
    """At most `most` comments, all if there are no more; none from the thread written in, none from now on; oldest first."""
    history = [
        HistoryThread(
            thread=f"h{i}",
            title=f"T{i}",
            comments=tuple(HistoryComment(time=NOON - 1000 * (9 - i) + 300 * k, text=f"{i}.{k}") for k in range(size)),
        )
        for i, size in enumerate(sizes)
    ]
    activation = turn("ada", number=number)
    recalled = recall(history, activation, f"h{exclude}", most)
    allowed = {
        c.text for item in history if item.thread != f"h{exclude}" for c in item.comments if c.time < activation.now
    }
    shown = [comment.text for item in recalled for comment in item.comments]
    assert set(shown) <= allowed
    assert len(set(shown)) == len(shown) == min(most, len(allowed))
    starts = [item.comments[0].time for item in recalled]
    assert starts == sorted(starts)
    assert all(list(item.comments) == sorted(item.comments, key=lambda comment: comment.time) for item in recalled)
    assert recall(history, turn("ada", number=number), f"h{exclude}", most) == recalled


def test_a_sample_changes_with_the_activation(turn):
    """More comments than fit are drawn anew at each activation."""
    comments = tuple(HistoryComment(time=i, text=str(i)) for i in range(100))
    history = [HistoryThread(thread="h", title="T", comments=comments)]
    samples = {recall(history, turn("ada", number=number), None, 20) for number in range(5)}
    assert len(samples) == 5


def test_remembering_adds_own_comments_of_the_simulation(view, say):
    """Only with `remember` do the agent's own comments of this run join, thread by thread, without those recorded already."""
    events = [
        say(0, "ben", "x", thread="a"),
        say(1, "ada", "mine", thread="a", parent=0),
        say(2, "ada", "too", thread="h0"),
    ]
    recorded = HistoryThread(thread="h0", title="T", comments=(HistoryComment(time=0, text="old"),))
    persona = Persona(id="ada", language="en", history=(recorded,))
    page = view("ada", events)
    assert list(memories(persona, page, remember=False)) == [recorded]
    joined = list(memories(persona, page, remember=True))
    assert [item.thread for item in joined] == ["h0", "a"]
    assert joined[1].comments == (HistoryComment(time=events[1].time, text="mine"),)
