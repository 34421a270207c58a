"""Which wiki a page comes from: by its signatures first, by its words where those leave a choice."""

from collections.abc import Callable, Sequence
from functools import cache

from folkmoot.environments.talk_page.wikitext.language import Language, known_languages, load_language
from folkmoot.environments.talk_page.wikitext.marks import find_marks
from folkmoot.environments.talk_page.wikitext.masking import Masked, mask
from folkmoot.environments.talk_page.wikitext.signatures import link_pattern
from folkmoot.sim.errors import CorpusError

SAMPLE = 200_000
"""Characters that are looked at."""

SURE = 0.95
"""Probability from which words tell a language by themselves."""


def detect_language(text: str, *, signed: bool = True) -> str:
    """Code of the language in which most comments are signed.

    Args:
        text: some pages.
        signed: comments have signatures; where they needn't, words tell the language of those without any.

    Raises:
        CorpusError: no known language has a signature here, or words that need none don't tell.
    """
    masked = mask(text[:SAMPLE])
    scores = {code: _evidence(masked, load_language(code)) for code in known_languages()}
    best = max(scores.values())
    if best[0] == 0 and not signed:
        return language_of_words(text)
    if best[0] == 0:
        raise CorpusError(_nothing(text))
    leaders = [code for code, score in scores.items() if score == best]
    return leaders[0] if len(leaders) == 1 else _by_words(text, leaders)


def _evidence(masked: Masked, language: Language) -> tuple[int, int]:
    """Signatures, and links in the language's own namespaces (English ones work everywhere)."""
    own = {name.lower() for name in (*language.user, *language.user_talk)}
    links = link_pattern(language.code).finditer(masked.text)
    count = sum(any(name in match[0].lower().replace("_", " ") for name in own) for match in links)
    return len(find_marks(masked, language).found), count


def language_of_words(text: str) -> str:
    """Code of the language that comments are in which come without signatures.

    Raises:
        CorpusError: the words don't tell.
    """
    code, probability = classifier()(text[:SAMPLE])
    if probability < SURE:
        raise CorpusError(
            f"the words don't tell the language ({len(text)} characters; {code!r} with a probability of "
            f"{probability:.2f}, at least {SURE} is needed); name it: --lang"
        )
    return code


@cache
def classifier() -> Callable[[str], tuple[str, float]]:
    """Text -> language and its probability; loads the model of py3langid (one to two seconds), once a process."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    classify = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True).classify

    def classified(text: str) -> tuple[str, float]:
        code, probability = classify(text)
        return str(code), float(probability)

    return classified


def _classify(text: str) -> str:
    return classifier()(text[:20_000])[0]


def _by_words(text: str, leaders: Sequence[str]) -> str:
    guess = _classify(text)
    return guess if guess in leaders else leaders[0]


def _nothing(text: str) -> str:
    known = ", ".join(known_languages())
    return (
        f"no signature (user link and timestamp) of any known language ({known}) in {len(text)} characters; its words "
        f"look like {_classify(text)!r}. If the language is known, name it: --lang for a build, corpus.lang for a run"
    )
