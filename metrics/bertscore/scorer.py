"""From pairs of texts to BERTScore: each text is encoded once, pairs are matched in batches of like length.

Source: Zhang et al. 2020, "BERTScore: evaluating text generation with BERT", equations 1 to 5. As in the `bert-score`
package, special tokens weigh nothing but can be matched; the encoder's prefix ("query: ") does neither.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from folkmoot.metrics.bertscore.scores import BertScores
from folkmoot.metrics.tensors import as_tensor
from folkmoot.sim.errors import MetricError
from folkmoot.sim.protocols import TokenEncoder

Pair = tuple[str, str]

_CHARACTERS_AT_ONCE = 1_000_000  # of distinct texts whose states are held: some 400 MB at 384 dimensions
_CELLS_AT_ONCE = 1_000_000  # token pairs compared in one product: 4 MB
_NOTHING = -4.0  # added to the cosine with a token that isn't there: below any cosine


class _Text(NamedTuple):
    """States (tokens, dimension) and weights (tokens,) that sum to 1; `empty`: no token but the special ones."""

    states: Tensor
    weights: Tensor
    empty: bool


class BertScorer:
    """BERTScore with one encoder and layer.

    Args:
        encoder: token states; a `folkmoot.agents.llm.encoder.SentenceEncoder` (embedded, hub name or folder) will do.
        layer: whose states are compared, 0 to the encoder's depth, or counted from the end.
        idf: reference texts; tokens then weigh log((n + 1) / (texts that hold it + 1)), as in the paper.

    Raises:
        MetricError: a layer that isn't there, or no text for the weights.
    """

    def __init__(self, encoder: TokenEncoder, layer: int = -1, idf: Sequence[str] | None = None) -> None:
        if not -encoder.depth - 1 <= layer <= encoder.depth:
            raise MetricError(f"layer {layer} of {encoder.name}; 0 to {encoder.depth}, or -1 for the last")
        self._encoder, self.layer = encoder, layer % (encoder.depth + 1)
        self._lead, self._trail = _frame(encoder)
        self._texts = None if idf is None else len(idf)
        self._idf = None if idf is None else _idf(encoder, idf)

    def score(self, pairs: Sequence[Pair]) -> BertScores:
        """Scores of (reference, candidate) pairs, in their order; a pair or text that comes again costs nothing."""
        places: dict[Pair, list[int]] = defaultdict(list)
        for place, pair in enumerate(pairs):
            places[pair].append(place)
        table = torch.zeros(len(pairs), 5, dtype=torch.float32)
        for group in _groups(sorted(places)):
            for some, scores in self._matched(group):
                where = [place for pair in some for place in places[pair]]
                times = torch.tensor([len(places[pair]) for pair in some])
                table[where] = scores.cpu().repeat_interleave(times, 0)
        precision, recall, f = as_tensor(table[:, :3]).unbind(1)
        references, candidates = table[:, 3:].bool().unbind(1)
        return BertScores(precision, recall, f, references, candidates, self._encoder.name, self.layer, self._texts)

    def _matched(self, pairs: Sequence[Pair]) -> Iterator[tuple[list[Pair], Tensor]]:
        """Batches of pairs with their scores: P, R, F, empty reference, empty candidate; shape (pairs, 5)."""
        texts = self._read(list(dict.fromkeys(text for pair in pairs for text in pair)))
        for some in _batches(pairs, {text: len(one.weights) for text, one in texts.items()}):
            yield some, _match([texts[reference] for reference, _ in some], [texts[candidate] for _, candidate in some])

    def _read(self, texts: Sequence[str]) -> dict[str, _Text]:
        vectors = self._encoder.token_vectors(texts, self.layer)
        weighed = (self._weighed(one.ids.tolist(), torch.as_tensor(one.vectors)) for one in vectors)
        return dict(zip(texts, weighed, strict=True))

    def _weighed(self, ids: Sequence[int], states: Tensor) -> _Text:
        stop = len(ids) - self._trail
        inner = ids[self._lead : stop]
        weights = [1.0] * len(inner) if self._idf is None else [self._idf[one] for one in inner]
        outer = min(1, self._lead)  # the start token; what follows it in the frame is the prefix
        padded = torch.tensor([0.0] * outer + weights + [0.0] * self._trail, device=states.device)
        states = states if outer == self._lead else torch.cat([states[:outer], states[self._lead :]])
        return _Text(states, padded / padded.sum() if inner else padded, not inner)


def _match(references: Sequence[_Text], candidates: Sequence[_Text]) -> Tensor:
    """P, R, F and the empty sides of a batch of pairs, shape (pairs, 5)."""
    first, first_weights, first_gaps = _padded(candidates)
    second, second_weights, second_gaps = _padded(references)
    gaps = first_gaps[:, :, None] + second_gaps[:, None, :]
    cosines = torch.baddbmm(gaps, first, second.transpose(1, 2))
    precision = (cosines.amax(2) * first_weights).sum(1)
    recall = (cosines.amax(1) * second_weights).sum(1)
    empty = torch.tensor(
        [[one.empty, other.empty] for one, other in zip(references, candidates, strict=True)], device=first.device
    )
    kept = ~empty.any(1)
    precision, recall = precision * kept, recall * kept
    f = 2 * precision * recall / (precision + recall)
    f = torch.where(kept & ((precision + recall) != 0), f, torch.zeros_like(f))
    return torch.cat([torch.stack([precision, recall, f], 1), empty.to(f)], 1)


def _padded(texts: Sequence[_Text]) -> tuple[Tensor, Tensor, Tensor]:
    """States (texts, tokens, dimension), weights (texts, tokens), and what is added where no token is."""
    pad = torch.nn.utils.rnn.pad_sequence
    states = pad([one.states for one in texts], batch_first=True)
    lengths = torch.tensor([len(one.states) for one in texts], device=states.device)
    missing = torch.arange(states.shape[1], device=states.device) >= lengths[:, None]
    return states, pad([one.weights for one in texts], batch_first=True), missing * _NOTHING


def _frame(encoder: TokenEncoder) -> tuple[int, int]:
    """How many tokens stand before and after a text's own: start token and prefix, end token."""
    empty, letter = encoder.token_ids(["", "a"])
    lead = next(
        (n for n, (a, b) in enumerate(zip(empty, letter, strict=False)) if a != b), min(len(empty), len(letter))
    )
    rest = zip(reversed(empty[lead:]), reversed(letter[lead:]), strict=False)
    return lead, next((n for n, (a, b) in enumerate(rest) if a != b), min(len(empty), len(letter)) - lead)


