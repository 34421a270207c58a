"""Holistic and pairwise judges: what they read, what they count, what they never guess."""

import asyncio

import pytest

from folkmoot.metrics.fidelity.evaluator import Item
from folkmoot.metrics.fidelity.judges import RUBRICS, Judge, JudgeSettings, prefer, read_score, system_prompt
from folkmoot.metrics.fidelity.separation import pair_separation
from folkmoot.metrics.fidelity.spaces import trait_space
from folkmoot.sim.errors import ConfigError, MetricError
from folkmoot.sim.protocols import Answer, LabelScores

ITEM = Item("i", trait_space("openness", "high", persona="An open-minded glassblower."), "Shall we?", "Let us!")


class Says:
    """A judge that gives the planned answers by seed, and prefers the reply with an exclamation mark."""

    name, repeatable, window = "says", True, 4096

    def __init__(self, *answers, first=0.0):
        self.answers, self.first = answers, first
        self.asked = []

    def count_tokens(self, messages):
        """Not needed."""
        return 0

    async def generate(self, messages, sampling, seed):
        """The next answer."""
        self.asked.append((messages, sampling, seed))
        return Answer(text=self.answers[(len(self.asked) - 1) % len(self.answers)])

    async def label_logprobs(self, messages, labels, seed):
        """A point for each exclamation mark, and `first` for standing first."""
        one, two = messages[-1].content.split("Reply 1:")[1].split("Reply 2:")
        return LabelScores(logprobs=(one.count("!") + self.first, float(two.count("!"))))

    async def close(self):
        """Nothing to free."""


def judged(model, item=ITEM, **settings):
    """Score and unreadable answers."""
    judge = Judge(model, JudgeSettings(**settings))
    return asyncio.run(judge.score([item]))[0]


@pytest.mark.parametrize("points", [5, 7])
@pytest.mark.parametrize("method", ["vanilla", "cot"])
def test_rubric_and_persona_are_shown(points, method):
    """The judge sees persona, context, reply and as many anchors as the rubric has points."""
    model = Says("Score: 3")
    judged(model, method=method, points=points)
    (system, user), sampling, _ = model.asked[0]
    assert all(f"{k}: {text}" in system.content for k, text in enumerate(RUBRICS[points], start=1))
    assert all(text in user.content for text in ("glassblower", "Shall we?", "Let us!"))
    assert sampling.temperature == 0
    assert len(RUBRICS[points]) == points
    assert "$" not in system_prompt(method, points)


@pytest.mark.parametrize(
    ("answer", "method", "points", "expected"),
    [
        ("4", "vanilla", 5, 4),
        ("**4**", "vanilla", 5, 4),
        ("Score: 4/5", "vanilla", 5, 4),
        ("6", "vanilla", 5, None),
        ("0", "vanilla", 5, None),
        ("4 or 5", "vanilla", 5, None),
        ("", "vanilla", 5, None),
        ("I can't tell.", "cot", 7, None),
        ("Score: 2 at first sight.\nScore: 6", "cot", 7, 6),
        ("Stance: warm, 7 of 7.", "cot", 7, None),
    ],
)
def test_scores_are_read_or_not(answer, method, points, expected):
    """Only a stated score within bounds counts; nothing is guessed from other numbers."""
    assert read_score(answer, method, points) == expected


def test_unreadable_answers_are_counted():
    """An unreadable answer gives no score and is counted; an empty response is not asked about."""
    assert judged(Says("as a model, I"))[:2] == (None, 1)
    empty = Item("e", ITEM.space, "", " ")
    model = Says("5")
    assert judged(model, empty) == (None, 0, "")
    assert not model.asked


def test_samples_are_averaged_over_seeds():
    """Above temperature 0 the mean of three answers of different seeds counts, unreadable ones left out."""
    model = Says("2", "5", "what?")
    assert judged(model, temperature=0.5)[:2] == (3.5, 1)
    assert len({seed for _, _, seed in model.asked}) == 3


def test_pairwise_judges_are_asked_in_both_orders():
    """A preference for the first place cancels; the better reply wins from either side."""
    worse = Item("j", ITEM.space, ITEM.context, "Let us.")
    for model in (Says(), Says(first=5.0)):
        assert asyncio.run(prefer(model, ITEM, worse)).first > 0.5
        assert asyncio.run(prefer(model, worse, ITEM)).first < 0.5
    assert asyncio.run(prefer(Says(first=5.0), ITEM, ITEM)).first == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("context", "response", "cut"), [("so " * 400, "Let us!", "context"), ("", "yes " * 400, "response")]
)
def test_what_is_over_the_window_is_cut_and_told(context, response, cut):
    """The context goes first, then the end of the reply, for judges of one reply and of two; the answer has its room."""

    class Small(Says):
        window = 420

        def count_tokens(self, messages):
            """Words."""
            return sum(len(message.content.split()) for message in messages)

    model, item = Small("4"), Item("i", ITEM.space, context, response)
    assert judged(model, item, method="vanilla") == (4, 0, cut)
    prompt = model.asked[0][0]
    assert model.count_tokens(prompt) + 8 <= 420
    assert ("Let us!" in prompt[-1].content) == (cut == "context")
    assert asyncio.run(prefer(model, item, ITEM)).cut == cut
    with pytest.raises(ConfigError, match="i: the persona's part of the prompt alone is over"):
        judged(model, item, method="cot", points=7)


def test_pairs_alone_give_no_auc():
    """A pairwise judge's groups give pair-AUC and group accuracy; none, or an empty one, is an error."""
    pooled, groups, accuracy = pair_separation([[1, 1], [1, 0, 0.5]], draws=50)
    assert (pooled.value, groups.value, accuracy.value) == (pytest.approx(0.7), pytest.approx(0.75), 0.5)
    for bad in ([], [[1], []]):
        with pytest.raises(MetricError, match="groups of pairs"):
            pair_separation(bad)
