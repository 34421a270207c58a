"""Users that a text names: @name, u/name, the address of their page, or just the name of somebody who writes here."""

import re
from collections.abc import Iterable

from folkmoot.environments.corpora.facts import strings
from folkmoot.environments.corpora.sources.base import KEPT, SourceComment

_CALL = re.compile(
    r"(?<![\w/.@-])(?:@|/?u/|(?:https?://)?(?:www\.|old\.|new\.)?reddit\.com/u(?:ser)?/)(?P<name>\w[\w.-]{1,38}\w)",
    re.IGNORECASE,
)


def named_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Names called in these texts, each once, in order.

    >>> named_in(["Thanks @ada_l, u/Bodo-7! Mail x@mill.example", "https://www.reddit.com/user/Cleo/ or /u/ada_l"])
    ('ada_l', 'Bodo-7', 'Cleo')
    """
    found: dict[str, None] = {}
    for text in texts:
        if "@" in text or "u/" in text or "user/" in text or "U/" in text:
            found.update((match["name"], None) for match in _CALL.finditer(text))
    return tuple(found)


MOST = 20_000
"""Names that are looked for in plain words; a community of more has somebody called after any word."""

CROWDED = f"threads where users of other threads are hidden only if called by @ or u/ {KEPT}; over {MOST:,} users)"
"""What a larger community costs, counted thread by thread."""

_WORD = re.compile(r"[^\W_]+")


class Community:
    """Everybody who writes in a source, so that a text that names one can be told, whatever thread it is in."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._by_word: dict[str, list[str]] = {}

    def add(self, name: str) -> None:
        """One who writes."""
        if len(self._names) <= MOST:
            self._names[name] = None

    @property
    def crowded(self) -> bool:
        """Whether it is too large for its members to be looked for in threads where they don't write."""
        return len(self._names) > MOST

    def named_around(self, title: str, comments: Iterable[SourceComment]) -> tuple[str, ...]:
        """Those whom a thread's title, comments or facts name."""
        texts = [title]
        for comment in comments:
            texts += [comment.text, *(text for text, _ in strings(comment.facts))]
        return self.named_in(texts)

    def named_in(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Those whose names begin with a word of these texts, and all who are called; each once, in a fixed order."""
        texts = list(texts)
        if not self._by_word and not self.crowded:
            for name in self._names:
                word = _WORD.search(name.casefold())
                self._by_word.setdefault(word[0] if word else "", []).append(name)
        words = {match[0] for text in texts for match in _WORD.finditer(text.casefold())} if self._by_word else set()
        found = [name for word in sorted(words) for name in self._by_word.get(word, ())]
        return tuple(dict.fromkeys((*found, *named_in(texts))))
