"""Prompts read as one tree of tokens score as if each were read alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.llm.branches import Branches, reads_trees
from folkmoot.agents.llm.decoding import Decoder

TEXTS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=6)
SMALL = {
    "vocab_size": 40,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


@given(TEXTS)
def test_every_beginning_stands_once(texts):
    """A path spells its text, places are as many as there are different beginnings, a token sees its beginning alone."""
    tree = Branches()
    paths = [tree.add(text) for text in texts]
    assert [[tree.tokens[place] for place in path] for path in paths] == texts
    assert len(tree.tokens) == len({tuple(text[: k + 1]) for text in texts for k in range(len(text))})
    sees = tree.sees()
    for path in paths:
        for depth, place in enumerate(path):
            assert tree.depths[place] == depth
            assert set(sees[place].nonzero()[0]) == set(path[: depth + 1])


def decoder(kind="llama"):
    """A tiny model with random weights: full attention, windowed attention, or learned positions."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MistralConfig
    from transformers import MistralForCausalLM as Mistral

    torch.manual_seed(1)
    if kind == "llama":
        model = LlamaForCausalLM(LlamaConfig(**SMALL))
    elif kind == "mistral":
        model = Mistral(MistralConfig(**SMALL, sliding_window=4))
    else:
        model = GPT2LMHeadModel(
            GPT2Config(vocab_size=40, n_embd=16, n_layer=2, n_head=2, bos_token_id=1, eos_token_id=1)
        )
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return Decoder(model.eval(), set())


HEAD = [7, 8, 9, 3, 12, 30, 5, 4]
PROMPTS = [[*HEAD, 11, 12, 13], [*HEAD, 11, 14], [*HEAD, 11, 12, 15, 16, 2], [*HEAD, 11, 14]]
LABELS = [[1], [2], [1, 3, 6], [2, 5]]


@pytest.mark.parametrize(("kind", "trees"), [("llama", True), ("mistral", False), ("gpt2", False)])
def test_shared_reading_changes_no_score(kind, trees):
    """Trees where the model can read them, else each prompt whole: scores are those of each prompt alone, long labels too."""
    model = decoder(kind)
    assert reads_trees(model._model.config) == trees
    alone = [model.label_logprobs([prompt], [LABELS])[0] for prompt in PROMPTS]
    for one, other in zip(model.shared_logprobs(PROMPTS, LABELS), alone, strict=True):
        assert one == pytest.approx(other, abs=1e-5)


def test_eager_attention_reads_trees_too():
    """The mask is read by either implementation of attention; another one isn't given any."""
    model = decoder()
    model._model.set_attn_implementation("eager")
    fast = decoder().shared_logprobs(PROMPTS, LABELS)
    for one, other in zip(model.shared_logprobs(PROMPTS, LABELS), fast, strict=True):
        assert one == pytest.approx(other, abs=1e-5)
    model._model.config._attn_implementation = "flash_attention_2"
    assert not reads_trees(model._model.config)
