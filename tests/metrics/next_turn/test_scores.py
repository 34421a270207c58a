"""Scores of a cell against independent oracles, and what is drawn of them."""

import math

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS
from folkmoot.metrics.next_turn.comparisons import ALL, comparisons
from folkmoot.metrics.next_turn.drawn import Key, Settings, draw
from folkmoot.metrics.next_turn.pairs import Cell, Pair
from folkmoot.metrics.next_turn.scores import SCORES, Texts, rows
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.rng import stream

SETTINGS = Settings(Resampler(3, 200), least=5)


def pairs(n, seed=0, *, thread=4, kinds=()):
    """Random pairs: words, acts and sentiment differ between the sides; some answers may be no comment."""
    rng = stream(seed, "pairs")
    found = []
    for i in range(n):
        acts = [tuple(act for act in ACTS if rng.random() < p) or ("INFORM",) for p in (0.2, 0.4)]
        felt = [(SENTIMENTS[int(rng.integers(0, top))],) for top in (5, 3)]
        found.append(
            Pair(
                thread=f"t{i // thread}",
                position=1 + i % thread,
                user=f"u{i % 3}",
                gender=("man", "woman", "unknown")[i % 3],
                profile_words=10 + 40 * (i % 3),
                real="One two three. " * int(rng.integers(1, 5)),
                text="Four five. " * int(rng.integers(1, 9)),
                kind=kinds[i] if i < len(kinds) else "",
                acts=tuple(acts),
                sentiment=tuple(felt),
            )
        )
    return found


def texts(n, seed=0):
    """Random similarities."""
    rng = stream(seed, "texts")
    return Texts(rng.random(n), rng.random(n), rng.random(n))


def test_scores_agree_with_scipy_and_numpy():
    """Each score of a set of pairs is what scipy and numpy make of the pairs themselves."""
    found, similar = pairs(40), texts(40)
    sums = rows(found, similar).sum(0)
    got = {name: score(sums).item() for name, score in SCORES.items()}
    counts = [np.array([sum(act in p.acts[side] for p in found) for act in ACTS]) for side in (0, 1)]
    points = [[SENTIMENTS.index(p.sentiment[side][0]) + 1 for p in found] for side in (0, 1)]
    words = [[len(text.split()) for text in side] for side in ([p.real for p in found], [p.text for p in found])]
    sentences = [sum(text.count(".") for text in side) for side in ([p.real for p in found], [p.text for p in found])]
    assert got["acts_js"] == pytest.approx(jensenshannon(*counts, base=2), abs=1e-12)
    assert got["acts_jsd"] == pytest.approx(jensenshannon(*counts, base=2) ** 2, abs=1e-12)
    assert got["sentiment_wd"] == pytest.approx(wasserstein_distance(*points), abs=1e-12)
    assert got["human_words"] == pytest.approx(np.mean(words[0]))
    assert got["agent_words_sd"] == pytest.approx(np.std(words[1], ddof=1))
    assert got["rouge"] == pytest.approx(similar.rouge.mean())
    assert got["rbert"] == pytest.approx(similar.rbert.mean())
    assert got["density_ratio"] == pytest.approx((counts[0].sum() / sentences[0]) / (counts[1].sum() / sentences[1]))
    shares = [count / count.sum() for count in counts]
    assert [got[f"delta.{act}"] for act in ACTS] == pytest.approx(list(shares[0] - shares[1]))
    assert sum(got[f"delta.{act}"] for act in ACTS) == pytest.approx(0, abs=1e-12)


def test_what_was_not_labelled_or_measured_has_no_number():
    """Without labels or BERTScore the scores that need them are NaN, the others are there."""
    found = [Pair("t", 1, "u", "man", 0, "a b", "c d", acts=(("ASK",), None))]
    sums = rows(found, Texts(np.ones(1), np.full(1, np.nan), np.full(1, np.nan))).sum(0)
    for name in ("bert", "rbert", "acts_js", "density_ratio", "sentiment_wd", "delta.ASK"):
        assert math.isnan(SCORES[name](sums))
    assert SCORES["rouge"](sums) == 1


def cell(found, condition="base", community="en", model="m"):
    """A cell of these pairs."""
    return Cell(community, "en", model, condition, found)


def test_bad_answers_are_left_out_of_both_sides():
    """A target without a comment counts for nothing but the share left out and its kind."""
    one = cell(pairs(20, kinds=("empty", "", "refusal")))
    assert one.left_out == pytest.approx(0.1)
    assert one.kinds == {"empty": 1, "refusal": 1}
    table = {Key("en", "m", "base"): rows(one.usable, texts(18))}
    number = draw([one], table, SETTINGS).number(Key("en", "m", "base"), "human_words")
    assert number.n == 18
    assert number.value == pytest.approx(np.mean([len(p.real.split()) for p in one.usable]))
    assert number.low <= number.value <= number.high


def test_a_cell_with_too_few_samples_gives_no_number():
    """Under `least` usable pairs there is no number, and an average passes the cell over."""
    cells = [cell(pairs(4)), cell(pairs(20), community="de")]
    keys = [Key("en", "m", "base"), Key("de", "m", "base")]
    drawn = draw(cells, {keys[0]: rows(pairs(4), texts(4)), keys[1]: rows(pairs(20), texts(20))}, SETTINGS)
    assert drawn.number(keys[0], "rouge") is None
    assert drawn.n[keys[0]] == (4, 1)
    assert drawn.average(keys, "rouge").value == drawn.number(keys[1], "rouge").value
    assert drawn.average(keys[:1], "rouge") is None


