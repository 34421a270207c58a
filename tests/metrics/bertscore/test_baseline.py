"""Rescaling: against published answers; baselines of random pairs."""

import csv
import json

import numpy as np
import pytest
import torch

from folkmoot.metrics.bertscore import Baseline, BertScorer, BertScores, read_baseline, shipped_baseline
from folkmoot.metrics.bertscore.baseline import baseline_of, random_pairs, read_baselines, write_baselines
from folkmoot.sim.errors import MetricError


def scores(case, encoder="roberta-large", layer=17):
    """Scores as published."""
    p, r, f = (torch.tensor(case[key], dtype=torch.float64) for key in "PRF")
    nothing = torch.zeros(len(f), dtype=torch.bool)
    return BertScores(p, r, f, nothing, nothing, encoder, layer)


@pytest.mark.shared
@pytest.mark.parametrize("idf", [False, True])
def test_rescaling_gives_the_published_answers(shared, idf):
    """Raw answers of bert_score.json, rescaled with the table beside it, are its rescaled answers to 1e-5."""
    known = json.loads((shared / "expected" / "bert_score.json").read_text())
    table = shared / "expected" / "bert_score_baselines" / "en" / "roberta-large.tsv"
    raw, done = (next(c for c in known["expected"] if c["idf"] is idf and c["rescale"] is r) for r in (False, True))
    mine = scores(raw).rescaled(read_baseline(table, known["layer"], "roberta-large", "en"))
    for one, key in ((mine.precision, "P"), (mine.recall, "R"), (mine.f, "F")):
        np.testing.assert_allclose(one.numpy(), done[key], atol=1e-5)


@pytest.mark.shared
def test_all_published_tables_are_read(shared):
    """Every table of every language has P, R and F under 1 for its layers."""
    tables = sorted((shared / "expected" / "bert_score_baselines").rglob("*.tsv"))
    assert len(tables) == 9
    for table in tables:
        one = read_baseline(table, 5, table.stem, table.parent.name)
        assert 0 < one.f < 1


def test_a_baseline_fits_one_encoder_and_layer(tiny):
    """Scores of another encoder or layer, or rescaled ones, are refused."""
    raw = BertScorer(tiny, 2).score([("a source", "the talk page"), ("thanks", "revert")])
    mine = baseline_of(raw, "en", "two pairs")
    assert raw.rescaled(mine).f.mean().item() == pytest.approx(0, abs=1e-3)
    assert "rescaled with the en baseline of two pairs" in raw.rescaled(mine).label
    with pytest.raises(MetricError, match="rescaled already"):
        raw.rescaled(mine).rescaled(mine)
    for other in (("another", 2), (tiny.name, 3)):
        with pytest.raises(MetricError, match="fits one encoder and layer"):
            raw.rescaled(Baseline(*other, "en", 0.5, 0.5, 0.5))


def test_random_pairs_are_of_different_groups():
    """Pairs join different texts of different groups, none twice, a function of the seed; all where few."""
    texts = [(f"t{k % 5}", f"text {k}") for k in range(20)]
    group = {text: name for name, text in texts}
    pairs = random_pairs(texts, 50, 1)
    assert len(set(pairs)) == len(pairs) == 50
    assert all(group[one] != group[other] for one, other in pairs)
    assert pairs == random_pairs(texts, 50, 1) != random_pairs(texts, 50, 2)
    assert len(random_pairs(texts, 10_000, 1)) == 20 * 16
    assert len(random_pairs([(k, str(k)) for k in range(3_000)], 500, 1)) == 500
    with pytest.raises(MetricError, match="2 texts"):
        random_pairs([("a", "x"), ("a", "y")], 5, 1)


def test_baselines_are_kept_by_encoder_language_and_layer(tmp_path):
    """Writing adds, and replaces what is of the same encoder, language and layer."""
    path = tmp_path / "folder" / "mine.json"
    first = [Baseline("e", layer, "de", 0.1, 0.2, 0.3) for layer in (1, 2)]
    write_baselines(path, first)
    better = Baseline("e", 2, "de", 0.5, 0.5, 0.5, 9, "more")
    write_baselines(path, [better, Baseline("e", 2, "fr", 0.1, 0.1, 0.1)])
    assert read_baselines(path) == [first[0], better, Baseline("e", 2, "fr", 0.1, 0.1, 0.1)]


def test_unreadable_baselines_are_refused(tmp_path):
    """A missing file, another form and a missing layer name what was wanted."""
    table = tmp_path / "x.tsv"
    with pytest.raises(MetricError, match="No such file"):
        read_baseline(table, 1, "e", "en")
    table.write_text("LAYER,P,R,F\n0,0.1,0.2,0.3\n")
    assert read_baseline(table, 0, "e", "en").recall == 0.2
    with pytest.raises(MetricError, match="no P,R,F for layer 7"):
        read_baseline(table, 7, "e", "en")
    table.write_text("LAYER,P,R,F\nzero,0.1\n")
    with pytest.raises(MetricError, match="wanted lines of"):
        read_baseline(table, 0, "e", "en")
    with pytest.raises(MetricError, match="folkmoot bertscore baseline"):
        read_baselines(table)


def test_a_table_that_is_no_csv(tmp_path):
    """A file that the reader of CSV refuses is told like one of another form."""
    table = tmp_path / "x.tsv"
    table.write_text(f"LAYER,P,R,F\n{'9' * 101},1,1,1\n")
    before = csv.field_size_limit(100)
    try:
        with pytest.raises(MetricError, match=r"field larger than field limit .*wanted lines of"):
            read_baseline(table, 0, "e", "en")
    finally:
        csv.field_size_limit(before)


def test_an_unknown_baseline_lists_those_that_ship():
    """Asking for an encoder without a baseline says how to make one."""
    with pytest.raises(MetricError, match="Make one"):
        shipped_baseline("no such encoder", 3, "de")


def test_five_languages_ship():
    """Layers 9 and 12 of the embedded encoder have a baseline in each of the five languages, and 12's is higher."""
    name = "multilingual-e5-small[query 512]"
    for language in ("de", "en", "es", "fr", "it"):
        lower, last = (shipped_baseline(name, layer, language) for layer in (9, 12))
        assert 0.4 < lower.f < last.f < 0.9
        assert min(lower.pairs, last.pairs) > 2_500
