"""The threshold of meaning: on pairs of tags written for it, it is right far more often than wrong."""

import json
from pathlib import Path

import pytest

from folkmoot.agents.llm.encoder import SentenceEncoder
from folkmoot.metrics.profile.matching import EncoderLikeness

PAIRS = json.loads(Path(__file__).with_name("pairs.json").read_text("utf-8"))


@pytest.mark.embedded
def test_the_threshold_tells_pairs_apart():
    """At the default threshold 9 of 10 pairs called the same are the same, and 7 of 10 that are the same are found."""
    likeness = EncoderLikeness(SentenceEncoder())
    hits, wrong = (sum(likeness([a], [b])[0, 0] > 0 for a, b in PAIRS[kind]) for kind in ("same", "different"))
    assert hits / len(PAIRS["same"]) >= 0.7
    assert hits / (hits + wrong) >= 0.9
