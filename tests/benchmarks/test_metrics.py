"""Ratios in one run: the bootstrap of a grid's cells, BERTScore. Run with `-m benchmark -s`."""

import sys
import time
import warnings

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from folkmoot.agents.llm.encoder import EncoderConfig, SentenceEncoder
from folkmoot.agents.llm.encoder_unpack import unpacked
from folkmoot.metrics.annotators.sets import demo_examples
from folkmoot.metrics.bertscore import BertScorer
from folkmoot.metrics.paired import bootstrap_cells, js_score, pair_weights, wasserstein_score
from folkmoot.metrics.uncertainty import Resampler

pytestmark = pytest.mark.benchmark

DRAWS, THREADS, CELLS, LANGUAGES = 10_000, 300, 20, 5
LOOP_DRAWS = 100
"""Of the plain loop, whose time is linear in them; the whole would take minutes."""


def cells():
    """Counts by thread of 20 cells: ten acts and five points, real and simulated; five languages, four methods."""
    rng = np.random.default_rng(1)
    acts = rng.poisson(0.6, (CELLS, THREADS, 20)).astype(float)
    points = rng.poisson(0.8, (CELLS, THREADS, 10)).astype(float)
    return acts, points


def plain(acts, points, draws):
    """One cell, draw by draw, with NumPy and SciPy; `draws` are numbers of threads."""
    js, w1 = [], []
    places = np.arange(1, 6)
    for picked in draws:
        labels, sentiment = acts[picked].sum(0), points[picked].sum(0)
        js.append(jensenshannon(labels[:10], labels[10:], 2))
        w1.append(wasserstein_distance(places, places, sentiment[:5], sentiment[5:]))
    return [np.quantile(one, (0.025, 0.975)) for one in (js, w1)]


def vectorised(acts, points):
    """All cells; those of a language share their threads, so their draws too."""
    scores = {"js": lambda sums: js_score(sums[..., :20]), "w1": lambda sums: wasserstein_score(sums[..., 20:])}
    every = np.concatenate([acts, points], 2).reshape(LANGUAGES, -1, THREADS, 30)
    return [bootstrap_cells(own, scores, Resampler(k, DRAWS, method="percentile")) for k, own in enumerate(every)]


def test_bootstrap_of_a_grid(capsys):
    """10,000 resamples of JS and Wasserstein for 20 cells: at least 100 times faster than a loop, same values."""
    acts, points = cells()
    vectorised(acts[:1].repeat(CELLS, 0), points[:1].repeat(CELLS, 0))
    start = time.process_time()
    found = vectorised(acts, points)
    fast = time.process_time() - start
    start = time.process_time()
    rng = np.random.default_rng(1)
    for cell in range(CELLS):
        plain(acts[cell], points[cell], (rng.integers(0, THREADS, THREADS) for _ in range(LOOP_DRAWS)))
    slow = (time.process_time() - start) * DRAWS / LOOP_DRAWS
    same = pair_weights(Resampler(0, DRAWS), THREADS).numpy()[1:].astype(int)
    bounds = plain(acts[0], points[0], (np.repeat(np.arange(THREADS), row) for row in same))
    for one, (low, high) in zip(found[0].values(), bounds, strict=True):
        assert (one.lows[0].item(), one.highs[0].item()) == pytest.approx((low, high), abs=1e-9)
    told = f"{fast:.2f} s against {slow:.0f} s of a loop: {slow / fast:.0f} times (CPU seconds, one run)"
    with capsys.disabled():
        sys.stdout.write(f"\nbootstrap of {CELLS} cells, {DRAWS} draws of {THREADS} threads: {told}")
    assert slow / fast >= 100


def demo_pairs(count=2_000):
    """Pairs of demo comments, which are short and of like length: 400 references, each against five others."""
    texts = list(dict.fromkeys(example.text for example in demo_examples()))
    rng = np.random.default_rng(1)
    references = [texts[k] for k in rng.permutation(len(texts))[: count // 5]]
    return [(references[k % len(references)], texts[rng.integers(len(texts))]) for k in range(count)]


def talk_pairs(count=2_000, references=80, methods=5):
    """Pairs with repeats whose lengths are those of Talk pages: a reference, and what five methods wrote for it.

    Words of real comments are log-normal: median 22 (de), 47 (en), 38 (fr), 26 (it), sigma 1.0 to 1.3; here median 30,
    sigma 1.1, up to 300 words. The words are the demo's, each text in one language.
    """
    rng = np.random.default_rng(1)
    words = {}
    for example in demo_examples():
        words.setdefault(example.language, []).extend(example.text.split())

    def text(language):
        length = int(np.clip(rng.lognormal(3.4, 1.1), 1, 300))
        start = rng.integers(len(words[language]))
        return " ".join((words[language] * 2)[start : start + length])

    written = []
    for place in range(references):
        language = sorted(words)[place % len(words)]
        reference = text(language)
        written += [(reference, text(language)) for _ in range(methods)]
    return [written[k % len(written)] for k in range(count)]


@pytest.mark.parametrize(("named", "least"), [(talk_pairs, 2.0), (demo_pairs, 1.3)])
def test_bertscore_against_the_package(named, least, capsys):
    """2,000 pairs with repeats on multilingual-e5-small, layer 9: faster than bert-score, same values.

    With the lengths of Talk pages at least twice as fast: the package pads 64 texts alike in words to the longest.
    """
    from bert_score import BERTScorer

    pairs, folder = named(), str(unpacked())
    ours = {
        "hub path": BertScorer(SentenceEncoder(EncoderConfig(model=folder, prefix="")), 9),
        "embedded": BertScorer(SentenceEncoder(EncoderConfig(prefix="")), 9),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = BERTScorer(model_type=folder, num_layers=9, device="cpu", nthreads=0, use_fast_tokenizer=True)
    references, candidates = map(list, zip(*pairs, strict=True))
    theirs.score(candidates[:20], references[:20])
    start = time.process_time()
    expected = theirs.score(candidates, references)[2].double()
    seconds = {"bert-score": time.process_time() - start}
    for name, scorer in ours.items():
        scorer.score(pairs[:20])
        start = time.process_time()
        found = scorer.score(pairs).f
        seconds[name] = time.process_time() - start
        assert torch.allclose(found, expected, atol=1e-5)
    ratio = seconds["bert-score"] / seconds["hub path"]
    told = ", ".join(f"{name} {value:.1f} s" for name, value in seconds.items())
    distinct = len({text for pair in pairs for text in pair})
    with capsys.disabled():
        sys.stdout.write(
            f"\n{named.__name__}, {len(pairs)} of {distinct} texts: {told}: {ratio:.2f} times (CPU, one run)"
        )
    assert ratio >= least
