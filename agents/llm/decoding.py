"""Batched decoding with torch: every row has its own settings and its own random stream."""

from collections.abc import Callable, Sequence
from inspect import signature
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from folkmoot.agents.llm.branches import Branches, masked, reads_trees
from folkmoot.agents.llm.scoring import shared_prefix
from folkmoot.sim.protocols import Sampling

if TYPE_CHECKING:
    from torch import Tensor


class Row(NamedTuple):
    """One completion: prompt ids, settings, seed, and what tells from the ids so far whether to stop."""

    ids: list[int]
    sampling: Sampling
    seed: int
    stops: Callable[[list[int]], bool] | None


class Decoder:
    """Runs a causal model of transformers; not thread-safe, meant for one worker thread.

    Args:
        model: on its device, in eval mode.
        ends: ids that end an answer.
    """

    def __init__(self, model: Any, ends: set[int]) -> None:
        self._model = model
        self._ends = ends
        self._trees = reads_trees(model.config)
        # Newer releases of transformers call the argument otherwise.
        self._cache = "cache" if "cache" in signature(model.forward).parameters else "past_key_values"

    def generate(self, rows: Sequence[Row]) -> list[tuple[list[int], str]]:
        """Generated ids (without the ending one) and finish reason of each row."""
        import torch
        from transformers import DynamicCache

        made: list[list[int]] = [[] for _ in rows]
        finish = [""] * len(rows)
        streams = [torch.Generator().manual_seed(row.seed) for row in rows]
        with torch.inference_mode():
            ids, mask = self._padded([row.ids for row in rows])
            cache, step = DynamicCache(), ids
            while not all(finish):
                logits = self._forward(step, mask, cache, keep=1)[:, -1].float().cpu()
                chosen = [self._choose(logits[k], row, streams[k]) for k, row in enumerate(rows)]
                for k, row in enumerate(rows):
                    if not finish[k]:
                        finish[k] = self._take(made[k], chosen[k], row)
                step = torch.tensor(chosen, device=ids.device)[:, None]
                mask = torch.cat([mask, torch.ones_like(step)], dim=1)
        return list(zip(made, finish, strict=True))

    def label_logprobs(
        self, prompts: Sequence[list[int]], labels: Sequence[Sequence[list[int]]]
    ) -> list[tuple[float, ...]]:
        """Exact log-probabilities (nats) of each label's tokens after its prompt."""
        import torch

        pairs = [(item, label) for item, group in enumerate(labels) for label in group]
        long = [(item, label) for item, label in pairs if len(label) > 1]
        texts = [*prompts, *(prompts[item] + label[:-1] for item, label in long)]
        keep = max(len(label) for _, label in pairs)
        with torch.inference_mode():
            ids, mask = self._padded(texts)
            logprobs = self._forward(ids, mask, None, keep=keep)[:, -keep:].float().log_softmax(-1).cpu()
        later = count(len(prompts))  # where the rows of the longer labels stand, in their order
        scores = [_sum(logprobs[next(later) if len(label) > 1 else item], label) for item, label in pairs]
        parts, start = [], 0
        for group in labels:
            parts.append(tuple(scores[start : start + len(group)]))
            start += len(group)
        return parts

    def shared_logprobs(self, prompts: Sequence[list[int]], labels: Sequence[list[int]]) -> list[tuple[float, ...]]:
        """The same labels after each prompt; what prompts have in common is read once where the model reads trees."""
        same = shared_prefix(prompts)
        if not same or len(prompts) == 1 or not self._trees:
            return self.label_logprobs(prompts, [labels] * len(prompts))
        tree = Branches()
        paths = [[tree.add(prompt[same:] + label[:-1])[-len(label) :] for label in labels] for prompt in prompts]
        read = sorted({place for path in paths for label in path for place in label})
        rows = dict(zip(read, self._tree_logprobs(prompts[0][:same], tree, read), strict=True))
        return [
            tuple(
                float(sum(rows[place][token] for place, token in zip(path, label, strict=True)))
                for path, label in zip(own, labels, strict=True)
            )
            for own in paths
        ]

    def _tree_logprobs(self, beginning: list[int], tree: Branches, read: list[int]) -> "Tensor":
        """Log-probabilities after the tokens at the places `read` of a tree behind a beginning."""
        import torch
        from transformers import DynamicCache

        with torch.inference_mode():
            head, mask = self._padded([beginning])
            cache = DynamicCache()
            self._forward(head, mask, cache, keep=1)
            logits: Tensor = self._model(
                input_ids=torch.tensor([tree.tokens], device=head.device),
                attention_mask=masked(len(beginning), tree, self._model.dtype, head.device),
                position_ids=len(beginning) + torch.tensor([tree.depths], device=head.device),
                use_cache=True,
                logits_to_keep=torch.tensor(read, device=head.device),
                **{self._cache: cache},
            ).logits
            return logits[0].float().log_softmax(-1).cpu()

    def _padded(self, texts: Sequence[list[int]]) -> "tuple[Tensor, Tensor]":
        import torch

        width = max(len(ids) for ids in texts)
        ids = torch.zeros((len(texts), width), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, text in enumerate(texts):
            ids[row, width - len(text) :] = torch.tensor(text)
            mask[row, width - len(text) :] = 1
        return ids.to(self._model.device), mask.to(self._model.device)

    def _forward(self, ids: "Tensor", mask: "Tensor", cache: Any, keep: int) -> "Tensor":
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        logits: Tensor = self._model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            use_cache=cache is not None,
            logits_to_keep=keep,
            **({} if cache is None else {self._cache: cache}),
        ).logits
        return logits

    def _choose(self, logits: "Tensor", row: Row, stream: Any) -> int:
        import torch

        sampling = row.sampling
        if sampling.temperature == 0:
            return int(logits.argmax())
        shares, order = (logits / sampling.temperature).softmax(-1).sort(descending=True)
        if sampling.top_p < 1:
            shares = shares * (shares.cumsum(0) - shares < sampling.top_p)
        return int(order[torch.multinomial(shares, 1, generator=stream)])

    def _take(self, made: list[int], token: int, row: Row) -> str:
        """Add the token, unless it ends the answer; the finish reason, "" if the answer goes on."""
        if token in self._ends:
            return "stop"
        made.append(token)
        if row.stops is not None and row.stops(made):
            return "stop"
        return "length" if len(made) >= row.sampling.max_tokens else ""


def _sum(logprobs: "Tensor", label: list[int]) -> float:
    """Sum over the label's tokens; the last position predicts the last of them."""
    places = range(len(logprobs) - len(label), len(logprobs))
    return float(sum(logprobs[place, token] for place, token in zip(places, label, strict=True)))