def _idf(encoder: TokenEncoder, texts: Sequence[str]) -> dict[int, float]:
    """log((n + 1) / (texts that hold the token + 1)); texts that come twice count twice."""
    if not texts:
        raise MetricError("0 texts for idf weights; give the data set's references, or idf=None for equal weights")
    held = Counter[int]()
    for ids, times in zip(encoder.token_ids(list(dict.fromkeys(texts))), Counter(texts).values(), strict=True):
        held.update(dict.fromkeys(ids, times))
    total = len(texts) + 1
    return defaultdict(lambda: math.log(total), {one: math.log(total / (count + 1)) for one, count in held.items()})


def _groups(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Runs of pairs whose distinct texts fit into memory together; pairs come sorted by their reference."""
    group: list[Pair] = []
    held: set[str] = set()
    size = 0
    for pair in pairs:
        size += sum(len(text) for text in set(pair) - held)
        if group and size > _CHARACTERS_AT_ONCE:
            yield group
            group, held, size = [], set(), sum(map(len, set(pair)))
        group.append(pair)
        held.update(pair)
    if group:
        yield group


def _batches(pairs: Sequence[Pair], lengths: dict[str, int]) -> Iterator[list[Pair]]:
    """Pairs of like lengths together, so that little is padded."""
    order = sorted(pairs, key=lambda pair: (lengths[pair[1]], lengths[pair[0]]))
    batch: list[Pair] = []
    widest = 0
    for pair in order:
        wider = max(widest, lengths[pair[0]])
        if batch and wider * lengths[pair[1]] * (len(batch) + 1) > _CELLS_AT_ONCE:
            yield batch
            batch, wider = [], lengths[pair[0]]
        batch.append(pair)
        widest = wider
    if batch:
        yield batch
