"""What BERTScore gives: numbers that carry their encoder, layer and baseline."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from torch import Tensor

if TYPE_CHECKING:
    from folkmoot.metrics.bertscore.baseline import Baseline


@dataclass(frozen=True, slots=True)
class BertScores:
    """BERTScore of n pairs.

    Attributes:
        precision: mean over the candidate's tokens of the best cosine with a token of the reference, (n,), float64.
        recall: mean over the reference's tokens of the best cosine with a token of the candidate, (n,).
        f: their harmonic mean, (n,); 0 where both sum to 0.
        empty_reference: mask (n,) of pairs whose reference has no token: they score 0.
        empty_candidate: mask (n,) of pairs whose candidate has none.
        encoder: name of the encoder.
        layer: whose states were compared.
        idf: number of reference texts behind the tokens' weights; None: all tokens weigh the same.
        baseline: what the scores were rescaled with; "": raw.
    """

    precision: Tensor
    recall: Tensor
    f: Tensor
    empty_reference: Tensor
    empty_candidate: Tensor
    encoder: str
    layer: int
    idf: int | None = None
    baseline: str = ""

    def __len__(self) -> int:
        return len(self.f)

    @property
    def label(self) -> str:
        """Name of the number, for tables: "BERTScore F1, ENCODER, layer 9, rescaled with ..."."""
        parts = [self.encoder, f"layer {self.layer}"]
        parts += [f"idf of {self.idf} texts"] if self.idf is not None else []
        parts += [f"rescaled with {self.baseline}"] if self.baseline else []
        return f"BERTScore F1 ({', '.join(parts)})"

    def rescaled(self, baseline: "Baseline") -> "BertScores":
        """(x - b) / (1 - b) for each of P, R and F: 0 is what unrelated texts get, 1 is equality.

        Raises:
            MetricError: the baseline was made with another encoder, layer or weighting, or scores are rescaled already.
        """
        baseline.check(self)
        known = (self.precision, baseline.precision), (self.recall, baseline.recall), (self.f, baseline.f)
        precision, recall, f = ((x - b) / (1 - b) for x, b in known)
        return replace(self, precision=precision, recall=recall, f=f, baseline=baseline.label)
