"""Labelled sets: the interchange format, SEWD, WikiTactics, the demo's gold; validation over them."""

import asyncio
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.corpora.demo import load_demo
from folkmoot.metrics.annotators.base import ACTS
from folkmoot.metrics.annotators.sets import Example, demo_examples, read_labelled, read_set, write_labelled
from folkmoot.metrics.annotators.sewd import SEWD, from_sewd
from folkmoot.metrics.annotators.validation import by_context, validate
from folkmoot.metrics.annotators.wikitactics import mapped
from folkmoot.sim.errors import AnnotationError


class Knowing:
    """An annotator with a table of answers; it can be told how much context to read."""

    name, version, labels, context = "knowing", "1", ACTS, 2

    def __init__(self, answers, seen=None, width=2):
        self._answers, self.seen, self.width = answers, [] if seen is None else seen, width

    def reading(self, width):
        """Another width."""
        return Knowing(self._answers, self.seen, width)

    async def annotate(self, batch):
        """Answers by text."""
        self.seen.append((self.width, [utterance.context for utterance in batch]))
        return [self._answers[utterance.text] for utterance in batch]


def test_a_set_is_read_back_as_written(tmp_path):
    """Every field survives, and what is missing stays missing."""
    examples = [
        Example("Done.", "en", "Map", ("Could you?",), ("REPORT",), 4, ("REPORT", "ASK"), "7"),
        Example("Ça va\u2028?", "fr", acts=()),
        Example("…", "it", sentiment=3),
    ]
    write_labelled(tmp_path / "set.jsonl", examples)
    assert read_labelled(tmp_path / "set.jsonl") == examples


def test_sewd_maps_seventeen_labels_to_ten_acts():
    """All of SEWD's labels have an act, every act has a label, and seven kinds of criticism are one act."""
    assert len(SEWD) == 17
    assert set(SEWD.values()) == set(ACTS)
    assert sum(act == "CRITIQUE" for act in SEWD.values()) == 7
    with pytest.raises(AnnotationError, match="PCC"):
        from_sewd(["PCC"])


@settings(deadline=None)
@given(st.sets(st.sampled_from(sorted(SEWD))))
def test_sewd_labels_become_acts_in_order(labels):
    """Acts come once each, in the fixed order, whatever the order of the labels."""
    acts = from_sewd(sorted(labels))
    assert acts == from_sewd(sorted(labels, reverse=True)) == tuple(act for act in ACTS if act in acts)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"text": "a", "language": "en", "acts": ["ASK"], "sewd": ["IS"]}, "both acts and sewd"),
        ({"text": "a", "language": "en", "sewd": ["XX"]}, "SEWD"),
        ({"text": "a", "language": "en", "acts": ["SHOUT"]}, "SHOUT"),
        ({"text": "a", "language": "en", "acts": [], "scope": ["SHOUT"]}, "SHOUT"),
        ({"text": "a", "language": "en", "mood": 1}, "line 1"),
    ],
)
def test_bad_lines_are_named(tmp_path, row, message):
    """A line that isn't as documented is refused with what is wrong in it."""
    (tmp_path / "set.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(AnnotationError, match=message):
        read_labelled(tmp_path / "set.jsonl")


def test_a_missing_set_says_what_there_is():
    """No such file: the message names the sets that need none."""
    with pytest.raises(AnnotationError, match="demo"):
        read_set("no/such/set.jsonl")


def test_demo_gold_comes_with_its_thread():
    """Each labelled comment has all that was said before it in its thread, and the thread's title."""
    examples = demo_examples("de")
    corpus = load_demo("de")
    assert len(examples) == len(corpus.gold)
    longest = max(examples, key=lambda example: len(example.context))
    thread = next(t for t in corpus.threads().values() if t[-1].text == longest.text)
    assert longest.context == tuple(event.text for event in thread[:-1])
    assert all(example.title and example.thread for example in examples)
    assert read_set("demo:de") == examples


def test_only_judged_labels_count():
    """Labels outside a comment's scope are neither right nor wrong; a comment whose scope is empty is passed over."""
    examples = [
        Example("a", "en", acts=("ASK",), scope=("ASK", "REQUEST")),
        Example("b", "en", acts=("REQUEST",), scope=("ASK", "REQUEST")),
        Example("c", "en", acts=(), scope=()),
    ]
    answers = {"a": ("ASK", "INFORM"), "b": ("ASK",)}
    result = asyncio.run(validate(Knowing(answers), examples))
    assert (result.n, result.passed_over) == (2, 1)
    assert result.micro_f1 == pytest.approx(2 / 4)
    assert (result.found["INFORM"], result.gold["REQUEST"], result.recall["REQUEST"]) == (0, 1, 0)
    assert result.precision["ASK"] == pytest.approx(0.5)
    assert np.isnan(result.precision["REQUEST"])
    with pytest.raises(AnnotationError, match="judged"):
        asyncio.run(validate(Knowing(answers), examples[2:]))


def test_each_width_is_what_the_annotator_reads():
    """An annotator that can read more is told so, and given so many comments."""
    knowing = Knowing({"x": ("ASK",)})
    example = Example("x", "en", context=("1", "2", "3", "4"), acts=("ASK",))
    asyncio.run(by_context(knowing, [example], (None, 3, 0)))
    assert knowing.seen == [(None, [("1", "2", "3", "4")]), (3, [("2", "3", "4")]), (0, [()])]


def test_the_interval_is_over_threads():
    """Copies of a comment in one thread add no certainty; in threads of their own they do."""
    answers = {"r": ("ASK",), "w": ("INFORM",)}
    rows = [("r", "1"), ("w", "2"), ("r", "3"), ("w", "4")]
    once = [Example(text, "en", acts=("ASK",), thread=thread) for text, thread in rows]
    apart = [Example(text, "en", acts=("ASK",), thread=f"{thread}/{k}") for text, thread in rows for k in range(10)]
    first, copies, wide = (asyncio.run(validate(Knowing(answers), s)).micro for s in (once, once * 10, apart))
    assert (first.n_units, copies.n_units, wide.n_units) == (4, 4, 40)
    assert (first.low, first.high) == (copies.low, copies.high)
    assert wide.high - wide.low < first.high - first.low


def test_wikitactics_scopes():
    """Rebuttals judge POSITIVE and NEGATIVE; coordination labels judge what they were given for; others nothing."""
    assert mapped(["DH1: Ad hominem/ad argument"], []) == (("NEGATIVE",), ("POSITIVE", "NEGATIVE"))
    assert mapped([], ["Conceding / recanting"]) == (("POSITIVE",), ("POSITIVE", "NEGATIVE"))
    assert mapped([], ["Suggesting a compromise"]) == (("REQUEST",), ("REQUEST", "INFORM", "ASK"))
    assert mapped(["DH2: Attempted derailing/off-topic"], ["Coordinating edits", "Other"]) == ((), ())


@pytest.mark.shared
def test_wikitactics_is_read_whole(shared):
    """Every utterance of every dispute is read, with all before it as context; labels occur as often as in the file."""
    path = shared / "dialog" / "wikitactics" / "wikitactics.dev.json"
    raw = [said for dispute in json.loads(path.read_text()) for said in dispute["utterances"]]
    examples = read_set(f"wikitactics:{path}")
    assert len(examples) == len(raw) == 2995
    asked = sum("Asking questions" in said["coordination_labels"] for said in raw)
    assert sum("ASK" in (example.acts or ()) for example in examples) == asked == 72
    assert sum(not example.context for example in examples) == 165
    with pytest.raises(AnnotationError, match="disputes"):
        read_set(f"wikitactics:{path.with_name('README.md')}")
