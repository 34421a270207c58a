"""Benchmarks scored by each method: with an evaluator that knows, one that guesses, and ones that can't be read."""

import asyncio
import importlib.util
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.metrics.fidelity.alignment import AlignmentScorer
from folkmoot.metrics.fidelity.benchmarks import read_benchmark
from folkmoot.metrics.fidelity.building import build_traits, read_written, write_benchmark
from folkmoot.metrics.fidelity.evaluator import Evaluator
from folkmoot.metrics.fidelity.judges import Judge
from folkmoot.metrics.fidelity.methods import JudgeScorer, PairwiseScorer, PrismScorer, losses, score_groups
from folkmoot.metrics.fidelity.table import results, sentences
from folkmoot.metrics.fidelity.wording import DIMENSIONS
from folkmoot.metrics.uncertainty import FEW_UNITS
from folkmoot.sim.errors import MetricError, ModelMissing
from folkmoot.sim.protocols import Answer, LabelScores

_spec = importlib.util.spec_from_file_location("fidelity_oracles", Path(__file__).with_name("oracles.py"))
oracles = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(oracles)

FILES = ("big5_persona_easy", "big5_persona_hard", "social_persona")


def scored(scorer, groups):
    """Lines of all groups."""

    async def main():
        return [one async for lines in score_groups(scorer, groups) for one in lines]

    return asyncio.run(main())


@pytest.fixture
def made(tmp_path):
    """A benchmark of our own: 40 groups, each with a positive that speaks of its own persona's colour."""
    items = []
    for k in range(40):
        common = {"profile": f"Personality: colour{k}", "context": f"Which colour, {k}?"}
        items.append(common | {"case_id": f"g{k}_pos", "response": f"I love colour{k}!", "label": 1})
        items += [
            common | {"case_id": f"g{k}_neg_{n}", "response": f"I love grey{n}.", "label": 0} for n in ("a", "b", "c")
        ]
    path = tmp_path / "made.json"
    path.write_text(json.dumps(items), encoding="utf-8")
    return read_benchmark(path)


def truthful(benchmark):
    """Picks A where an item is positive and C where it isn't: it looks the truth up by persona, context and response."""
    truth = {}
    for case in benchmark.cases:
        texts = case.item.space.texts
        for dimension in DIMENSIONS:
            wanted = texts[dimension][0] if case.positive else texts[dimension][2]
            truth[(frozenset(texts[dimension]), tuple(case.item.response.split()))] = wanted

    def choose(prompt):
        quoted = [line[2:] for line in prompt.splitlines() if line.startswith("> ")]
        for (texts, words), wanted in truth.items():
            if texts == frozenset(oracles.shown(prompt)) and " ".join(words) in " ".join(" ".join(quoted).split()):
                return wanted
        raise AssertionError(prompt)

    return oracles.knows(choose)


@pytest.fixture(params=[*FILES, "chat_easy", "chat_hard"])
def real(request, shared, tmp_path):
    """A released file, or a benchmark built from Big5-CHAT's evaluation files, written and read again."""
    if request.param in FILES:
        return read_benchmark(shared / f"persona/prism-persona/{request.param}.dev.json")
    dropped, kind = Counter(), request.param.removeprefix("chat_")
    written = read_written(sorted((shared / "persona/big5-chat/eval_set").glob("alpha_1.0_*")), dropped)
    path = tmp_path / f"{request.param}.json"
    write_benchmark(build_traits(written, kind, groups=24, seed=1, dropped=dropped), path)
    return read_benchmark(path)


@pytest.mark.shared
def test_truth_separates_perfectly(real):
    """An evaluator that knows the truth reaches AUC 1 and group accuracy 1 on every file of real replies."""
    lines = scored(PrismScorer(Evaluator(truthful(real))), list(real.groups().values()))
    numbers = results(lines, draws=20)
    assert len(lines) == len(real.cases)
    assert numbers["auc"]["value"] == 1
    assert numbers["group_accuracy"]["value"] == 1
    assert all(one["auc"]["value"] == 1 for one in numbers["dimensions"].values())


@pytest.mark.shared
def test_guessing_is_chance_on_real_replies(real):
    """Of ten evaluators that guess, at most two find 0.5 outside the interval of their AUC; few groups are said to be few."""
    groups = list(real.groups().values())
    found = [results(scored(PrismScorer(Evaluator(oracles.guesses(s))), groups), draws=400) for s in range(10)]
    if len(groups) < FEW_UNITS:
        assert any("groups are few" in line for line in sentences("real", "prism", "oracle", found[0]))
    else:
        assert sum(not one["auc"]["low"] <= 0.5 <= one["auc"]["high"] for one in found) <= 2


