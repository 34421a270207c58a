"""BERTScore on any encoder: greedy matching of token states (Zhang et al. 2020), raw and rescaled."""

from folkmoot.metrics.bertscore.baseline import Baseline, read_baseline, shipped_baseline
from folkmoot.metrics.bertscore.scorer import BertScorer
from folkmoot.metrics.bertscore.scores import BertScores

__all__ = ["Baseline", "BertScorer", "BertScores", "read_baseline", "shipped_baseline"]
