"""A BERT forward pass for the encoder's folder.

Importing the modelling code of transformers takes four to six seconds; the encoder needs these few lines of
it. The folder stays transformers' own format, and a test holds the two against each other.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

DTYPES = ("float32", "bfloat16", "float16")


class Bert:
    """Hidden states of every layer, post-norm BERT with absolute positions and exact GELU.

    Args:
        folder: config.json, tokenizer.json and model.safetensors.
        device: any torch device.
        dtype: of the computation. The embedding tables stay as stored (memory-mapped on a CPU: only the
            rows that occur are ever read).
    """

    def __init__(self, folder: Path, device: str = "cpu", dtype: str = "float32") -> None:
        import torch
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.layers: int = config["num_hidden_layers"]
        self.hidden_size: int = config["hidden_size"]
        self.max_tokens: int = config["max_position_embeddings"]
        self._heads: int = config["num_attention_heads"]
        self._eps: float = config["layer_norm_eps"]
        self._pad: int = config["pad_token_id"]
        self._device, self._dtype = torch.device(device), getattr(torch, dtype)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._weights = self._place(load_file(folder / "model.safetensors"))

    def _place(self, state: dict[str, "torch.Tensor"]) -> dict[str, "torch.Tensor"]:
        table = "embeddings.word_embeddings.weight"
        return {
            name: tensor.to(self._device) if name == table else tensor.to(self._device, self._dtype)
            for name, tensor in state.items()
        }

    def tokenize(self, text: str) -> list[int]:
        """Token ids, with the start and end tokens."""
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids

    def hidden(
        self, batch: Sequence[Sequence[int]], last: int | None = None
    ) -> tuple[list["torch.Tensor"], "torch.Tensor"]:
        """Hidden states after the embeddings and after each layer.

        Args:
            batch: token ids, at most `max_tokens` a text.
            last: the last layer to compute; None: all.

        Returns:
            Tensors of shape (batch, tokens, hidden) in float32, and the mask (batch, tokens). Without `last` there are
            `layers + 1`; with it those of lower layers may be missing, and the last one is that layer's.
        """
        import torch

        with torch.inference_mode():
            ids, mask = self._padded(batch)
            bias = torch.zeros(mask.shape, dtype=self._dtype, device=self._device)
            bias = bias.masked_fill(~mask, float("-inf"))[:, None, None, :]
            states = [self._embed(ids)]
            for layer in range(self.layers if last is None else last):
                states.append(self._layer(layer, states[-1], bias if not bool(mask.all()) else None))
            return [state.float() for state in states], mask

    def _padded(self, batch: Sequence[Sequence[int]]) -> tuple["torch.Tensor", "torch.Tensor"]:
        import torch

        width = max(map(len, batch))
        rows = [[*ids, *[self._pad] * (width - len(ids))] for ids in batch]
        lengths = torch.tensor([len(ids) for ids in batch], device=self._device)
        return torch.tensor(rows, device=self._device), torch.arange(width, device=self._device) < lengths[:, None]

    def _embed(self, ids: "torch.Tensor") -> "torch.Tensor":
        from torch.nn import functional as F  # noqa: N812

        weights, root = self._weights, "embeddings."
        words = F.embedding(ids, weights[root + "word_embeddings.weight"]).to(self._dtype)
        positions = weights[root + "position_embeddings.weight"][: ids.shape[1]]
        total = words + positions + weights[root + "token_type_embeddings.weight"][0]
        return self._norm(total, root + "LayerNorm")

    def _layer(self, number: int, states: "torch.Tensor", bias: Any) -> "torch.Tensor":
        from torch.nn import functional as F  # noqa: N812

        root = f"encoder.layer.{number}."
        attended = self._linear(self._attention(root, states, bias), root + "attention.output.dense")
        states = self._norm(attended + states, root + "attention.output.LayerNorm")
        inner = F.gelu(self._linear(states, root + "intermediate.dense"))
        return self._norm(self._linear(inner, root + "output.dense") + states, root + "output.LayerNorm")

    def _attention(self, root: str, states: "torch.Tensor", bias: Any) -> "torch.Tensor":
        from torch.nn import functional as F  # noqa: N812

        batch, width, hidden = states.shape
        query, key, value = (
            self._linear(states, f"{root}attention.self.{part}").view(batch, width, self._heads, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        return mixed.transpose(1, 2).reshape(batch, width, hidden)

    def _linear(self, states: "torch.Tensor", name: str) -> "torch.Tensor":
        from torch.nn import functional as F  # noqa: N812

        return F.linear(states, self._weights[name + ".weight"], self._weights[name + ".bias"])

    def _norm(self, states: "torch.Tensor", name: str) -> "torch.Tensor":
        from torch.nn import functional as F  # noqa: N812

        weights = self._weights
        return F.layer_norm(states, states.shape[-1:], weights[name + ".weight"], weights[name + ".bias"], self._eps)