def test_equal_conditions_do_not_differ():
    """Two conditions with the same answers: difference 0, p 1, no verdict."""
    cells = [cell(pairs(24)), cell(pairs(24), "history")]
    table = {Key("en", "m", name): rows(pairs(24), texts(24)) for name in ("base", "history")}
    found = comparisons(cells, table, SETTINGS, against="base", draws=199)
    assert {one.score for one in found} == {"rouge", "rbert", "acts_js", "sentiment_wd"}
    for one in found:
        assert (one.found.difference.value, one.found.p, one.verdict) == (0, 1, "")


def test_a_better_condition_is_named_and_corrected():
    """A condition that is better on every target wins in each community and over all; Holm makes p larger."""
    better = {name: texts(40) for name in ("en", "de")}
    cells, table = [], {}
    for community, worse in better.items():
        for name, plus in (("base", 0.0), ("history", 0.2)):
            cells.append(cell(pairs(40), name, community))
            noisy = worse.rouge / 10 + plus
            table[Key(community, "m", name)] = rows(pairs(40), Texts(noisy, worse.bert, worse.rbert))
    found = [one for one in comparisons(cells, table, SETTINGS, against="base", draws=999) if one.score == "rouge"]
    assert [one.community for one in found] == ["en", "de", ALL]
    assert [one.verdict for one in found] == ["history"] * 3
    assert all(one.found.p_holm >= one.found.p for one in found)
    assert found[-1].found.difference.value == pytest.approx(0.2)


def compared_copies(communities, models):
    """Rouge comparisons of two conditions that differ a little, every model with the same answers."""
    cells, table = [], {}
    for place, community in enumerate(communities):
        base, gain = texts(24, place), stream(place, "gain").normal(0.03, 0.3, 24)
        for model in models:
            for name, plus in (("base", 0), ("history", gain)):
                cells.append(cell(pairs(24), name, community, model))
                key = Key(community, model, name)
                table[key] = rows(pairs(24), Texts(base.rouge + plus, base.bert, base.rbert))
    found = comparisons(cells, table, SETTINGS, against="base", draws=999)
    return [one for one in found if one.score == "rouge"]


@pytest.mark.parametrize("communities", [("en",), ("en", "de")])
def test_copies_of_a_model_are_no_further_evidence(communities):
    """Over M models with the same answers, p, interval, effect and units are those of one model: threads are units."""
    alone = compared_copies(communities, ["m"])[-1]
    over = compared_copies(communities, ["m", "n", "o", "p"])[-1]
    assert over.community == ALL
    assert 0.001 < alone.found.p < 0.9
    assert over.found.p == alone.found.p
    for name in ("value", "low", "high", "n_units"):
        assert getattr(over.found.difference, name) == pytest.approx(getattr(alone.found.difference, name), abs=1e-12)
    assert over.found.effect == pytest.approx(alone.found.effect)
    assert over.found.difference.n_units == 6 * len(communities)
    assert over.n == 4 * alone.n


def test_models_that_answered_other_threads_share_the_rows_of_the_rest():
    """Over two models the units are those that either answered, and the difference is the mean of the two."""
    kinds = {"m": ("empty",) * 4, "n": ()}
    cells, table = [], {}
    for model, bad in kinds.items():
        for name, plus in (("base", 0.0), ("history", 0.1 if model == "m" else 0.3)):
            one = cell(pairs(24, kinds=bad), name, model=model)
            similar = texts(len(one.usable))
            cells.append(one)
            table[Key("en", model, name)] = rows(one.usable, Texts(similar.rouge + plus, similar.bert, similar.rbert))
    found = [one for one in comparisons(cells, table, SETTINGS, against="base", draws=99) if one.score == "rouge"]
    assert [one.found.difference.n_units for one in found] == [5, 6, 6]
    assert found[-1].found.difference.value == pytest.approx(0.2)
    assert found[-1].found.p == 2 / 2**6


def test_only_shared_targets_are_compared():
    """What one condition alone answered doesn't enter a comparison."""
    first, second = pairs(24, kinds=("empty",) * 6), pairs(24)
    cells = [cell(second), cell(first, "history")]
    table = {
        Key("en", "m", "base"): rows(second, Texts(np.r_[np.ones(6), np.zeros(18)], *texts(24)[1:])),
        Key("en", "m", "history"): rows(cells[1].usable, Texts(np.zeros(18), *texts(18)[1:])),
    }
    rouge = next(o for o in comparisons(cells, table, SETTINGS, against="base", draws=99) if o.score == "rouge")
    assert rouge.n == 18
    assert rouge.found.difference.value == 0


def test_draws_are_the_same_again():
    """Numbers are a function of pairs and seed alone."""
    table = {Key("en", "m", "base"): rows(pairs(20), texts(20))}
    first, again = (draw([cell(pairs(20))], table, SETTINGS).scores for _ in range(2))
    assert torch.equal(first[Key("en", "m", "base")]["acts_js"], again[Key("en", "m", "base")]["acts_js"])
