"""A Llama-family GGUF as a torch model: dequantised tensors under the names of transformers."""

import re
from pathlib import Path
from typing import Any

PLAIN = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
BLOCK = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_BLOCK_NAME = re.compile(r"blk\.(\d+)\.(\w+)\.weight")


def load_llama(path: Path) -> Any:
    """A LlamaForCausalLM in float32 on the CPU, its output layer tied to the embeddings where the file has none."""
    import torch
    from gguf import GGUFReader
    from gguf.quants import dequantize
    from transformers import LlamaForCausalLM

    reader = GGUFReader(path)
    config = _config(reader, tied=all(tensor.name != "output.weight" for tensor in reader.tensors))
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    model = LlamaForCausalLM(config)
    state = {}
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type).reshape([int(n) for n in reversed(tensor.shape)])
        name, part = _name(tensor.name)
        if part in heads:
            values = _unrotated(values, heads[part])
        state[name] = torch.from_numpy(values.copy())
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected
    assert set(missing) <= {"lm_head.weight"}
    return model


def _config(reader: Any, *, tied: bool) -> Any:
    from transformers import LlamaConfig

    def field(name: str) -> Any:
        return reader.get_field(name).contents()

    rope = {"rope_type": "default", "rope_theta": float(field("llama.rope.freq_base"))}
    return LlamaConfig(
        vocab_size=int(field("llama.vocab_size")),
        hidden_size=int(field("llama.embedding_length")),
        intermediate_size=int(field("llama.feed_forward_length")),
        num_hidden_layers=int(field("llama.block_count")),
        num_attention_heads=int(field("llama.attention.head_count")),
        num_key_value_heads=int(field("llama.attention.head_count_kv")),
        max_position_embeddings=int(field("llama.context_length")),
        rms_norm_eps=float(field("llama.attention.layer_norm_rms_epsilon")),
        rope_parameters=rope,
        tie_word_embeddings=tied,
    )


def _name(name: str) -> tuple[str, str]:
    """The name in transformers, and which part of a block it is ("" outside of blocks)."""
    found = _BLOCK_NAME.fullmatch(name)
    if found is None:
        return PLAIN[name], ""
    return f"model.layers.{found[1]}.{BLOCK[found[2]]}.weight", found[2]


def _unrotated(values: Any, heads: int) -> Any:
    """GGUF interleaves the two halves of each head for its rotary embedding; put them one after the other again."""
    rows, columns = values.shape
    return values.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)
