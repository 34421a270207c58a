"""A factual-consistency scorer as baseline: persona and context are the reference, the response is the claim.

Any sequence classifier of transformers with an entailment-like class, by hub name or local path; loaded on first use.
"""

from collections.abc import Sequence
from typing import Any

from folkmoot.metrics.fidelity.benchmarks import Case
from folkmoot.metrics.fidelity.methods import Line, line
from folkmoot.sim.errors import ModelMissing

_NAMES = ("entail", "aligned", "consistent", "support")
_AGAINST = ("not", "non", "un", "in")


class AlignmentScorer:
    """Probability that persona and context support the response.

    Args:
        model: hub name or local folder.
        device: torch device.

    Raises:
        ModelMissing: it can't be loaded, or none of its classes means support.
    """

    def __init__(self, model: str, device: str = "cpu") -> None:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        self._device = device
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(model)
            self._model: Any = AutoModelForSequenceClassification.from_pretrained(model).to(device).eval()
        except (OSError, ValueError) as error:
            raise ModelMissing(
                f"alignment model {model!r} can't be loaded ({error}); give a hub name or a local folder of a "
                "sequence classifier, or choose another method"
            ) from error
        self._place = _support(self._model.config.id2label, model)

    async def lines(self, group: Sequence[Case]) -> list[Line]:
        """The scorer's probability of each item."""
        return [line(case, score=self._score(case)) for case in group]

    def _score(self, case: Case) -> float | None:
        import torch

        if not case.item.response.strip():
            return None
        reference = f"{case.item.space.persona}\n{case.item.context}"
        tokens = self._tokenizer(
            reference, case.item.response, truncation="only_first", return_tensors="pt", max_length=self._longest()
        )
        with torch.inference_mode():
            logits = self._model(**{key: value.to(self._device) for key, value in tokens.items()}).logits[0]
        if logits.numel() == 1:
            return float(logits.sigmoid()[0])
        return float(logits.softmax(-1)[self._place])

    def _longest(self) -> int:
        limit = getattr(self._model.config, "max_position_embeddings", 512)
        return min(int(limit), int(self._tokenizer.model_max_length))


def _support(labels: dict[int, str], model: str) -> int:
    """The class that means support: by its name, or the only one.

    >>> _support({0: "contradiction", 1: "neutral", 2: "entailment"}, "x")
    2
    """
    if len(labels) == 1:
        return next(iter(labels))
    for place, name in labels.items():
        low = name.lower()
        if low.startswith(_NAMES) and not low.startswith(_AGAINST):
            return place
    raise ModelMissing(
        f"alignment model {model!r}: none of its classes {sorted(labels.values())} means support; "
        f"one must begin with {', '.join(_NAMES)}"
    )
