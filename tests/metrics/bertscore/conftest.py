"""A tiny BERT with a vocabulary made here."""

import itertools
import json

import pytest

from folkmoot.agents.llm.encoder import EncoderConfig, SentenceEncoder

WORDS = ("source", "article", "please", "thanks", "revert", "talk", "page", "the", "a", "this", "is", "not", "good", "##s", "##ed", "über", "café", ".", ",", "?", "!")  # fmt: skip


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory):
    """A folder in transformers' format: two heads, four layers, weights from a fixed generator."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny-bert")
    letters = [a + b for a, b in itertools.product(("", "##"), "abcdefghijklmnopqrstuvwxyz")]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *letters]
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(vocabulary)), encoding="utf-8")
    config = BertConfig(
        vocab_size=len(dict.fromkeys(vocabulary)), hidden_size=32, num_hidden_layers=4, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64,
    )  # fmt: skip
    model = BertModel(config)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:  # norms and biases stay: shared ones would make all tokens alike
                parameter.copy_(torch.randn(parameter.shape, generator=generator) / parameter.shape[-1] ** 0.5)
    model.save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=True, model_max_length=64).save_pretrained(folder)
    assert json.loads((folder / "config.json").read_text())["num_hidden_layers"] == 4
    return folder


@pytest.fixture(scope="session")
def tiny(tiny_folder):
    """The tiny encoder, without prefix."""
    return SentenceEncoder(EncoderConfig(model=str(tiny_folder), prefix="", max_tokens=None))
