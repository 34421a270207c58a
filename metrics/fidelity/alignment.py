"""A factual-consistency scorer as baseline: persona and context are the reference, the response is the claim.

Any sequence classifier of transformers with an entailment-like class, by hub name or local path; loaded on first use.
"""

from collections.abc import Sequence
from typing import Any

from folkmoot.metrics.fidelity.benchmarks import Case
from folkmoot.metrics.fidelity.fitting import fitted
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
        return [self._line(case) for case in group]

    def _line(self, case: Case) -> Line:
        if not case.item.response.strip():
            return line(case)
        reference = f"{case.item.space.persona}\n{case.item.context}"
        (response,), cut = self._fitting(case)
        if not cut and self._tokens(reference, response) > self._longest():
            cut = "context"
        return line(case, score=self._score(reference, response), cut=cut)

    def _fitting(self, case: Case) -> tuple[tuple[str, ...], str]:
        """The response within half of the window; the other half is the reference's, which is cut at its end."""

        def fits(_: str, responses: tuple[str, ...]) -> bool:
            return self._tokens("", responses[0]) <= self._longest() // 2

        found = fitted(case.item.id, "", (case.item.response,), fits)
        return found.responses, found.cut

    def _score(self, reference: str, response: str) -> float:
        import torch

        tokens = self._tokenizer(
            reference, response, truncation="only_first", return_tensors="pt", max_length=self._longest()
        )
        with torch.inference_mode():
            logits = self._model(**{key: value.to(self._device) for key, value in tokens.items()}).logits[0]
        if logits.numel() == 1:
            return float(logits.sigmoid()[0])
        return float(logits.softmax(-1)[self._place])

    def _tokens(self, reference: str, response: str) -> int:
        return len(self._tokenizer(reference, response, verbose=False)["input_ids"])

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
