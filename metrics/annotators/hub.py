"""Sentiment by a fine-tuned classifier from a hub or a folder, through transformers.

The paper's model is `tabularisai/multilingual-sentiment-analysis`. Any sequence classifier with five ordered classes
will do, if they are named like our points, numbered (LABEL_0 ...) or counted in stars.
"""

import asyncio
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from folkmoot.metrics.annotators.base import SENTIMENTS, Counted, Labels
from folkmoot.sim.errors import AnnotationError, ModelMissing
from folkmoot.sim.protocols import Utterance

PAPER_MODEL = "tabularisai/multilingual-sentiment-analysis"
_BATCH = 16
_LONGEST = 512
_CHARACTERS = 16 * _LONGEST


class HubSentiment(Counted):
    """Five ordered points by a hub model; the target comment alone.

    Args:
        model: hub name or folder.
        device: torch device.

    Raises:
        ModelMissing: there is no such model here, and no hub answers.
        AnnotationError: its classes aren't five ordered points.
    """

    name = "hub-sentiment"
    labels = SENTIMENTS
    context = 0

    def __init__(self, model: str = PAPER_MODEL, device: str = "cpu") -> None:
        super().__init__()
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        try:
            self._tokenizer = AutoTokenizer.from_pretrained(model)
            self._model = AutoModelForSequenceClassification.from_pretrained(model).eval().to(device)
        except (OSError, ValueError) as error:
            raise ModelMissing(
                f"sentiment model {model!r} can't be loaded ({error}); give a folder, a name with the hub reachable,"
                " or use annotator.sentiment=embedded"
            ) from error
        self._device, self._lock = device, threading.Lock()
        self._points = class_points(self._model.config.id2label)
        self._limit = min(_LONGEST, int(self._tokenizer.model_max_length))
        self.version = f"1/{model}/{_state_of(self._model)}"

    async def annotate(self, batch: Sequence[Utterance]) -> list[Labels | None]:
        """The most probable point of each utterance."""
        return await asyncio.to_thread(self._annotate, [utterance.text for utterance in batch])

    def _annotate(self, texts: Sequence[str]) -> list[Labels | None]:
        with self._lock:
            return [
                label for start in range(0, len(texts), _BATCH) for label in self._part(texts[start : start + _BATCH])
            ]

    def _part(self, texts: Sequence[str]) -> Iterator[Labels]:
        import torch

        clean = [text[:_CHARACTERS].encode("utf-8", "replace").decode() for text in texts]
        inputs = self._tokenizer(clean, padding=True, truncation=True, max_length=self._limit, return_tensors="pt")
        self.count("text cut for the model", sum(map(self._is_cut, texts, inputs["attention_mask"])))
        with torch.inference_mode():
            best = self._model(**inputs.to(self._device)).logits.argmax(-1).tolist()
        return ((SENTIMENTS[self._points[number] - 1],) for number in best)

    def _is_cut(self, text: str, mask: Any) -> bool:
        return len(text) > _CHARACTERS or int(mask.sum()) >= self._limit


def class_points(names: Mapping[int, str]) -> tuple[int, ...]:
    """Class number -> point 1..5.

    Raises:
        AnnotationError: the names don't tell five ordered points.

    >>> class_points({0: "Very Negative", 1: "Negative", 2: "Neutral", 3: "Positive", 4: "Very Positive"})
    (1, 2, 3, 4, 5)
    >>> class_points({0: "5 stars", 1: "4 stars", 2: "3 stars", 3: "2 stars", 4: "1 star"})
    (5, 4, 3, 2, 1)
    """
    points = [_point(name) for _, name in sorted(names.items())]
    if sorted(points) != [1, 2, 3, 4, 5]:
        raise AnnotationError(
            f"the model's classes {[names[key] for key in sorted(names)]} aren't five ordered points: very negative,"
            " negative, neutral, positive, very positive (or 1 to 5 stars, or LABEL_0 to LABEL_4); choose another"
            " model or annotator.sentiment=embedded"
        )
    return tuple(points)


def _point(name: str) -> int:
    plain = re.sub(r"[\W_]+", " ", name).strip().lower()
    if plain in SENTIMENTS:
        return SENTIMENTS.index(plain) + 1
    if match := re.fullmatch(r"label (\d)", plain):
        return int(match[1]) + 1
    match = re.fullmatch(r"(\d)( stars?)?", plain)
    return int(match[1]) if match else 0


def _state_of(model: Any) -> str:
    """Some digits that change with the weights: the hub's commit, else a checksum of all parameters."""
    import torch

    commit = getattr(model.config, "_commit_hash", None)
    if commit:
        return str(commit)[:12]
    with torch.inference_mode():
        return f"{sum(float(p.double().abs().sum()) for p in model.parameters()):.9e}"
