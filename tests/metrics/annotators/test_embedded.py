"""The default annotators: heads over the sentence encoder."""

import asyncio
import re

import numpy as np
import pytest

from folkmoot.agents.llm.encoder import SentenceEncoder
from folkmoot.environments.corpora.demo import load_demo
from folkmoot.metrics.annotators.base import ACTS, SENTIMENTS, point
from folkmoot.metrics.annotators.embedded import EmbeddedActs, EmbeddedSentiment
from folkmoot.metrics.annotators.features import SURFACE, matrix, pieces, surface
from folkmoot.metrics.annotators.heads import Head, load, save
from folkmoot.metrics.annotators.validation import f1
from folkmoot.sim.errors import AnnotationError
from folkmoot.sim.events import TextEvent
from folkmoot.sim.protocols import Utterance

pytestmark = pytest.mark.embedded


@pytest.fixture(scope="module")
def encoder():
    """One encoder for the module."""
    return SentenceEncoder()


@pytest.fixture(scope="module")
def acts(encoder):
    """The shipped act annotator."""
    return EmbeddedActs(encoder)


@pytest.fixture(scope="module")
def sentiment(encoder):
    """The shipped sentiment annotator."""
    return EmbeddedSentiment(encoder)


def utterance(text, language="en"):
    """A simulated comment."""
    event = TextEvent(
        seq=0, time=0, actor="a", community="en", origin="simulated", thread="t", text=text, language=language
    )
    return Utterance("Title", (), text, language, event)


def label(annotator, *texts):
    """Labels of texts."""
    return asyncio.run(annotator.annotate([utterance(text) for text in texts]))


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Where did you find that figure?", "ASK"),
        ("Woher hast du diese Angabe?", "ASK"),
        ("Merci infiniment, c'est parfait !", "POSITIVE"),
        ("Grazie mille, bellissimo lavoro!", "POSITIVE"),
        ("See [[WP:NPOV]] and Smith 1999, p. 12.", "REFERENCE"),
        ("I have removed the paragraph.", "REPORT"),
        ("Lo haré mañana por la tarde.", "COMMIT"),
        ("Please add a source for the last sentence.", "REQUEST"),
    ],
)
def test_plain_sentences(acts, text, act):
    """Textbook sentences of the easier acts, not among the exemplars, get their label."""
    assert act in label(acts, text)[0]


def test_labels_are_known_ordered_and_never_none(acts, sentiment):
    """Each comment has at least one act, in the fixed order, and exactly one of five points."""
    texts = ["Thanks! Done.", "", "hm", "The moon is round. Really? I'll look it up, see [[WP:V]]."]
    for labels in label(acts, *texts):
        assert labels
        assert list(labels) == [one for one in ACTS if one in labels]
    assert all(len(one) == 1 and one[0] in SENTIMENTS for one in label(sentiment, *texts))


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "🙂🙂🙂",
        "word " * 20_000,
        "\ud800\udfff",
        "x" * 100_000,
        "\x00",
        "これは何ですか。",
        "[[" * 5_000,
        "{{" * 5_000,
        "?" * 9_999,
    ],
)
def test_a_bad_text_spoils_nothing(acts, sentiment, bad):
    """Empty, huge, broken and foreign texts are labelled, and their neighbours as without them."""
    for annotator in (acts, sentiment):
        alone = label(annotator, "Thank you, I agree.")
        assert label(annotator, bad, "Thank you, I agree.", bad)[1:2] == alone


def test_empty_batch(acts, sentiment):
    """Nothing in, nothing out."""
    assert label(acts) == label(sentiment) == []


def test_a_comment_does_what_its_sentences_do(acts):
    """A comment's margins are the largest of its sentences'."""
    parts = ["I've fixed the date.", "Is there a source?"]
    together = acts.margins([" ".join(parts)])
    np.testing.assert_allclose(together[0], acts.margins(parts).max(0), atol=1e-3)


