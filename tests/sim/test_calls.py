"""Call records: answered from the file, counted as spent, kept in memory without their prompts."""

import asyncio

import pytest

from folkmoot.sim.call_records import Attempt, read_calls
from folkmoot.sim.calls import Caller, NoModel
from folkmoot.sim.errors import LogError, ModelError, ReplayMismatch
from folkmoot.sim.protocols import Answer, LabelScores, Message, Sampling

PROMPT = (Message("user", "Is the mill old?"),)
ANSWER = Answer(text="Yes.", prompt_tokens=7, completion_tokens=2, cost=0.25)
SCORES = LabelScores(logprobs=(-0.5, -1.0), prompt_tokens=11, cost=0.5)


class Model:
    """Fails its first try of each call, then answers."""

    async def generate(self, messages, sampling, seed, on_attempt):
        """An answer at the second try."""
        on_attempt(Attempt(number=0, error="busy"))
        on_attempt(Attempt(number=1, answer=ANSWER))
        return ANSWER

    async def label_logprobs(self, messages, labels, seed, on_attempt):
        """Scores at the second try."""
        on_attempt(Attempt(number=0, error="busy"))
        on_attempt(Attempt(number=1, scores=SCORES))
        return SCORES


class Broken:
    """Fails for good."""

    async def generate(self, messages, sampling, seed, on_attempt):
        """Never an answer."""
        on_attempt(Attempt(number=0, error="gone"))
        raise ModelError("gone for good")


def ask(caller):
    """Both kinds of call."""

    async def main():
        answer = await caller.generate(("a", 0, 0), PROMPT, Sampling())
        return answer, await caller.label_logprobs(("a", 0, 1), PROMPT, ("A", "B"))

    try:
        return asyncio.run(main())
    finally:
        caller.close()


def test_recorded_answers_are_given_again_and_counted(tmp_path):
    """A re-run gets the same answers without a model; what they had cost is counted, failed tries aren't."""
    path = tmp_path / "calls.jsonl"
    fresh = Caller(Model(), path, 1)
    assert ask(fresh) == (ANSWER, SCORES)
    assert (fresh.replayed, fresh.replayed_tokens, fresh.replayed_cost) == (0, 0, 0.0)
    again = Caller(NoModel(), path, 1, read_only=True)
    assert ask(again) == (ANSWER, SCORES)
    assert (again.replayed, again.replayed_tokens, again.replayed_cost) == (2, 7 + 2 + 11, 0.75)


def test_prompts_are_read_for_show_only(tmp_path):
    """`read_calls` has every try with its prompt; what a re-run keeps has neither failed tries nor prompts."""
    path = tmp_path / "calls.jsonl"
    ask(Caller(Model(), path, 1))
    records = read_calls(path)
    assert [(r.attempt, r.error) for r in records] == [(0, "busy"), (1, None)] * 2
    assert all(r.messages == PROMPT for r in records)
    kept = Caller(NoModel(), path, 1, read_only=True)._known
    assert sorted(kept) == [("a", 0, 0), ("a", 0, 1)]
    assert not any(hasattr(record, "messages") for record in kept.values())


@pytest.mark.parametrize(("final", "way"), [(True, "gone for good"), (False, "holds no answer")])
def test_only_final_failures_are_repeated(tmp_path, final, way):
    """A failure is repeated from the record where the run went on with it, else the call is made again."""
    path = tmp_path / "calls.jsonl"
    with pytest.raises(ModelError, match="gone for good"):
        ask(Caller(Broken(), path, 1, final_failures=final))
    with pytest.raises((ModelError, ReplayMismatch), match=way):
        ask(Caller(NoModel(), path, 1, read_only=True))


def test_another_prompt_is_a_mismatch(tmp_path):
    """Under a recorded key only the recorded prompt is answered."""
    path = tmp_path / "calls.jsonl"
    ask(Caller(Model(), path, 1))
    caller = Caller(NoModel(), path, 1, read_only=True)
    with pytest.raises(ReplayMismatch, match="asked with prompt"):
        asyncio.run(caller.generate(("a", 0, 0), PROMPT, Sampling(max_tokens=3)))


def test_a_damaged_line_is_named(tmp_path):
    """A line that is no record is an error with its number; an unfinished last one is cut off with a notice."""
    path = tmp_path / "calls.jsonl"
    ask(Caller(Model(), path, 1))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"agent"')
    caller = Caller(NoModel(), path, 1)
    caller.close()
    assert "8 bytes" in caller.notice
    assert path.read_bytes() == whole
    path.write_bytes(whole + b"{}\n")
    with pytest.raises(LogError, match="line 5 isn't a call record"):
        Caller(NoModel(), path, 1)
