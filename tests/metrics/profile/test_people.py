"""People beside judges: the sample is spread, agreement is what krippendorff and scipy say."""

import math
from collections import Counter

import krippendorff
import numpy as np
import pytest

from folkmoot.metrics.profile.people import Answered, agreements, stratified


def test_the_sample_is_spread_over_strata():
    """30 of 240 answers: ten of each tier, seven or eight of each context, fifteen of each intent."""
    answers = [
        Answered(f"{c}{i}{t}{k}", c, i, (1.0, 3.0, 4.5)[t])
        for c in ("timeline", "direct", "hierarchical", "extractive_abstractive")
        for i in ("stable", "recent")
        for t in range(3)
        for k in range(10)
    ]
    drawn = stratified(answers, 30, 1)
    assert drawn == stratified(answers[::-1], 30, 1)
    assert sorted(Counter(one.tier for one in drawn).values()) == [10, 10, 10]
    assert set(Counter(one.context for one in drawn).values()) <= {7, 8}
    assert sorted(Counter(one.intent for one in drawn).values()) == [15, 15]


def test_few_answers_are_all_drawn():
    """Where there are fewer answers than asked for, all are drawn; tiers end where they should."""
    answers = [Answered(str(avg), "direct", "stable", avg) for avg in (2.5, 2.6, 3.5, 3.6)]
    assert {one.key: one.tier for one in stratified(answers, 30, 1)} == {"2.5": 0, "2.6": 1, "3.5": 1, "3.6": 2}


def test_agreement_is_alpha_and_spearman():
    """Alpha is that of the krippendorff package at the ordinal level; a judge equal to the people's mean has rho 1."""
    rng = np.random.default_rng(1)
    people = [{str(k): tuple(rng.integers(0, 6, 3).astype(float)) for k in range(12)} for _ in range(3)]
    people[0]["3"] = (math.nan, 2.0, 2.0)
    means = {k: tuple(np.nanmean([p[k] for p in people], axis=0)) for k in people[0]}
    for place, one in enumerate(agreements(people, {"mean": means}, draws=20)):
        table = [[person[str(k)][place] for k in range(12)] for person in people]
        assert one.alpha == pytest.approx(krippendorff.alpha(table, level_of_measurement="ordinal"))
        assert one.judges["mean"].rho == pytest.approx(1)
        assert (one.people, one.answers) == (3, 12)
