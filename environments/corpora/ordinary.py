"""Users who are called like an ordinary word: which they are, and where a text still means the user.

The rule. A spelling of a user (the name, or what the user signs with) is an ordinary word if
1. it has fewer than three letters, or all its words stand in the language's list of frequent words, or
2. in threads where its user neither writes nor is linked, it is used as a word at least 3 times, and in at least
   a third of its plain mentions there. "As a word" means in lower case, or right after an article ("the Sun").
Spellings with digits, or with an upper-case letter inside a word, are never ordinary by rule 2.

A plain mention of an ordinary word is taken for the user only where it addresses somebody: after an at sign, after the
name of the user namespace ("User Sun"), as a value of a web address (user=Sun), behind u/ or user/, or before a comma
or colon at the beginning of a line in a thread where that user writes ("Sun, please look").
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from folkmoot.environments.corpora.namebook import LEAST_LETTERS, WORD, Mention, NameBook
from folkmoot.environments.corpora.wordlists import word_lists

LEAST_USES = 3
LEAST_SHARE = 1 / 3

_BEFORE = 40
_LETTERS = re.compile(r"[^\W_]+")
_LAST_WORD = re.compile(r"(\w+)['\u2019]?[\s_]*$")
_ADDRESSED = re.compile(r"[\s_]*[,:!]")
_LINE_START = re.compile(r"(?:^|\n)[\s:*#]*(?:'{2,5})?$")
_QUERY = re.compile(r"[?&](?:user|username|target|author|name|users|contribs|page)=$|(?<!\w)u(?:ser)?/$", re.IGNORECASE)


def common(name: str, language: str) -> bool:
    """Rule 1: shorter than three letters, or made of frequent words alone.

    >>> common("Thank You", "en"), common("Io", "en"), common("Thornapple", "en")
    (True, True, False)
    """
    words = [word for word in WORD.findall(name.lower()) if word.isalnum()]
    return sum(map(len, words)) < LEAST_LETTERS or all(word in word_lists(language).frequent for word in words)


@dataclass(slots=True)
class Evidence:
    """How names are used in threads whose users have nothing to do with them; mergeable, so that workers can share it.

    Attributes:
        language: ISO 639-1 code.
        mentions: spelling -> plain mentions in such threads.
        uses: spelling -> those as a word.
    """

    language: str
    mentions: Counter[str] = field(default_factory=Counter)
    uses: Counter[str] = field(default_factory=Counter)

    def add(self, text: str, book: NameBook, present: Collection[str]) -> None:
        """Count a comment's text; `present` are the canonical names of those who write or are linked in its thread."""
        articles = word_lists(self.language).articles
        for mention in book.mentions(text):
            if mention.name not in present:
                self.mentions[mention.spelling] += 1
                self.uses[mention.spelling] += _as_word(text, mention, articles)

    def merge(self, other: "Evidence") -> None:
        """Take another's counts in."""
        self.mentions.update(other.mentions)
        self.uses.update(other.uses)

    def ordinary(self) -> frozenset[str]:
        """Spellings that are ordinary words by rule 2."""
        return frozenset(
            spelling
            for spelling, uses in self.uses.items()
            if uses >= LEAST_USES and uses >= LEAST_SHARE * self.mentions[spelling] and wordlike(spelling)
        )


def ordinary_spellings(
    threads: Iterable[tuple[Collection[str], Sequence[str]]], book: NameBook, language: str
) -> frozenset[str]:
    """All ordinary spellings of pages that fit into memory.

    Args:
        threads: (canonical names of those who write, texts).
        book: of the known names.
        language: ISO 639-1 code.
    """
    threads = list(threads)
    found = list(_suspects(book, " ".join(text for _, texts in threads for text in texts), language))
    suspects, evidence = NameBook(language=language), Evidence(language)
    for name, spelling in found:
        suspects.add(spelling, name)
    marks = [WORD.findall(spelling)[0].casefold() for _, spelling in found]
    for present, texts in threads:
        for text in texts:
            folded = text.casefold()
            if any(mark in folded for mark in marks):
                evidence.add(text, suspects, present)
    return evidence.ordinary()


def _suspects(book: NameBook, text: str, language: str) -> Iterator[tuple[str, str]]:
    """Spellings (not common anyway) in lower case or behind an article: few, so that most pages cost no search."""
    words = _LETTERS.findall(text)
    articles = {form for word in word_lists(language).articles for form in (word, word.capitalize(), word.upper())}
    announced = {word for article, word in pairwise(words) if article in articles}
    for name, spelling in book.spellings():
        first = WORD.search(spelling)
        seen = spelling.lower() in text or (first is not None and first[0] in announced)
        if seen and wordlike(spelling) and not common(spelling, language):
            yield name, spelling


def _as_word(text: str, mention: Mention, articles: Collection[str]) -> bool:
    spelled = text[mention.start : mention.end]
    if spelled.islower() and not mention.spelling.islower():
        return True
    before = _LAST_WORD.search(text, max(0, mention.start - _BEFORE), mention.start)
    return before is not None and before[1].lower() in articles


def wordlike(name: str) -> bool:
    """Whether a spelling could be a word: letters alone, no capital inside."""
    words = name.split()
    return all(word.isalpha() and (word[1:].islower() or word.isupper() or not word[1:]) for word in words)


def addresses(text: str, mention: Mention, namespaces: Collection[str], present: Collection[str]) -> bool:
    """Whether a mention of an ordinary word means the user all the same.

    Args:
        text: what it stands in.
        mention: where.
        namespaces: names of the user namespace, lower case.
        present: canonical names of those who write in the thread.
    """
    before = text[max(0, mention.start - _BEFORE) : mention.start]
    if before.rstrip(" ").endswith("@") or _QUERY.search(before):
        return True
    last = _LAST_WORD.search(before)
    if last is not None and last[1].lower() in namespaces:
        return True
    begins = mention.start < _BEFORE or "\n" in before
    return (
        mention.name in present
        and begins
        and _LINE_START.search(before) is not None
        and _ADDRESSED.match(text, mention.end) is not None
    )
