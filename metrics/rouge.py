"""ROUGE-L with tokens of every language: the longest common subsequence of two texts, as an F-measure.

Source: Lin 2004, "ROUGE: a package for automatic evaluation of summaries", section 3, at the level of the whole text
(`rougeL`, not `rougeLsum`), beta = 1, no stemming. On ASCII text the tokens, and so the scores, are those of the
`rouge-score` package with `use_stemmer=False`; that package drops every other letter ("Müller" becomes "m", "ller").

Tokens (`TOKENIZER`): the text in NFC and lower case, cut at everything that is no letter, digit or combining mark.
Accents and umlauts count ("schon" isn't "schön"), and so do the vowel signs of Indic and Semitic scripts. Han and
Kana characters are a token each, since nothing separates words there; Hangul is cut at spaces as it is written; Thai,
Lao, Khmer and Burmese, which are written without spaces, stay in runs. Invisible format characters are left out.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from folkmoot.metrics.tensors import as_tensor
from folkmoot.metrics.text import alone

TOKENIZER = "folkmoot-rouge-tokens/1"
"""Name and version of the tokens; it changes whenever any score may change."""

Empty = Literal["", "reference", "candidate", "both"]
_REMEMBERED = 4096  # texts: the references of a data set meet one candidate a method


@dataclass(frozen=True, slots=True)
class RougeScore:
    """Agreement of a candidate with its reference.

    Attributes:
        precision: length of the longest common subsequence / tokens of the candidate. Range [0, 1].
        recall: the same / tokens of the reference.
        f: their harmonic mean.
        empty: the side that has no token; the scores are 0 then.
    """

    precision: float
    recall: float
    f: float
    empty: Empty = ""


def tokens(text: str) -> list[str]:
    """The tokens of a text, as the module says.

    >>> tokens("L'Été à Łódź: 3.5 °C_x, 好的")
    ['l', 'été', 'à', 'łódź', '3', '5', 'c', 'x', '好', '的']
    """
    if text.isascii():
        return text.lower().translate(_CHARACTERS).split()
    return unicodedata.normalize("NFC", text.lower()).translate(_CHARACTERS).split()


class _Characters(dict[int, str | None]):
    """Code point -> what takes its place: itself, itself between spaces, a space, or nothing."""

    def __missing__(self, code: int) -> str | None:
        self[code] = kept = _kept(chr(code))
        return kept


_CHARACTERS = _Characters()


def _kept(character: str) -> str | None:
    if alone(character):
        return f" {character} "
    kind = unicodedata.category(character)
    if kind == "Cf":
        return None
    return character if kind[0] in "LMN" else " "


def rouge_l(reference: str | Sequence[str], candidate: str) -> RougeScore:
    """ROUGE-L of a candidate; of several references the one with the best F counts.

    >>> rouge_l("testing one two", "testing two").f
    0.8
    >>> rouge_l("", "word").empty
    'reference'
    """
    references = [reference] if isinstance(reference, str) else reference
    scores = [_score(_Reference(tokens(one)), tokens(candidate)) for one in references]
    return max(scores, key=lambda score: score.f, default=RougeScore(0.0, 0.0, 0.0, "reference"))


def rouge_l_all(pairs: Iterable[tuple[str, str]]) -> list[RougeScore]:
    """ROUGE-L of many (reference, candidate) pairs, in their order. Texts that come again are tokenized once."""
    cut = lru_cache(_REMEMBERED)(tokens)
    read = lru_cache(_REMEMBERED)(lambda text: _Reference(cut(text)))
    return [_score(read(reference), cut(candidate)) for reference, candidate in pairs]


def f_values(scores: Sequence[RougeScore]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The F-measures, shape (n,), for means and intervals."""
    return as_tensor([score.f for score in scores]).numpy()


class _Reference:
    """Where each token stands in a reference, as bits of an integer: bit i of `places[token]` for token i."""

    __slots__ = ("length", "places")

    def __init__(self, cut: Sequence[str]) -> None:
        self.length = len(cut)
        self.places: dict[str, int] = {}
        for place, token in enumerate(cut):
            self.places[token] = self.places.get(token, 0) | (1 << place)

    def common(self, candidate: Iterable[str]) -> int:
        """Length of the longest common subsequence, one addition of `length` bits a token (Hyyrö 2004)."""
        full = (1 << self.length) - 1
        state = full
        for token in candidate:
            if where := self.places.get(token):
                matched = state & where
                state = ((state + matched) | (state - matched)) & full
        return self.length - state.bit_count()


def _score(reference: _Reference, candidate: Sequence[str]) -> RougeScore:
    if not reference.length or not candidate:
        empty: Empty = "candidate" if reference.length else "reference" if candidate else "both"
        return RougeScore(0.0, 0.0, 0.0, empty)
    common = reference.common(candidate)
    precision, recall = common / len(candidate), common / reference.length
    return RougeScore(precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0)