def test_guessing_is_chance(made):
    """Of five evaluators that guess, at most one finds itself told from chance by its 95 % intervals."""
    groups = list(made.groups().values())
    told = {"auc": 0, "group_accuracy": 0}
    for seed in range(5):
        numbers = results(scored(PrismScorer(Evaluator(oracles.guesses(seed))), groups), draws=400)
        assert sum(numbers["places"]) == pytest.approx(1)
        assert numbers["chance_group_accuracy"] == pytest.approx(0.25)
        for name, chance in (("auc", 0.5), ("group_accuracy", 0.25)):
            told[name] += not numbers[name]["low"] <= chance <= numbers[name]["high"]
    assert max(told.values()) <= 1
    assert "not told from chance" in sentences("made", "prism", "oracle", numbers)[0]


class Reads:
    """A judge that likes replies with an exclamation mark, and mumbles where a reply holds `mumble`."""

    name, repeatable, window = "reads", True, 4096

    def __init__(self, mumble="\N{SNOWMAN}"):
        self.mumble = mumble

    def count_tokens(self, messages):
        """Not needed."""
        return 0

    async def generate(self, messages, sampling, seed):
        """A score."""
        reply = messages[-1].content.split("The reply:")[1]
        return Answer(text="hm" if self.mumble in reply else "5" if "!" in reply else "2")

    async def label_logprobs(self, messages, labels, seed):
        """Exclamation marks of each reply."""
        one, two = messages[-1].content.split("Reply 1:")[1].split("Reply 2:")
        return LabelScores(logprobs=(float(one.count("!")), float(two.count("!"))))

    async def close(self):
        """Nothing to free."""


def test_judges_separate_and_count_what_they_cannot_read(made):
    """A judge's unreadable items have no score and are counted as left out, groups without their positive too."""
    scorer = JudgeScorer(Judge(Reads(mumble="grey")))
    with pytest.raises(MetricError, match="0 groups"):
        results(scored(scorer, list(made.groups().values())))
    partly = JudgeScorer(Judge(Reads(mumble="colour7")))
    lines = scored(partly, list(made.groups().values()))
    numbers = results(lines, draws=20)
    assert numbers["auc"]["value"] == 1
    assert numbers["dropped"] == {"items without a score": 1, "groups without a positive": 1}
    assert losses(lines) == {"unreadable answers": 1}


def test_pairwise_has_no_auc(made):
    """A comparing judge gives pair-AUC and group accuracy only."""
    numbers = results(scored(PairwiseScorer(Reads(), 0), list(made.groups().values())), draws=20)
    assert "auc" not in numbers
    assert numbers["pair_auc"]["value"] == numbers["group_accuracy"]["value"] == 1


@pytest.mark.shared
def test_pairwise_cannot_compare_a_reply_with_itself(shared):
    """A negative that swaps the persona alone shows the same reply twice: it is left out and counted."""
    benchmark = read_benchmark(shared / "persona/prism-persona/big5_persona_hard.dev.json")
    scorer = PairwiseScorer(Reads(), 0)
    lines = scored(scorer, list(benchmark.groups().values()))
    assert {len(one.beats) for one in lines if one.positive} == {1}
    assert losses(lines) == {"negatives with the positive's own reply": 25}


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    """A tiny random classifier of transformers with an entailment class, in a folder."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    home = tmp_path_factory.mktemp("classifier")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "i", "love", "grey", "colour", "personality"]
    (home / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    folder = home / "classifier"
    BertTokenizerFast(str(home / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    labels = {0: "contradiction", 1: "entailment"}
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        id2label=labels,
        label2id={v: k for k, v in labels.items()},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_alignment_by_path(made, classifier):
    """A local classifier scores every item with the probability of its entailment class; a missing one says the way out."""
    lines = scored(AlignmentScorer(str(classifier)), list(made.groups().values())[:3])
    assert all(0 < one.score < 1 for one in lines)
    with pytest.raises(ModelMissing, match="hub name or a local folder"):
        AlignmentScorer(str(classifier / "none"))


def test_alignment_cuts_what_is_over_its_window(made, classifier):
    """A reference that is too long loses its end, a response what is over half of the window; both are told."""
    (case, *_) = made.cases
    cases = [
        replace(case, item=replace(case.item, context=context, response=response))
        for context, response in (("", "I love grey."), ("grey " * 200, "I love grey."), ("", "grey " * 200))
    ]
    lines = scored(AlignmentScorer(str(classifier)), [cases])
    assert [one.cut for one in lines] == ["", "context", "response"]
    assert losses(lines) == {"context cut to fit the window": 1, "response cut to fit the window": 1}
    assert all(0 < one.score < 1 for one in lines)
