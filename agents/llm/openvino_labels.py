"""Exact label log-probabilities on the CPU: the same weights, with logits of the last position only.

One forward pass over the prompts, left-padded; then, for labels of several tokens, one short step a
token from the same state, one row a label.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from folkmoot.agents.llm.runtime import openvino
from folkmoot.agents.llm.scoring import shared_prefix

WORTH_SHARING = 16
"""Tokens; a shorter common beginning isn't worth a forward pass of its own."""


class LabelEngine:
    """Scores labels; not thread-safe, meant for one worker thread.

    Args:
        folder: the converted model.
        threads: CPU threads; 0 for all.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        core = openvino().Core()
        model = core.read_model(folder / "openvino_model.xml")
        _keep_last_position(model)
        settings = {"PERFORMANCE_HINT": "LATENCY"} | ({"INFERENCE_NUM_THREADS": threads} if threads else {})
        self._request = core.compile_model(model, "CPU", settings).create_infer_request()

    def score(
        self, prompts: Sequence[Sequence[int]], labels: Sequence[Sequence[Sequence[int]]]
    ) -> list[tuple[float, ...]]:
        """Log-probability (nats) of each label's tokens after its prompt, over the whole vocabulary.

        Args:
            prompts: token ids, one list a prompt.
            labels: for each prompt, the token ids of its labels, none of them empty.
        """
        mask, logprobs = self._prefill(prompts)
        return self._labels(mask, logprobs, labels)

    def score_shared(self, prompts: Sequence[list[int]], labels: Sequence[list[int]]) -> list[tuple[float, ...]]:
        """The same labels after each prompt; what the prompts begin with in common is read once."""
        same = shared_prefix(prompts)
        if same < WORTH_SHARING or len(prompts) == 1:
            return self.score(prompts, [labels] * len(prompts))
        head, _ = self._prefill([prompts[0][:same]])
        ids, mask = _padded([prompt[same:] for prompt in prompts])
        mask = np.concatenate([np.repeat(head, len(prompts), axis=0), mask], axis=1)
        positions = np.maximum(mask.cumsum(1) - 1, 0)[:, same:]
        logprobs = self._infer(ids, mask, positions, np.zeros(len(prompts), np.int64))
        return self._labels(mask, logprobs, [labels] * len(prompts))

    def _labels(
        self, mask: NDArray[np.int64], logprobs: NDArray[np.float64], labels: Sequence[Sequence[Sequence[int]]]
    ) -> list[tuple[float, ...]]:
        rows = [(item, label) for item, group in enumerate(labels) for label in group]
        scores = np.array([logprobs[item, label[0]] for item, label in rows])
        self._extend(rows, mask, scores)
        ends = np.cumsum([len(group) for group in labels])[:-1]
        return [tuple(float(x) for x in part) for part in np.split(scores, ends)]

    def _prefill(self, prompts: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        ids, mask = _padded(prompts)
        self._request.reset_state()
        return mask, self._infer(ids, mask, np.maximum(mask.cumsum(1) - 1, 0), np.arange(len(prompts)))

    def _extend(self, rows: Sequence[tuple[int, Sequence[int]]], mask: NDArray[np.int64], scores: Any) -> None:
        """Add the later tokens of the longer labels, one position at a time."""
        long = [k for k, (_, label) in enumerate(rows) if len(label) > 1]
        origin = np.array([rows[k][0] for k in long], np.int64)
        mask = mask[origin]
        for place in range(1, max((len(rows[k][1]) for k in long), default=1)):
            ids = np.array([[rows[k][1][min(place, len(rows[k][1])) - 1]] for k in long], np.int64)
            mask = np.concatenate([mask, np.ones((len(long), 1), np.int64)], axis=1)
            logprobs = self._infer(ids, mask, mask.sum(1, keepdims=True) - 1, origin)
            origin = np.arange(len(long))
            for row, k in enumerate(long):
                if place < len(rows[k][1]):
                    scores[k] += logprobs[row, rows[k][1][place]]

    def _infer(self, ids: Any, mask: Any, positions: Any, origin: Any) -> NDArray[np.float64]:
        """Log-probabilities after the last position, shape (rows, vocabulary)."""
        self._request.infer(
            {
                "input_ids": ids,
                "attention_mask": mask,
                "position_ids": positions.astype(np.int64),
                "beam_idx": origin.astype(np.int32),
            }
        )
        logits = self._request.get_tensor("logits").data[:, -1].astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        normed: NDArray[np.float64] = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return normed


def _padded(texts: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token ids and their mask, shape (texts, longest), padded on the left."""
    width = max(len(ids) for ids in texts)
    ids = np.zeros((len(texts), width), np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(texts):
        ids[row, width - len(text) :] = text
        mask[row, width - len(text) :] = 1
    return ids, mask


def _keep_last_position(model: Any) -> None:
    """Cut the hidden states to the last position before they meet the vocabulary."""
    opset13 = openvino().opset13
    node = model.output("logits").get_node().input_value(0).get_node()
    while node.get_type_name() != "MatMul":
        node = node.input_value(0).get_node()
    start, stop, step, axis = (np.array([x], np.int64) for x in (-1, np.iinfo(np.int64).max, 1, 1))
    node.input(0).replace_source_output(opset13.slice(node.input_value(0), start, stop, step, axis).output(0))
    model.validate_nodes_and_infer_types()
