"""Words of a language that matter where names are looked for; data in `words/`, one file a language."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "words"


@dataclass(frozen=True, slots=True)
class WordLists:
    """Of one language, lower case.

    Attributes:
        articles: words that announce a common noun.
        endings: what a name takes in a sentence, beside the genitive -s.
        frequent: words that are too common to be names.
    """

    articles: frozenset[str] = frozenset()
    endings: tuple[str, ...] = ()
    frequent: frozenset[str] = frozenset()


@cache
def word_lists(language: str) -> WordLists:
    """The lists of a language; empty where it has no file.

    >>> "the" in word_lists("en").articles, "sonne" in word_lists("de").frequent, word_lists("xx").endings
    (True, True, ())
    """
    path = FOLDER / f"{language}.txt"
    if not path.is_file():
        return WordLists()
    lists: dict[str, list[str]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        key, colon, words = line.partition(":")
        lists[key if colon else ""] += (words if colon else line).split()
    return WordLists(frozenset(lists["articles"]), tuple(lists["endings"]), frozenset(lists[""]))
