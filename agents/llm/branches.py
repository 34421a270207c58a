"""Prompts that begin alike as one tree of tokens: each token is read once, however many prompts run through it.

The tree lies flat in one sequence; a mask lets each token see its own beginning only, and its position is its depth
(tree attention, as in SpecInfer, arXiv 2305.09781). No padding, and no keys and values copied for each prompt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(slots=True)
class Branches:
    """A forest of tokens, each behind its parent.

    Attributes:
        tokens: in an order in which a parent stands before its children.
        parents: place of each token's parent; -1 for a first token.
        depths: from 0 on.
    """

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    _places: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, text: Sequence[int]) -> list[int]:
        """Places of the text's tokens; what stands there already isn't added again.

        >>> tree = Branches()
        >>> tree.add([5, 6, 7]), tree.add([5, 8]), tree.tokens, tree.parents
        ([0, 1, 2], [0, 3], [5, 6, 7, 8], [-1, 0, 1, 0])
        """
        path: list[int] = []
        for depth, token in enumerate(text):
            key = path[-1] if path else -1, token
            if key not in self._places:
                self._places[key] = len(self.tokens)
                self.tokens.append(token)
                self.parents.append(key[0])
                self.depths.append(depth)
            path.append(self._places[key])
        return path

    def sees(self) -> NDArray[np.bool_]:
        """Which token sees which: itself and its ancestors; shape (tokens, tokens)."""
        seen = np.eye(len(self.tokens), dtype=np.bool_)
        for place, parent in enumerate(self.parents):
            if parent >= 0:
                seen[place] |= seen[parent]
        return seen


def masked(head: int, tree: Branches, dtype: Any, device: Any) -> "Tensor":
    """What is added to the attention of a tree behind `head` tokens that all of it sees.

    Args:
        head: number of tokens before the tree.
        tree: what is read.
        dtype: of the model, in torch.
        device: of the model.

    Returns:
        0 where a token sees another, the dtype's least number elsewhere; shape (1, 1, tokens, head + tokens).
    """
    import torch

    hidden = torch.from_numpy(~np.pad(tree.sees(), ((0, 0), (head, 0)), constant_values=True)).to(device)
    mask = torch.zeros(hidden.shape, dtype=dtype, device=device)
    return mask.masked_fill(hidden, torch.finfo(dtype).min)[None, None]


def reads_trees(config: Any) -> bool:
    """Whether a model of transformers can read trees: it takes positions and a mask of ours in every layer.

    So it is for rotary positions and full attention; linear or windowed attention and ALiBi make masks of their own.
    """
    text = config.get_text_config()
    kinds = getattr(text, "layer_types", None)
    full = set(kinds) == {"full_attention"} if kinds else not getattr(text, "sliding_window", None)
    rotary = bool(getattr(text, "rope_parameters", None)) and not getattr(text, "alibi", False)
    return full and rotary and getattr(config, "_attn_implementation", "") in {"sdpa", "eager"}
