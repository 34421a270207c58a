"""Telling a text's language (py3langid), loaded once for all agents."""

from collections.abc import Callable
from functools import cache

_SURE = 0.5


@cache
def language_guesser() -> Callable[[str], str | None]:
    """Text -> ISO 639-1 code, or None where no language has at least half of the probability.

    Loads the model (one to two seconds), once a process. Repeats exactly: no randomness, no state.
    """
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

    def guess(text: str) -> str | None:
        code, probability = identifier.classify(text)
        return str(code) if probability >= _SURE else None

    return guess
