"""Text similarity of all pairs of a report: ROUGE-L always, BERTScore where an encoder is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from folkmoot.metrics.bertscore import Baseline, BertScorer, shipped_baseline
from folkmoot.metrics.bertscore.baseline import baseline_of, random_pairs
from folkmoot.metrics.next_turn.drawn import Key
from folkmoot.metrics.next_turn.pairs import Pair
from folkmoot.metrics.next_turn.scores import Texts
from folkmoot.metrics.rouge import TOKENIZER, f_values, rouge_l_all
from folkmoot.sim.errors import MetricError

RANDOM_PAIRS = 1000
"""Of a report's own baseline, where none ships for the encoder and layer."""


@dataclass(slots=True)
class Similarity:
    """How texts are compared.

    Attributes:
        scorer: of BERTScore; None: not measured.
        baselines: language -> what rescales; one that isn't here is the shipped one, or made of the report's
            real texts.
        label: what BERTScore was, once it was measured.
    """

    scorer: BertScorer | None = None
    baselines: dict[str, Baseline] = field(default_factory=dict)
    label: str = "not measured"

    @property
    def notes(self) -> list[str]:
        """How the numbers were made."""
        rescaled = [f"{language}: {one.label}" for language, one in sorted(self.baselines.items())]
        return [f"ROUGE-L: F, tokens {TOKENIZER}.", f"BERT: {self.label}.", *(f"rBERT {line}." for line in rescaled)]

    def of(self, cells: Mapping[Key, tuple[str, Sequence[Pair]]]) -> dict[Key, Texts]:
        """Scores of the pairs of each cell, in their order; cells with their language."""
        rouge = {key: f_values(rouge_l_all((p.real, p.text) for p in pairs)) for key, (_, pairs) in cells.items()}
        nothing = {key: np.full(len(pairs), np.nan) for key, (_, pairs) in cells.items()}
        bert, rbert = dict(nothing), dict(nothing)
        for language in dict.fromkeys(language for language, _ in cells.values()):
            mine = {key: pairs for key, (own, pairs) in cells.items() if own == language and pairs}
            if self.scorer is not None and mine:
                self._bert(self.scorer, language, mine, bert, rbert)
        return {key: Texts(rouge[key], bert[key], rbert[key]) for key in cells}

    def _bert(
        self,
        scorer: BertScorer,
        language: str,
        cells: Mapping[Key, Sequence[Pair]],
        bert: dict[Key, np.ndarray[tuple[int], np.dtype[np.float64]]],
        rbert: dict[Key, np.ndarray[tuple[int], np.dtype[np.float64]]],
    ) -> None:
        together = [(pair.real, pair.text) for pairs in cells.values() for pair in pairs]
        raw = scorer.score(together)
        self.label = raw.label
        baseline = self._baseline(scorer, raw.encoder, raw.layer, language, cells)
        rescaled = raw.rescaled(baseline).f if baseline is not None else raw.f * float("nan")
        start = 0
        for key, pairs in cells.items():
            bert[key] = raw.f[start : start + len(pairs)].numpy()
            rbert[key] = rescaled[start : start + len(pairs)].numpy()
            start += len(pairs)

    def _baseline(
        self, scorer: BertScorer, encoder: str, layer: int, language: str, cells: Mapping[Key, Sequence[Pair]]
    ) -> Baseline | None:
        """The one given, or the shipped one, or one of the real texts of this report; None where they are too few."""
        if language not in self.baselines:
            try:
                found = shipped_baseline(encoder, layer, language)
            except MetricError:
                made = self._own_baseline(scorer, language, cells)
                if made is None:
                    return None
                found = made
            self.baselines[language] = found
        return self.baselines[language]

    def _own_baseline(self, scorer: BertScorer, language: str, cells: Mapping[Key, Sequence[Pair]]) -> Baseline | None:
        texts = sorted({(pair.thread, pair.real) for pairs in cells.values() for pair in pairs})
        try:
            pairs = random_pairs(texts, RANDOM_PAIRS, seed=0)
        except MetricError:
            return None
        return baseline_of(scorer.score(pairs), language, f"{len(pairs)} random pairs of this report's real comments")