def test_sentences_past_the_bound_are_counted(encoder):
    """What isn't read is counted."""
    annotator = EmbeddedActs(encoder)
    label(annotator, "One more. " * 50)
    assert annotator.counts["sentences beyond the first 40"] == 10


def test_moods_are_in_order(sentiment):
    """Rage, a complaint, a fact, agreement and joy are ordered."""
    points = sentiment.points(
        ["You disgusting liar, I hate you and this awful garbage!", "Sadly this doesn't work.", "It has two floors.",
         "Sounds good, thanks.", "I absolutely love it, thank you so very much, wonderful!!!"]
    )  # fmt: skip
    assert list(points) == sorted(points)
    assert points[0] <= 2
    assert points[-1] >= 4


def test_versions_name_weights_and_encoder(acts, sentiment, encoder):
    """The version changes with the head's weights, the features and the encoder."""
    assert acts.version != sentiment.version
    for annotator in (acts, sentiment):
        assert re.match(r"[0-9a-f]{12}/folkmoot-features/", annotator.version)
        assert encoder.name in annotator.version


def test_the_loop_is_free_while_it_works(encoder):
    """Annotation runs in a thread: the loop turns meanwhile."""

    async def main():
        turns = 0
        task = asyncio.create_task(
            EmbeddedActs(encoder).annotate([utterance(f"Text number {n}, is it?") for n in range(40)])
        )
        while not task.done():
            await asyncio.sleep(0.001)
            turns += 1
        return turns

    assert asyncio.run(main()) > 5


def test_demo_gold(acts, sentiment):
    """On the demo corpus (never trained on) the heads stay above what they scored when they were made, less a margin."""
    corpus = load_demo("de")
    events = [event for event in corpus.utterances() if event.seq in corpus.gold]
    texts = [event.text for event in events]
    truth = np.array([[act in corpus.gold[event.seq].acts for act in ACTS] for event in events])
    found = np.array([[act in labels for act in ACTS] for labels in label(acts, *texts)])
    assert f1(found, truth) > 0.5
    assert 0.6 < found.sum() / truth.sum() < 1.6
    gold = np.array([corpus.gold[event.seq].sentiment for event in events])
    points = np.array([point(labels[0]) for labels in label(sentiment, *texts)])
    assert np.corrcoef(points, gold)[0, 1] > 0.4


def test_head_round_trip(tmp_path, encoder):
    """A head is read back as it was written; its digest depends on the weights alone."""
    head = load("acts")
    with (tmp_path / "head.npz").open("wb") as file:
        save(head, file)
    features = matrix(encoder, ["One.", "Two?"])
    assert head.scores(features).shape == (2, 10)
    assert head.labels == ACTS
    with pytest.raises(AnnotationError, match="train"):
        load("nothing")


def test_another_encoder_is_refused():
    """Features of the wrong width are refused with the way out."""
    head = Head(
        ("A",),
        np.zeros(3, np.float32),
        np.ones(3, np.float32),
        ((np.ones((3, 1), np.float32), np.zeros(1, np.float32)),),
        np.zeros(1, np.float32),
        {"encoder": "e5"},
    )
    assert head.scores(np.ones((2, 3), np.float32)).tolist() == [[3], [3]]
    with pytest.raises(AnnotationError, match="'e5'.*train_heads"):
        head.scores(np.ones((2, 4), np.float32))


def test_surface_counts():
    """Question marks, links and locators are counted in any language, capped at two."""
    counts = dict(
        zip(SURFACE, surface("¿Qué? Sí!! [[WP:NPOV]] [[Lago]] https://a.example p. 12 {{hecho}} :)"), strict=True)
    )
    assert [
        counts[name] for name in ("question", "project link", "other link", "web address", "template", "positive emoji")
    ] == [2, 1, 1, 1, 1, 1]
    assert surface("").sum() == 0
    assert pieces("") == [""]
