"""BERTScore against the bert-score package on a tiny encoder, and against its own definition."""

import warnings

import numpy as np
import pytest
import torch

from folkmoot.agents.llm.encoder import EncoderConfig, SentenceEncoder
from folkmoot.metrics.bertscore import BertScorer, scorer
from folkmoot.sim.errors import MetricError

REFERENCES = ["This article is not good.", "Please revert the page!", "Thanks, a source is this", "über café", "talk"]
CANDIDATES = ["the article is good", "revert this page please?", "Thanks", "Café über the talk page " * 20, "zzz xyz"]


def pairs():
    """All references with all candidates, some twice, in mixed order."""
    every = [(reference, candidate) for candidate in CANDIDATES for reference in REFERENCES]
    return [*every, *every[::3]]


def package(folder, layer, given, idf=None):
    """P, R, F of the bert-score package."""
    from bert_score import BERTScorer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = BERTScorer(
            model_type=str(folder), num_layers=layer, idf=idf is not None, idf_sents=idf, nthreads=0, device="cpu",
            use_fast_tokenizer=True, batch_size=4,
        )  # fmt: skip
        return theirs.score([candidate for _, candidate in given], [reference for reference, _ in given], batch_size=4)


@pytest.mark.parametrize("layer", [1, 2, 4])
@pytest.mark.parametrize("idf", [None, [*REFERENCES, REFERENCES[0]]])
def test_values_are_those_of_bert_score(tiny, tiny_folder, layer, idf):
    """P, R and F of every pair agree with the package to 1e-5, at any layer, with and without idf."""
    mine = BertScorer(tiny, layer, idf).score(pairs())
    theirs = package(tiny_folder, layer, pairs(), idf)
    for one, other in zip((mine.precision, mine.recall, mine.f), theirs, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), atol=1e-5)
    assert mine.f.std() > 0.01


def test_an_empty_side_scores_nothing_and_is_named(tiny):
    """A side without tokens scores 0 (the package's rule), and its mask says which side it is."""
    given = [("", "talk"), ("talk", "  "), ("talk", "talk"), ("", "")]
    mine = BertScorer(tiny, 2).score(given)
    assert mine.empty_reference.tolist() == [True, False, False, True]
    assert mine.empty_candidate.tolist() == [False, True, False, True]
    assert mine.f.tolist() == pytest.approx([0, 0, 1, 0], abs=1e-6)


def test_a_pair_scores_the_same_in_any_company(tiny, monkeypatch):
    """Batches, groups, order and repeats change no score: one by one, and with memory for little at once."""
    together = BertScorer(tiny, 3).score(pairs())
    alone = torch.cat([BertScorer(tiny, 3).score([pair]).f for pair in pairs()])
    np.testing.assert_allclose(together.f.numpy(), alone.numpy(), atol=1e-6)
    monkeypatch.setattr(scorer, "_CHARACTERS_AT_ONCE", 60)
    monkeypatch.setattr(scorer, "_CELLS_AT_ONCE", 100)
    np.testing.assert_allclose(BertScorer(tiny, 3).score(pairs()).f.numpy(), alone.numpy(), atol=1e-6)


def test_each_text_is_encoded_once(tiny, monkeypatch):
    """However often a text comes, its states are computed once."""
    seen = []
    encode = tiny.token_vectors
    monkeypatch.setattr(tiny, "token_vectors", lambda texts, layer: (seen.extend(texts), encode(texts, layer))[1])
    BertScorer(tiny, 2).score(pairs())
    assert sorted(seen) == sorted({*REFERENCES, *CANDIDATES})


def test_sides_swap_precision_and_recall(tiny):
    """Swapping the sides swaps P and R and leaves F; a text with itself gets 1."""
    swapped = [(candidate, reference) for reference, candidate in pairs()]
    one, other = BertScorer(tiny, 2).score(pairs()), BertScorer(tiny, 2).score(swapped)
    np.testing.assert_allclose(one.precision.numpy(), other.recall.numpy(), atol=1e-6)
    np.testing.assert_allclose(one.f.numpy(), other.f.numpy(), atol=1e-6)
    itself = BertScorer(tiny, 2).score([(text, text) for text in REFERENCES])
    np.testing.assert_allclose(itself.f.numpy(), 1, atol=1e-6)


def test_the_prefix_takes_no_part(tiny, tiny_folder):
    """Scores with a prefix are a plain greedy matching over the text's own tokens and the special ones."""
    encoder = SentenceEncoder(EncoderConfig(model=str(tiny_folder), prefix="the talk ", max_tokens=None))
    first, second = encoder.token_vectors(["good source", "a good article"], 2)
    cosines = first.vectors[[0, *range(3, len(first.ids))]] @ second.vectors[[0, *range(3, len(second.ids))]].T
    mine = BertScorer(encoder, 2).score([("a good article", "good source")])
    assert mine.precision.item() == pytest.approx(cosines.amax(1)[1:-1].mean().item(), abs=1e-6)
    assert mine.recall.item() == pytest.approx(cosines.amax(0)[1:-1].mean().item(), abs=1e-6)


def test_scores_name_their_encoder_and_layer(tiny):
    """Every score carries encoder, layer and weighting; -1 is told as the number of the layer."""
    scores = BertScorer(tiny, -1, idf=REFERENCES).score(pairs()[:1])
    assert (scores.encoder, scores.layer, scores.idf) == (tiny.name, 4, 5)
    assert scores.label == f"BERTScore F1 ({tiny.name}, layer 4, idf of 5 texts)"


def test_no_pairs(tiny):
    """No pairs, no scores."""
    assert len(BertScorer(tiny, 2).score([])) == 0


@pytest.mark.parametrize(("layer", "idf", "message"), [(5, None, "0 to 4"), (2, [], "0 texts")])
def test_what_cannot_be_scored_is_refused(tiny, layer, idf, message):
    """A layer that isn't there and weights of no text are refused with the bounds."""
    with pytest.raises(MetricError, match=message):
        BertScorer(tiny, layer, idf)
